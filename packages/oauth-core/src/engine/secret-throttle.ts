import type { Instance, RateLimit } from '@svc/platform'
import { type Json, type Key, recordKey, type Store } from '@svc/store'
import { LRUCache } from 'lru-cache'
import type { OAuthLog } from '../log/log-events.ts'

/** Who presented a wrong secret. */
export interface Suspect {
  readonly instance: Instance
  readonly clientId: string
  readonly address: string
}

export interface SecretThrottleOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly log: OAuthLog
  readonly limit: RateLimit
}

const CHANNEL = 'oauth.secrets-throttled'
/** Of messages as they are written now; one without a version has the first. */
const VERSION = 1
const MAX_BLOCKED = 50_000

/**
 * Counts wrong client secrets per client and address, so that nobody can stop a device's refreshes (D61). The counter
 * is shared by all processes; that it is full is remembered here and published to the others, so that requests which
 * present the right secret cost no look-up (docs/decisions/0010).
 */
export class SecretThrottle {
  readonly #options: SecretThrottleOptions
  /** End of the window of each full counter. A `max` would take the memory of all of them at once. */
  readonly #blocked = new LRUCache<string, number>({
    maxSize: MAX_BLOCKED,
    sizeCalculation: () => 1,
  })
  readonly #listening: Promise<(() => Promise<void>) | undefined>

  constructor(options: SecretThrottleOptions) {
    this.#options = options
    const { store, log } = options
    this.#listening = store.bus
      .subscribe(CHANNEL, (message) => {
        const full = fromMessage(message)
        if (full === undefined) return 'unknown'
        this.#blocked.set(full.key, full.until)
        return undefined
      })
      .catch((cause: unknown) => {
        log.warn('throttle.not_subscribed', { cause: String(cause) })
        return undefined
      })
  }

  /** Whether secrets are refused without being compared. */
  isBlocked(suspect: Suspect): boolean {
    if (this.#blocked.size === 0) return false
    const until = this.#blocked.get(counterKey(suspect))
    return until !== undefined && until > this.#options.clock.now()
  }

  /** Counts a wrong secret. */
  async countWrong(suspect: Suspect): Promise<void> {
    const { store, log, limit } = this.#options
    const key = counterKey(suspect)
    const { count, resetsAt } = await store.hit(key, limit.windowMs)
    if (count < limit.limit) return
    this.#blocked.set(key, resetsAt)
    await store.bus
      .publish(CHANNEL, { v: VERSION, key, until: resetsAt })
      .catch((cause: unknown) => {
        log.warn('throttle.not_published', { cause: String(cause) })
      })
  }

  async close(): Promise<void> {
    const stop = await this.#listening
    await stop?.()
  }
}

function counterKey({ instance, clientId, address }: Suspect): Key {
  return recordKey(instance.id, 'rate', `token:${clientId}:${address.slice(0, 64)}`)
}

function fromMessage(message: Json): { key: string; until: number } | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined
  const { v = 1, key, until } = message as Readonly<Record<string, Json | undefined>>
  if (v !== VERSION) return undefined
  return typeof key === 'string' && typeof until === 'number' ? { key, until } : undefined
}
