import { type Instance, randomAlphanumeric } from '@svc/platform'
import { type Key, secretKey, type Store } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import type { RateLimits } from '../rate-limits.ts'
import { parseSessionId, type SessionId } from './session.ts'
import { AuthUiError } from '../errors.ts'

/** Codes that hand a session to one app host, where it has a cookie of its own (flat subdomains). @see login.md 9.2 */
export interface TransferCodes {
  /** @throws AuthUiError `cookies_blocked` when the app host asks again and again */
  mint(instance: Instance, slug: string, session: SessionId): Promise<string>
  /** The session of a code for this app, once. A code presented to another app stays good for its own. */
  redeem(instance: Instance, slug: string, code: string): Promise<SessionId | undefined>
}

/** What {@link createTransferCodes} needs. */
export interface TransferCodesOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly lifetimes: Lifetimes
  readonly limits: RateLimits
}

const CODE = /^[A-Za-z0-9]{32}$/

/** Codes are kept as hashes and taken in one step. */
export function createTransferCodes(options: TransferCodesOptions): TransferCodes {
  const { store, clock, lifetimes, limits } = options
  return {
    async mint(instance, slug, session) {
      try {
        await limits.hit(instance, 'transfer-code', `${session}:${slug}`)
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'rate_limited') throw error
        throw new AuthUiError('cookies_blocked', { cause: error })
      }
      const code = randomAlphanumeric(32)
      await store.write([
        {
          op: 'put',
          key: keyOf(instance, slug, code),
          value: { session },
          expiresAt: clock.now() + lifetimes.transferCode,
        },
      ])
      return code
    },
    async redeem(instance, slug, code) {
      if (!CODE.test(code)) return undefined
      const record = await store.take<{ session: string }>(keyOf(instance, slug, code))
      return record === undefined ? undefined : parseSessionId(record.value.session)
    },
  }
}

function keyOf(instance: Instance, slug: string, code: string): Key {
  // The app is part of what is hashed: on the wrong host the code is simply unknown.
  return secretKey(instance.id, 'transfer-code', `${slug}:${code}`)
}
