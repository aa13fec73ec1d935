import { type BodyRule, defineRoute, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { changeFactors, withOwn, withoutOwn } from '../factors/factor-changes.ts'
import { acceptOwn, newOwnFactor } from '../factors/own-factors.ts'
import type { EnrolledFactor } from '../owner/factors.ts'
import type { AuthUiServices } from '../services.ts'
import { answerJson } from '../web/answer.ts'
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

const OWN: Enrolment<EnrolledFactor> = {
  record: 'own-enrolment',
  kindOf: ({ name }) => `x-${name}`,
  accept(services, instance, factor, code) {
    const accepted = acceptOwn(services, instance, factor, code)
    if (accepted === undefined) return undefined
    const { lastUsed: _proof, ...proven } = accepted
    return proven
  },
  add: withOwn,
}

/** Code factors of the host. One enrolment at a time: a new one replaces the one before. */
export const ownFactorRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'POST',
    path: '/settings/factors/own/:name',
    handler: startOwn,
    auth: requireSettingsApp,
    body: CONFIRMED,
    statuses: [200, 400, 401, 403, 404, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: { none: 'Nothing is added before a code was given.' },
    summary: 'Begins to enrol a factor of the host, not in use yet.',
    source: 'decision D63',
  }),
  defineRoute({
    method: 'PUT',
    path: '/settings/factors/own/:name',
    handler: completeOwn,
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
      'Switches a factor of the host on with a first right code; where nothing stands beside it, answers recovery codes first.',
    source: 'decision D73',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/factors/own/:name',
    handler: removeOwn,
    auth: requireSettingsApp,
    body: CONFIRMED,
    statuses: [204, 400, 401, 403, 404, 409, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'factor.removed',
    summary: 'Switches a factor of the host off, also one that the host no longer has.',
    source: 'decision D63',
  }),
]

async function startOwn(ctx: Confirmed, services: AuthUiServices): Promise<void> {
  const owner = await confirmedOwner(services, ctx)
  const { instance } = ctx.state
  const own = services.options.factors.find(({ name }) => name === nameOf(ctx))
  if (own === undefined) throw new AuthUiError('not_found')
  const { factor, show } = await newOwnFactor(services, instance, own)
  await startEnrolment(services, instance, owner, OWN, factor)
  answerJson(ctx, { ...show, ...(show.uri === undefined ? {} : { qr: qrRows(show.uri) }) })
}

async function completeOwn(
  ctx: RouteContext<TotpBody | null>,
  services: AuthUiServices,
): Promise<void> {
  await completeEnrolment(ctx, services, OWN, (factor) => factor.name === nameOf(ctx))
}

async function removeOwn(ctx: Confirmed, services: AuthUiServices): Promise<void> {
  const owner = await confirmedOwner(services, ctx)
  const name = nameOf(ctx)
  const outcome = await changeFactors(services, visitorOf(services, ctx), owner, {
    factor: `x-${name}`,
    what: 'factor_removed',
    next: (factors) => withoutOwn(factors, name),
  })
  if (outcome === 'nothing') throw new AuthUiError('not_found')
  ctx.status = 204
}

function nameOf({ params }: RouteContext): string {
  return params['name'] ?? ''
}
