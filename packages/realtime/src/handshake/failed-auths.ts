import { createHash } from 'node:crypto'
import { OAuthError } from '@svc/oauth-core'
import { type Instance } from '@svc/platform'
import { type Key, recordKey, type Store } from '@svc/store'
import type { RealtimeLog } from '../log/log-events.ts'

export interface FailedAuthsOptions {
  readonly store: Pick<Store, 'hit'>
  readonly clock: { now(): number }
  readonly log: RealtimeLog
  readonly limit: number
  readonly windowMs: number
}

/** Failed AUTH by client address, counted over all processes. @see realtime.md 6 */
export class FailedAuths {
  readonly #options: FailedAuthsOptions

  constructor(options: FailedAuthsOptions) {
    this.#options = options
  }

  /** @throws OAuthError 429 `too_many_requests` while there are too many; 503 when nobody can tell */
  async check(instance: Pick<Instance, 'id'>, address: string): Promise<void> {
    const { store, clock, limit, windowMs } = this.#options
    const { count, resetsAt } = await store.hit(keyOf(instance, address), windowMs, 0)
    if (count >= limit) throw tooMany((resetsAt - clock.now()) / 1000)
  }

  /** Counts one. Never rejects. */
  async note(instance: Pick<Instance, 'id'>, address: string): Promise<void> {
    const { store, log, windowMs } = this.#options
    try {
      await store.hit(keyOf(instance, address), windowMs)
    } catch (cause) {
      log.warn('realtime.failure_not_counted', { cause: String(cause) })
    }
  }
}

/** 429 of a handshake. @param retryAfterS - seconds, rounded up */
export function tooMany(retryAfterS: number): OAuthError {
  const headers = { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterS))) }
  return new OAuthError('too_many_requests', { headers, detail: 'a handshake over the limit' })
}

function keyOf({ id }: Pick<Instance, 'id'>, address: string): Key {
  const digest = createHash('sha256').update(address).digest('base64url')
  return recordKey(id, 'rate', `realtime-auth:${digest}`)
}
