import type { Instance, RouteContext } from '@svc/platform'
import { type Change, type Json, type Key, recordKey, type Revision, type Store } from '@svc/store'
import { encode } from 'uqr'
import { AuthUiError } from '../errors.ts'
import { type FactorChanges, withoutFactor, withTotp } from '../factors/factor-changes.ts'
import type { RecoveryCodes, TotpFactor } from '../owner/factors.ts'
import type { FreshConfirmation } from '../confirm/fresh-confirmation.ts'
import { newRecoveryCodes } from '../factors/recovery-codes.ts'
import type { Totp } from '../factors/totp.ts'
import type { Lifetimes } from '../lifetimes.ts'
import { answerJson } from '../web/answer.ts'
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
  /** `PUT /settings/factors/totp`: a code of it switches it on; alone, only once recovery codes were kept. */
  finish(ctx: RouteContext): Promise<void>
  /** `DELETE /settings/factors/totp` */
  remove(ctx: RouteContext): Promise<void>
}

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

/** Cells around the code, as its standard asks. */
const QUIET_ZONE = 4

/** One enrolment at a time: a new one replaces the one before. */
export function createTotpSettings(options: TotpSettingsOptions): TotpSettings {
  const { store, owners, totp, factorChanges, limits, clock } = options
  const readConfirmed = createJsonReader<ConfirmedBody>(CONFIRMED_SCHEMA)
  const readStep = createJsonReader<TotpBody>(TOTP_SCHEMA)
  const demandOwner = (ctx: RouteContext): Promise<Owner> =>
    confirmedOwner(ctx, readConfirmed(ctx), options)

  /** @throws AuthUiError `not_found` */
  async function findPending(ctx: RouteContext): Promise<Found> {
    const owner = await ownerOf(ctx, owners)
    const record = await store.get(keyOf(ctx.state.instance))
    // Only this file writes these records.
    const pending = record?.value as unknown as Pending | undefined
    if (record === undefined || pending?.stamp !== owner.securityStamp) {
      throw new AuthUiError('not_found')
    }
    return { owner, pending, revision: record.revision }
  }

  /** @throws AuthUiError `not_found` after the last try; `two_factor_invalid` */
  async function accept(ctx: RouteContext, factor: TotpFactor, code: string): Promise<TotpFactor> {
    const { instance } = ctx.state
    // Counted before it is compared; after the last try nothing is pending any more.
    const hasTriesLeft = await isWithinLimit(limits, instance, 'totp-enrolment', factor.id)
    if (!hasTriesLeft) throw new AuthUiError('not_found')
    const accepted = totp.accept(instance, factor, code)
    if (accepted === undefined) throw new AuthUiError('two_factor_invalid', { status: 422 })
    await limits.release(instance, 'totp-enrolment', factor.id)
    const { lastUsed: _proof, ...proven } = accepted
    return proven
  }

  /** On with the code where something else stands beside the app; otherwise recovery codes come first. */
  async function prove(ctx: RouteContext, found: Found, code: string): Promise<void> {
    const factor = await accept(ctx, found.pending.factor, code)
    if (!(await turnOn(ctx, found, factor))) await offerCodes(ctx, found, factor)
    else ctx.status = 204
  }

  /** Nothing is on yet: the codes wait with the app until the owner has them. OPEN(0229) */
  async function offerCodes(ctx: RouteContext, found: Found, factor: TotpFactor): Promise<void> {
    const { instance } = ctx.state
    const { codes, recovery } = newRecoveryCodes(instance, clock.now())
    const { written } = await store.write([
      putPending(instance, { ...found.pending, factor, recovery }, found.revision),
    ])
    if (!written) throw new AuthUiError('not_found')
    answerJson(ctx, { codes })
  }

  async function turnOnWithCodes(ctx: RouteContext, found: Found): Promise<void> {
    const { factor, recovery } = found.pending
    // Nothing was proven yet.
    if (recovery === undefined) throw new AuthUiError('not_found')
    await turnOn(ctx, found, factor, recovery)
    ctx.status = 204
  }

  /** False: nothing would stand beside the app. @throws AuthUiError `not_found` */
  async function turnOn(
    ctx: RouteContext,
    { owner, revision }: Found,
    factor: TotpFactor,
    recovery?: RecoveryCodes,
  ): Promise<boolean> {
    const outcome = await factorChanges.apply(ctx, owner, {
      factor: 'totp',
      what: 'factor_added',
      hasRecoveryCodes: recovery !== undefined,
      next: (factors) => withTotp(factors, factor, recovery),
      also: [{ op: 'delete', key: keyOf(ctx.state.instance), ifRevision: revision }],
    })
    if (outcome === 'spent') throw new AuthUiError('not_found')
    return outcome === 'done'
  }

  function putPending(instance: Instance, pending: Pending, revision?: Revision): Change {
    return {
      op: 'put',
      key: keyOf(instance),
      value: toJson(pending),
      expiresAt: clock.now() + options.lifetimes.totpEnrolment,
      ...(revision === undefined ? {} : { ifRevision: revision }),
    }
  }

  return {
    async begin(ctx) {
      const owner = await demandOwner(ctx)
      const { instance } = ctx.state
      const { factor, secret, uri } = totp.create(instance)
      await store.write([putPending(instance, { stamp: owner.securityStamp, factor })])
      answerJson(ctx, { secret, uri, qr: qrRows(uri) })
    },

    async finish(ctx) {
      const { code, kept } = readStep(ctx)
      if ((code === undefined) === (kept === undefined)) {
        throw new AuthUiError('invalid_parameter', { description: 'either code or kept' })
      }
      const found = await findPending(ctx)
      if (kept === true) await turnOnWithCodes(ctx, found)
      else await prove(ctx, found, code ?? '')
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
