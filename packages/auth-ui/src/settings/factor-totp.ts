import { type BodyRule, defineRoute, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { changeFactors, withoutFactor, withTotp } from '../factors/factor-changes.ts'
import { acceptTotp, newAuthenticator } from '../factors/totp.ts'
import { answerJson } from '../web/answer.ts'
import type { TotpFactor } from '../owner/factors.ts'
import type { AuthUiServices } from '../services.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody } from '../web/posted.ts'
import { visitorOf } from '../web/visitor.ts'
import { completeEnrolment, type Enrolment, startEnrolment } from './enrolment.ts'
import {
  CONFIRMED_SCHEMA,
  type ConfirmedBody,
  TOTP_SCHEMA,
  type TotpBody,
} from './factors.schema.ts'
import { qrRows } from './qr-rows.ts'
import { confirmedOwner } from './settings-owner.ts'

type Confirmed = RouteContext<ConfirmedBody | null>

const CONFIRMED = {
  types: ['json'],
  optional: true,
  schema: CONFIRMED_SCHEMA,
  refuse: refuseBody,
} as const satisfies BodyRule

const TOTP: Enrolment<TotpFactor> = {
  record: 'totp-enrolment',
  kindOf: () => 'totp',
  accept(services, instance, factor, code) {
    const accepted = acceptTotp(services, instance, factor, code)
    if (accepted === undefined) return undefined
    const { lastUsed: _proof, ...proven } = accepted
    return proven
  },
  add: withTotp,
}

/** The authenticator app. One enrolment at a time: a new one replaces the one before. */
export const totpRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'POST',
    path: '/settings/factors/totp',
    handler: startTotp,
    auth: requireSettingsApp,
    body: CONFIRMED,
    statuses: [200, 400, 401, 403, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: { none: 'Nothing is added before a code was given.' },
    summary: 'Makes the secret of an authenticator app, not in use yet.',
    source: 'RFC 6238',
  }),
  defineRoute({
    method: 'PUT',
    path: '/settings/factors/totp',
    handler: (ctx: RouteContext<TotpBody | null>, services: AuthUiServices) =>
      completeEnrolment(ctx, services, TOTP),
    auth: requireSettingsApp,
    body: { types: ['json'], schema: TOTP_SCHEMA, refuse: refuseBody },
    statuses: [200, 204, 400, 401, 403, 404, 409, 413, 415, 422],
    family: 'jsonapi',
    cors: 'app-origins',
    limit: [
      {
        bucket: 'totp-enrolment',
        inRule: 'before a code is compared; after the last one nothing is pending, which is 404',
      },
    ],
    activity: ['factor.added', 'recovery_codes.made'],
    summary:
      'Switches the authenticator app on with one of its codes; where nothing stands beside it, answers recovery codes first.',
    source: 'RFC 6238, decision D73',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/factors/totp',
    handler: removeTotp,
    auth: requireSettingsApp,
    body: CONFIRMED,
    statuses: [204, 400, 401, 403, 404, 409, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'factor.removed',
    summary: 'Switches the authenticator app off.',
    source: 'decision D63',
  }),
]

async function startTotp(ctx: Confirmed, services: AuthUiServices): Promise<void> {
  const owner = await confirmedOwner(services, ctx)
  const { instance } = ctx.state
  const { factor, secret, uri } = newAuthenticator(services, instance)
  await startEnrolment(services, instance, owner, TOTP, factor)
  answerJson(ctx, { secret, uri, qr: qrRows(uri) })
}

async function removeTotp(ctx: Confirmed, services: AuthUiServices): Promise<void> {
  const owner = await confirmedOwner(services, ctx)
  const outcome = await changeFactors(services, visitorOf(services, ctx), owner, {
    factor: 'totp',
    what: 'factor_removed',
    next: (factors) => (factors.totp === undefined ? undefined : withoutFactor(factors, 'totp')),
  })
  if (outcome === 'nothing') throw new AuthUiError('not_found')
  ctx.status = 204
}
