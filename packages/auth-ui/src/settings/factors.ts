import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { type FactorChanges, withoutFactor } from '../factors/factor-changes.ts'
import { type Factors, isSecondFactorOn } from '../owner/factors.ts'
import type { FreshConfirmation } from '../confirm/fresh-confirmation.ts'
import { newRecoveryCodes } from '../factors/recovery-codes.ts'
import { answerJson } from '../web/answer.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import { CONFIRMED_SCHEMA, type ConfirmedBody } from './factors.schema.ts'
import { answerResources, isoTime } from './json-api.ts'
import { createJsonReader } from './json-body.ts'
import { confirmedOwner, ownerOf } from './settings-owner.ts'

/** What {@link createFactorSettings} needs. */
export interface FactorSettingsOptions {
  readonly owners: OwnerStore
  readonly factorChanges: FactorChanges
  readonly freshConfirmation: FreshConfirmation
  readonly clock: { now(): number }
  readonly namespace: string
}

export interface FactorSettings {
  /** `GET /settings/factors` */
  show(ctx: RouteContext): Promise<void>
  /** `POST /settings/factors/recovery_codes` */
  createRecoveryCodes(ctx: RouteContext): Promise<void>
  /** `DELETE /settings/factors/recovery_codes` */
  removeRecoveryCodes(ctx: RouteContext): Promise<void>
  /** `DELETE /settings/factors/passkeys/:id` */
  removePasskey(ctx: RouteContext): Promise<void>
}

/** The second factor in the settings app. @see login.md 7, decision D63 */
export function createFactorSettings(options: FactorSettingsOptions): FactorSettings {
  const { owners, factorChanges, clock, namespace } = options
  const readConfirmed = createJsonReader<ConfirmedBody>(CONFIRMED_SCHEMA)
  const demandOwner = (ctx: RouteContext): Promise<Owner> =>
    confirmedOwner(ctx, readConfirmed(ctx), options)

  return {
    async show(ctx) {
      const { factors = {} } = await ownerOf(ctx, owners)
      answerResources(ctx, {
        type: `${namespace}.settings`,
        id: `${namespace}.settings.factors`,
        attributes: toWire(factors, ctx.state.instance.email),
      })
    },

    async createRecoveryCodes(ctx) {
      const owner = await demandOwner(ctx)
      const { codes, recovery } = newRecoveryCodes(ctx.state.instance, clock.now())
      await factorChanges.apply(ctx, owner, {
        factor: 'recovery',
        what: 'recovery_codes_created',
        next: (factors) => {
          if (isSecondFactorOn(factors)) return { ...factors, recovery }
          const description = 'recovery codes stand beside another factor'
          throw new AuthUiError('factor_needed', { description })
        },
      })
      answerJson(ctx, { codes })
    },

    async removeRecoveryCodes(ctx) {
      const owner = await demandOwner(ctx)
      await factorChanges.apply(ctx, owner, {
        factor: 'recovery',
        what: 'factor_removed',
        next: (factors) =>
          factors.recovery === undefined ? undefined : withoutFactor(factors, 'recovery'),
      })
      ctx.status = 204
    },

    async removePasskey(ctx) {
      const owner = await demandOwner(ctx)
      const id = String((ctx as { params?: { id?: unknown } }).params?.id)
      const outcome = await factorChanges.apply(ctx, owner, {
        factor: 'passkey',
        what: 'factor_removed',
        next: (factors) => withoutPasskey(factors, id),
      })
      if (outcome === 'nothing') throw new AuthUiError('not_found')
      ctx.status = 204
    },
  }
}

function withoutPasskey(factors: Factors, id: string): Factors | undefined {
  const { passkeys = [], ...rest } = factors
  const left = passkeys.filter((passkey) => passkey.id !== id)
  if (left.length === passkeys.length) return undefined
  return left.length === 0 ? rest : { ...rest, passkeys: left }
}

/** Never a secret, a key or a whole address. */
function toWire(factors: Factors, email: string | undefined): Readonly<Record<string, unknown>> {
  const { mail, totp, passkeys = [], recovery } = factors
  return {
    auth_mode: isSecondFactorOn(factors) ? 'two_factor_mail' : 'basic',
    mail: {
      enabled: mail !== undefined,
      ...(mail === undefined ? {} : { enabled_at: isoTime(mail.enabledAt) }),
      ...(email === undefined || email === '' ? {} : { address: masked(email) }),
    },
    totp: totp === undefined ? null : times(totp),
    passkeys: passkeys.map((passkey) => ({
      id: passkey.id,
      label: passkey.label,
      ...times(passkey),
    })),
    recovery:
      recovery === undefined
        ? null
        : { left: recovery.hashes.length, created_at: isoTime(recovery.createdAt) },
  }
}

function times(used: {
  readonly createdAt: number
  readonly lastUsed?: number
}): Readonly<Record<string, string>> {
  return {
    created_at: isoTime(used.createdAt),
    ...(used.lastUsed === undefined ? {} : { last_used: isoTime(used.lastUsed) }),
  }
}

/** Enough to recognise it by: `a…@example.com`. */
function masked(email: string): string {
  const at = email.lastIndexOf('@')
  return `${[...email][0] ?? ''}…${email.slice(at)}`
}
