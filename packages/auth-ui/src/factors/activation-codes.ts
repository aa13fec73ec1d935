import { hkdfSync } from 'node:crypto'
import { type Instance, type Keyring, MINUTE_MS, randomId, type RouteContext } from '@svc/platform'
import { type Change, type Key, recordKey, type Store } from '@svc/store'
import { generateSync } from 'otplib'
import { AuthUiError } from '../errors.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { Owner } from '../owner/owner.ts'
import type { Mailer } from '../ports.ts'
import { isWithinLimit, type RateLimits } from '../rate-limits.ts'
import type { DescribeRequest } from '../web/request-facts.ts'
import { isPasscode } from './passcode.ts'

/** Codes that prove the owner reads the mails before mailed passcodes are switched on. */
export interface ActivationCodes {
  /**
   * Mails a code; an earlier one is dead.
   * @throws AuthUiError `rate_limited`, `mail_failed`, `invalid_parameter` (no address)
   */
  send(ctx: RouteContext, owner: Owner): Promise<void>
  /**
   * The change that uses the code up, or undefined when it is not right, or no longer.
   * @throws AuthUiError `rate_limited`
   */
  check(ctx: RouteContext, owner: Owner, typed: string): Promise<Change | undefined>
}

/** What {@link createActivationCodes} needs. */
export interface ActivationCodesOptions {
  readonly store: Store
  readonly keyring: Keyring
  readonly limits: RateLimits
  readonly mailer: Mailer
  readonly describeRequest: DescribeRequest
  readonly lifetimes: Lifetimes
  readonly clock: { now(): number }
}

/** The code itself is not stored: it follows from key, address and the time it was sent. */
type Pending = {
  /** Of the counter of wrong tries. */
  readonly id: string
  readonly stamp: string
  readonly address: string
  /** Milliseconds since the epoch. */
  readonly sentAt: number
}

const PERIOD_S = 60

/** One code at a time: five minutes, five tries. @see login.md 3.4 */
export function createActivationCodes(options: ActivationCodesOptions): ActivationCodes {
  const { store, keyring, limits, mailer, lifetimes, clock } = options

  async function codeOf(instance: Instance, { address, sentAt }: Pending): Promise<string> {
    const { secret } = await keyring.current(instance, 'session')
    const key = Buffer.concat([Buffer.from('2:'), secret])
    return activationCode(key, address, Math.floor(sentAt / 1000))
  }

  /** Counted before it is compared, so that parallel guesses count one by one. */
  async function isRight(instance: Instance, pending: Pending, typed: string): Promise<boolean> {
    const releaseTry = () => limits.release(instance, 'activation-code', pending.id)
    if (!(await isWithinLimit(limits, instance, 'activation-code', pending.id))) return false
    try {
      await limits.hit(instance, 'two-factor')
    } catch (error) {
      // Nothing was compared.
      await releaseTry()
      throw error
    }
    if (!isPasscode(await codeOf(instance, pending), typed)) return false
    await limits.release(instance, 'two-factor')
    await releaseTry()
    return true
  }

  return {
    async send(ctx, owner) {
      const { instance } = ctx.state
      const { email: address = '' } = instance
      if (address === '') {
        const description = 'the instance has no mail address'
        throw new AuthUiError('invalid_parameter', { description })
      }
      await limits.hit(instance, 'two-factor-generation')
      const now = clock.now()
      const pending = { id: randomId(), stamp: owner.securityStamp, address, sentAt: now }
      const key = keyOf(instance)
      const expiresAt = now + lifetimes.activationCode
      await store.write([{ op: 'put', key, value: pending, expiresAt }])
      try {
        await mailer.send(instance, {
          template: 'two_factor_mail_confirmation',
          variables: {
            ...(await options.describeRequest(ctx)),
            code: await codeOf(instance, pending),
            minutes: Math.ceil(lifetimes.activationCode / MINUTE_MS),
          },
        })
      } catch (cause) {
        await store.write([{ op: 'delete', key }])
        throw new AuthUiError('mail_failed', { cause })
      }
    },
    async check(ctx, owner, typed) {
      const { instance } = ctx.state
      const record = await store.get<Pending>(keyOf(instance))
      if (record === undefined) return undefined
      const { value: pending, key, revision } = record
      if (pending.stamp !== owner.securityStamp || pending.address !== instance.email) {
        return undefined
      }
      if (!(await isRight(instance, pending, typed))) return undefined
      return { op: 'delete', key, ifRevision: revision }
    },
  }
}

/**
 * Six digits of HKDF and TOTP (SHA-256, 60 s), as existing servers make them.
 * @param key - `2:` followed by the session secret
 * @param timeS - seconds since the epoch
 * @see login.md 3.4
 */
export function activationCode(key: Uint8Array, address: string, timeS: number): string {
  return generateSync({
    secret: new Uint8Array(hkdfSync('sha256', key, '', address, 32)),
    algorithm: 'sha256',
    digits: 6,
    period: PERIOD_S,
    epoch: timeS,
  })
}

function keyOf(instance: Instance): Key {
  return recordKey(instance.id, 'activation-code', 'mail')
}
