import type { Instance, RouteContext } from '@svc/platform'
import { type Json, type Key, recordKey, type Store } from '@svc/store'
import { encode } from 'uqr'
import { AuthUiError } from '../errors.ts'
import { type FactorChanges, withFirstMail, withoutFactor } from '../factors/factor-changes.ts'
import type { TotpFactor } from '../factors/factors.ts'
import type { FreshConfirmation } from '../factors/fresh-confirmation.ts'
import type { Totp } from '../factors/totp.ts'
import type { Lifetimes } from '../lifetimes.ts'
import { answerJson } from '../login/arrival.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import { isWithinLimit, type RateLimits } from '../rate-limits.ts'
import {
  CONFIRMED_SCHEMA,
  type ConfirmedBody,
  TOTP_SCHEMA,
  type TotpBody,
} from './factors.schema.ts'
import { createJsonReader } from './json-body.ts'
import { confirmedOwner, ownerOf } from './settings-owner.ts'

/** What {@link createTotpSettings} needs. */
export interface TotpSettingsOptions {
  readonly store: Store
  readonly owners: OwnerStore
  readonly totp: Totp
  readonly factorChanges: FactorChanges
  readonly freshConfirmation: FreshConfirmation
  readonly limits: RateLimits
  readonly lifetimes: Lifetimes
  readonly clock: { now(): number }
}

export interface TotpSettings {
  /** `POST /settings/factors/totp`: a new secret, not in use yet. */
  begin(ctx: RouteContext): Promise<void>
  /** `PUT /settings/factors/totp`: a code of it switches it on. */
  finish(ctx: RouteContext): Promise<void>
  /** `DELETE /settings/factors/totp` */
  remove(ctx: RouteContext): Promise<void>
}

/** The factor as it will be, its secret sealed. */
interface Pending {
  readonly stamp: string
  readonly factor: TotpFactor
}

/** Cells around the code, as its standard asks. */
const QUIET_ZONE = 4

/** One enrolment at a time: a new one replaces the one before. */
export function createTotpSettings(options: TotpSettingsOptions): TotpSettings {
  const { store, owners, totp, factorChanges, limits, clock } = options
  const readConfirmed = createJsonReader<ConfirmedBody>(CONFIRMED_SCHEMA)
  const readCode = createJsonReader<TotpBody>(TOTP_SCHEMA)
  const demandOwner = (ctx: RouteContext): Promise<Owner> =>
    confirmedOwner(ctx, readConfirmed(ctx), options)

  return {
    async begin(ctx) {
      const owner = await demandOwner(ctx)
      const { instance } = ctx.state
      const { factor, secret, uri } = totp.create(instance)
      const pending: Pending = { stamp: owner.securityStamp, factor }
      await store.write([
        {
          op: 'put',
          key: keyOf(instance),
          value: toJson(pending),
          expiresAt: clock.now() + options.lifetimes.totpEnrolment,
        },
      ])
      answerJson(ctx, { secret, uri, qr: qrRows(uri) })
    },

    async finish(ctx) {
      const { code } = readCode(ctx)
      const { instance } = ctx.state
      const owner = await ownerOf(ctx, owners)
      const record = await store.get(keyOf(instance))
      // Only this file writes these records.
      const pending = record?.value as unknown as Pending | undefined
      if (record === undefined || pending?.stamp !== owner.securityStamp) {
        throw new AuthUiError('not_found')
      }
      const { id } = pending.factor
      // Counted before it is compared; after the last try nothing is pending any more.
      const hasTriesLeft = await isWithinLimit(limits, instance, 'totp-enrolment', id)
      if (!hasTriesLeft) throw new AuthUiError('not_found')
      const accepted = totp.accept(instance, pending.factor, code)
      if (accepted === undefined) throw new AuthUiError('two_factor_invalid', { status: 422 })
      const { lastUsed: _proof, ...factor } = accepted
      const outcome = await factorChanges.apply(ctx, owner, {
        factor: 'totp',
        what: 'factor_added',
        next: (factors) => {
          const { email } = instance
          return withFirstMail(factors, { ...factors, totp: factor }, { email, now: clock.now() })
        },
        also: [{ op: 'delete', key: record.key, ifRevision: record.revision }],
      })
      if (outcome === 'spent') throw new AuthUiError('not_found')
      ctx.status = 204
    },

    async remove(ctx) {
      const owner = await demandOwner(ctx)
      const outcome = await factorChanges.apply(ctx, owner, {
        factor: 'totp',
        what: 'factor_removed',
        next: (factors) =>
          factors.totp === undefined ? undefined : withoutFactor(factors, 'totp'),
      })
      if (outcome === 'nothing') throw new AuthUiError('not_found')
      ctx.status = 204
    },
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
