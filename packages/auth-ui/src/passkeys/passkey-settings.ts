import { noteOwn } from '../web/activity.ts'
import {
  bodySchema,
  type BodyRule,
  type BodySchema,
  defineRoute,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { changeFactors, requireWayIn, withPasskeyAsked } from '../factors/factor-changes.ts'
import { type Factors, withPasskey } from '../owner/factors.ts'
import type { AuthUiServices } from '../services.ts'
import { CONFIRMED_SCHEMA, type ConfirmedBody } from '../settings/factors.schema.ts'
import { answerResources } from '../settings/json-api.ts'
import { passkeyToWire } from '../settings/passkey-wire.ts'
import { confirmedOwner, idOf, ownerOf } from '../settings/settings-owner.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody } from '../web/posted.ts'
import { visitorOf } from '../web/visitor.ts'
import { cleanLabel } from './passkey-label.ts'

type Confirmed = RouteContext<ConfirmedBody | null>

/** `PATCH /settings/factors/passkeys/:id`. */
interface PasskeyBody extends ConfirmedBody {
  readonly label?: string
  readonly trusted?: true
}

/** `PUT /settings/factors/passkey_after_passphrase`. */
interface AskedBody extends ConfirmedBody {
  readonly enabled: boolean
}

const TEXT = { type: 'string', maxLength: 1024 } as const
const CONFIRMATION = {
  confirmation_code: { ...TEXT, description: 'of /auth/confirm, at most 5 minutes old' },
  confirmation_state: { ...TEXT, description: 'the state that was confirmed' },
} as const

const PASSKEY_SCHEMA: BodySchema<PasskeyBody> = bodySchema({
  type: 'object',
  properties: {
    ...CONFIRMATION,
    label: { ...TEXT, description: "the owner's name for the passkey" },
    trusted: {
      type: 'boolean',
      enum: [true],
      description: 'it is the owner’s: it logs in again after a reset; needs a confirmation',
    },
  },
})

const ASKED_SCHEMA: BodySchema<AskedBody> = bodySchema({
  type: 'object',
  properties: {
    ...CONFIRMATION,
    enabled: {
      type: 'boolean',
      description: 'whether passkeys are asked for after the passphrase',
    },
  },
  required: ['enabled'],
})

const CONFIRMED = {
  types: ['json'],
  optional: true,
  schema: CONFIRMED_SCHEMA,
  refuse: refuseBody,
} as const satisfies BodyRule

/** Passkeys in the settings app. @see owner.md 2.2 */
export const passkeySettingsRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'PUT',
    path: '/settings/factors/passkey_after_passphrase',
    handler: putPasskeyAsked,
    auth: requireSettingsApp,
    body: { types: ['json'], schema: ASKED_SCHEMA, refuse: refuseBody },
    statuses: [204, 400, 401, 403, 409, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: ['passkey.asked', 'passkey.unasked'],
    summary: 'Says whether passkeys turn the second step on.',
    source: 'owner.md 2.1',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/factors/passkeys/:id',
    handler: removePasskey,
    auth: requireSettingsApp,
    body: CONFIRMED,
    statuses: [204, 400, 401, 403, 404, 409, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'passkey.removed',
    summary: 'Removes a passkey.',
    source: 'decision D63',
  }),
  defineRoute({
    method: 'PATCH',
    path: '/settings/factors/passkeys/:id',
    handler: patchPasskey,
    auth: requireSettingsApp,
    body: { types: ['json'], schema: PASSKEY_SCHEMA, refuse: refuseBody },
    statuses: [200, 400, 401, 403, 404, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'passkey.trusted',
    summary: 'Names a passkey, or trusts it again after a reset.',
    source: 'owner.md 2.2',
  }),
]

async function putPasskeyAsked(
  ctx: RouteContext<AskedBody>,
  services: AuthUiServices,
): Promise<void> {
  const owner = await confirmedOwner(services, ctx)
  const enabled = ctx.state.body?.enabled === true
  await changeFactors(services, visitorOf(services, ctx), owner, {
    factor: 'passkey',
    what: 'second_step',
    next: (factors) => withPasskeyAsked(factors, enabled),
  })
  ctx.status = 204
}

async function patchPasskey(
  ctx: RouteContext<PasskeyBody>,
  services: AuthUiServices,
): Promise<void> {
  const { instance, body } = ctx.state
  const { label, trusted } = body ?? {}
  const { securityStamp } =
    trusted === true ? await confirmedOwner(services, ctx) : await ownerOf(services, ctx)
  const id = idOf(ctx)
  const written = await services.owners.update(
    instance.id,
    (owner) => {
      // Whoever confirmed did so under the passphrase of that time.
      if (owner.securityStamp !== securityStamp) throw new AuthUiError('confirmation_required')
      const passkey = owner.factors?.passkeys?.find((each) => each.id === id)
      if (passkey === undefined) return undefined
      const named = {
        ...passkey,
        ...(label === undefined ? {} : { label: cleanLabel(label) }),
        ...(trusted === true ? { stamp: securityStamp } : {}),
      }
      return { ...owner, factors: withPasskey(owner.factors, named) }
    },
    trusted === true ? noteOwn(services, ctx, { event: 'passkey.trusted' }) : [],
  )
  const changed = written?.factors?.passkeys?.find((passkey) => passkey.id === id)
  if (written === undefined || changed === undefined) throw new AuthUiError('not_found')
  const { namespace } = services
  answerResources(ctx, {
    type: `${namespace}.settings.passkeys`,
    id,
    attributes: passkeyToWire(changed, instance, securityStamp),
  })
}

async function removePasskey(ctx: Confirmed, services: AuthUiServices): Promise<void> {
  const owner = await confirmedOwner(services, ctx)
  const id = idOf(ctx)
  const removed = owner.factors?.passkeys?.find((passkey) => passkey.id === id)
  const outcome = await changeFactors(services, visitorOf(services, ctx), owner, {
    factor: 'passkey',
    what: removed?.firstWay === true ? 'passkey_removed' : 'factor_removed',
    next: (factors) => {
      const left = withoutPasskey(factors, id)
      if (left !== undefined) requireWayIn(owner, left)
      return left
    },
  })
  if (outcome === 'nothing') throw new AuthUiError('not_found')
  ctx.status = 204
}

function withoutPasskey(factors: Factors, id: string): Factors | undefined {
  const { passkeys = [], passkeyAfterPassphrase, ...rest } = factors
  const left = passkeys.filter((passkey) => passkey.id !== id)
  if (left.length === passkeys.length) return undefined
  if (left.length === 0) return rest
  return {
    ...rest,
    passkeys: left,
    ...(passkeyAfterPassphrase === undefined ? {} : { passkeyAfterPassphrase }),
  }
}
