import {
  type BodyRule,
  defineRoute,
  type Instance,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { changeFactors, requireWayIn, withoutFactor } from '../factors/factor-changes.ts'
import { newRecoveryCodes } from '../factors/recovery-codes.ts'
import { answerJson } from '../web/answer.ts'
import { hasFactor, isPasskeyAsked, isSecondFactorOn } from '../owner/factors.ts'
import type { Owner } from '../owner/owner.ts'
import { masked } from '../owner/profile.ts'
import type { AuthUiServices } from '../services.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody } from '../web/posted.ts'
import { visitorOf } from '../web/visitor.ts'
import { CONFIRMED_SCHEMA, type ConfirmedBody } from './factors.schema.ts'
import { answerResources, isoTime } from './json-api.ts'
import { passkeyToWire, passkeyUserToWire, times } from './passkey-wire.ts'
import { confirmedOwner, ownerOf } from './settings-owner.ts'

type Confirmed = RouteContext<ConfirmedBody | null>

const CONFIRMED = {
  types: ['json'],
  optional: true,
  schema: CONFIRMED_SCHEMA,
  refuse: refuseBody,
} as const satisfies BodyRule

/** The second factor in the settings app. @see login.md 7, decision D63 */
export const factorRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/factors',
    handler: showFactors,
    auth: requireSettingsApp,
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Shows which factors are on.',
    source: 'decision D63',
  }),
  defineRoute({
    method: 'POST',
    path: '/settings/factors/recovery_codes',
    handler: createRecoveryCodes,
    auth: requireSettingsApp,
    body: CONFIRMED,
    statuses: [200, 400, 401, 403, 409, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'recovery_codes.made',
    summary: 'Makes ten recovery codes; earlier ones are dead.',
    source: 'decision D63',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/factors/recovery_codes',
    handler: removeRecoveryCodes,
    auth: requireSettingsApp,
    body: CONFIRMED,
    statuses: [204, 400, 401, 403, 409, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'factor.removed',
    summary: 'Removes the recovery codes.',
    source: 'decision D63',
  }),
]

async function showFactors(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const owner = await ownerOf(services, ctx)
  const { namespace } = services
  answerResources(ctx, {
    type: `${namespace}.settings`,
    id: `${namespace}.settings.factors`,
    attributes: { ...toWire(owner, ctx.state.instance), own: ownToWire(services, owner) },
  })
}

async function createRecoveryCodes(ctx: Confirmed, services: AuthUiServices): Promise<void> {
  const owner = await confirmedOwner(services, ctx)
  const { codes, recovery } = newRecoveryCodes(ctx.state.instance, services.clock.now())
  await changeFactors(services, visitorOf(services, ctx), owner, {
    factor: 'recovery',
    what: 'recovery_codes_created',
    next: (factors) => {
      if (hasFactor(factors)) return { ...factors, recovery }
      const description = 'recovery codes stand beside another factor'
      throw new AuthUiError('factor_needed', { description })
    },
  })
  answerJson(ctx, { codes })
}

async function removeRecoveryCodes(ctx: Confirmed, services: AuthUiServices): Promise<void> {
  const owner = await confirmedOwner(services, ctx)
  await changeFactors(services, visitorOf(services, ctx), owner, {
    factor: 'recovery',
    what: 'factor_removed',
    next: (factors) => {
      if (factors.recovery === undefined) return undefined
      const left = withoutFactor(factors, 'recovery')
      if ((left.passkeys?.length ?? 0) > 0) requireWayIn(owner, left)
      return left
    },
  })
  ctx.status = 204
}

/** Factors of the host, and those that an owner still has though the host no longer does. */
function ownToWire(
  { options }: AuthUiServices,
  { factors: { own = [] } = {} }: Owner,
): readonly Readonly<Record<string, unknown>>[] {
  const gone = own.filter(({ name }) => !options.factors.some((known) => known.name === name))
  return [
    ...options.factors.map(({ name, label }) => {
      const enrolled = own.find((each) => each.name === name)
      return { name, label, available: true, enrolled: enrolled ? times(enrolled) : null }
    }),
    ...gone.map((each) => ({
      name: each.name,
      label: { en: each.name },
      available: false,
      enrolled: times(each),
    })),
  ]
}

/** Never a secret, a key or a whole address. */
function toWire(
  { factors = {}, securityStamp }: Owner,
  instance: Instance,
): Readonly<Record<string, unknown>> {
  const { email } = instance
  const { mail, totp, passkeys = [], recovery } = factors
  return {
    auth_mode: isSecondFactorOn(factors) ? 'two_factor_mail' : 'basic',
    mail: {
      enabled: mail !== undefined,
      ...(mail === undefined ? {} : { enabled_at: isoTime(mail.enabledAt) }),
      ...(email === undefined || email === '' ? {} : { address: masked(email) }),
    },
    totp: totp === undefined ? null : times(totp),
    passkeys: passkeys.map((passkey) => passkeyToWire(passkey, instance, securityStamp)),
    passkey_user: passkeyUserToWire(instance),
    passkey_after_passphrase: isPasskeyAsked(factors),
    recovery:
      recovery === undefined
        ? null
        : { left: recovery.hashes.length, created_at: isoTime(recovery.createdAt) },
  }
}
