import {
  type BodyRule,
  defineRoute,
  type Instance,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { type Change, type Json, type Key, recordKey, type Revision } from '@svc/store'
import { encode } from 'uqr'
import { AuthUiError } from '../errors.ts'
import { changeFactors, withoutFactor, withTotp } from '../factors/factor-changes.ts'
import { newRecoveryCodes } from '../factors/recovery-codes.ts'
import { acceptTotp, newAuthenticator } from '../factors/totp.ts'
import { answerJson } from '../web/answer.ts'
import type { RecoveryCodes, TotpFactor } from '../owner/factors.ts'
import type { Owner } from '../owner/owner.ts'
import { isWithinLimit } from '../rate-limits.ts'
import type { AuthUiServices } from '../services.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody } from '../web/posted.ts'
import { visitorOf } from '../web/visitor.ts'
import {
  CONFIRMED_SCHEMA,
  type ConfirmedBody,
  TOTP_SCHEMA,
  type TotpBody,
} from './factors.schema.ts'
import { confirmedOwner, ownerOf } from './settings-owner.ts'

/** The factor as it will be, its secret sealed. */
interface Pending {
  readonly stamp: string
  readonly factor: TotpFactor
  /** Once a code proved the app: shown to the owner, and on together with it. */
  readonly recovery?: RecoveryCodes
}

/** What is pending, and whose. */
interface Found {
  readonly owner: Owner
  readonly pending: Pending
  readonly revision: Revision
}

type Confirmed = RouteContext<ConfirmedBody | null>

/** Cells around the code, as its standard asks. */
const QUIET_ZONE = 4

const CONFIRMED = {
  types: ['json'],
  optional: true,
  schema: CONFIRMED_SCHEMA,
  refuse: refuseBody,
} as const satisfies BodyRule

/** The authenticator app. One enrolment at a time: a new one replaces the one before. */
export const totpRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'POST',
    path: '/settings/factors/totp',
    handler: startEnrolment,
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
    handler: completeEnrolment,
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

async function startEnrolment(ctx: Confirmed, services: AuthUiServices): Promise<void> {
  const owner = await confirmedOwner(services, ctx)
  const { instance } = ctx.state
  const { factor, secret, uri } = newAuthenticator(services, instance)
  const pending = { stamp: owner.securityStamp, factor }
  await services.store.write([putPending(services, instance, pending)])
  answerJson(ctx, { secret, uri, qr: qrRows(uri) })
}

/** A code switches the app on; alone, only once recovery codes were kept. */
async function completeEnrolment(
  ctx: RouteContext<TotpBody | null>,
  services: AuthUiServices,
): Promise<void> {
  const { code, kept } = ctx.state.body ?? {}
  if ((code === undefined) === (kept === undefined)) {
    throw new AuthUiError('invalid_parameter', { description: 'either code or kept' })
  }
  const found = await findPending(services, ctx)
  if (kept === true) await turnOnWithCodes(ctx, services, found)
  else await prove(ctx, services, found, code ?? '')
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

/** @throws AuthUiError `not_found` */
async function findPending(services: AuthUiServices, ctx: RouteContext): Promise<Found> {
  const owner = await ownerOf(services, ctx)
  const record = await services.store.get(keyOf(ctx.state.instance))
  // Only this file writes these records.
  const pending = record?.value as unknown as Pending | undefined
  if (record === undefined || pending?.stamp !== owner.securityStamp) {
    throw new AuthUiError('not_found')
  }
  return { owner, pending, revision: record.revision }
}

/** On with the code where something else stands beside the app; otherwise recovery codes come first. */
async function prove(
  ctx: RouteContext,
  services: AuthUiServices,
  found: Found,
  code: string,
): Promise<void> {
  const factor = await accept(services, ctx.state.instance, found.pending.factor, code)
  if (!(await turnOn(ctx, services, found, factor))) await offerCodes(ctx, services, found, factor)
  else ctx.status = 204
}

/** @throws AuthUiError `not_found` after the last try; `two_factor_invalid` */
async function accept(
  services: AuthUiServices,
  instance: Instance,
  factor: TotpFactor,
  code: string,
): Promise<TotpFactor> {
  const { limits } = services
  // Counted before it is compared; after the last try nothing is pending any more.
  const hasTriesLeft = await isWithinLimit(limits, instance, 'totp-enrolment', factor.id)
  if (!hasTriesLeft) throw new AuthUiError('not_found')
  const accepted = acceptTotp(services, instance, factor, code)
  if (accepted === undefined) throw new AuthUiError('two_factor_invalid', { status: 422 })
  await limits.release(instance, 'totp-enrolment', factor.id)
  const { lastUsed: _proof, ...proven } = accepted
  return proven
}

/** Nothing is on yet: the codes wait with the app until the owner has them. OPEN(0229) */
async function offerCodes(
  ctx: RouteContext,
  services: AuthUiServices,
  found: Found,
  factor: TotpFactor,
): Promise<void> {
  const { instance } = ctx.state
  const { codes, recovery } = newRecoveryCodes(instance, services.clock.now())
  const pending = { ...found.pending, factor, recovery }
  const { written } = await services.store.write([
    putPending(services, instance, pending, found.revision),
  ])
  if (!written) throw new AuthUiError('not_found')
  answerJson(ctx, { codes })
}

async function turnOnWithCodes(
  ctx: RouteContext,
  services: AuthUiServices,
  found: Found,
): Promise<void> {
  const { factor, recovery } = found.pending
  // Nothing was proven yet.
  if (recovery === undefined) throw new AuthUiError('not_found')
  await turnOn(ctx, services, found, factor, recovery)
  ctx.status = 204
}

/** False: nothing would stand beside the app. @throws AuthUiError `not_found` */
async function turnOn(
  ctx: RouteContext,
  services: AuthUiServices,
  { owner, revision }: Found,
  factor: TotpFactor,
  recovery?: RecoveryCodes,
): Promise<boolean> {
  const outcome = await changeFactors(services, visitorOf(services, ctx), owner, {
    factor: 'totp',
    what: 'factor_added',
    hasRecoveryCodes: recovery !== undefined,
    next: (factors) => withTotp(factors, factor, recovery),
    also: [{ op: 'delete', key: keyOf(ctx.state.instance), ifRevision: revision }],
  })
  if (outcome === 'spent') throw new AuthUiError('not_found')
  return outcome === 'done'
}

function putPending(
  { clock, lifetimes }: AuthUiServices,
  instance: Instance,
  pending: Pending,
  revision?: Revision,
): Change {
  return {
    op: 'put',
    key: keyOf(instance),
    value: toJson(pending),
    expiresAt: clock.now() + lifetimes.totpEnrolment,
    ...(revision === undefined ? {} : { ifRevision: revision }),
  }
}

/** Rows from the top, `1` for a dark cell, with the light border a reader needs. */
function qrRows(text: string): readonly string[] {
  const { data } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  return data.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''))
}

function keyOf(instance: Instance): Key {
  return recordKey(instance.id, 'totp-enrolment', 'pending')
}

/** Interfaces have no index signature, so the compiler cannot see that this is plain JSON. */
function toJson(pending: Pending): Json {
  return pending as unknown as Json
}
