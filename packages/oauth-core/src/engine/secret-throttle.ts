import { type Json, type Key, recordKey, type Store } from '@svc/store'
import { LRUCache } from 'lru-cache'
import type { Instance, Logger, RateLimit } from '@svc/platform'

/** Who presented a wrong secret. */
export interface Suspect {
  readonly instance: Instance
  readonly clientId: string
  readonly address: string
}

/**
 * Counts wrong client secrets per client and address, so that nobody can stop a device's refreshes (D61). The counter
 * is shared by all processes; that it is full is remembered here and told to the others, so that requests which
 * present the right secret cost no look-up (docs/decisions/0010).
 */
export interface SecretThrottle {
  /** Whether secrets are refused without being compared. */
  isBlocked(suspect: Suspect): boolean
  /** Counts a wrong secret. */
  failed(suspect: Suspect): Promise<void>
  close(): Promise<void>
}

export interface SecretThrottleOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly log: Logger
  readonly limit: RateLimit
}

const CHANNEL = 'oauth.secrets-throttled'
const MAX_BLOCKED = 50_000

export function createSecretThrottle(options: SecretThrottleOptions): SecretThrottle {
  const { store, clock, log, limit } = options
  /** End of the window of each full counter. */
  const blocked = new LRUCache<string, number>({ max: MAX_BLOCKED })
  const listening = store.bus
    .subscribe(CHANNEL, (message) => {
      const told = fromMessage(message)
      if (told !== undefined) blocked.set(told.key, told.until)
    })
    .catch((cause: unknown) => {
      log.warn('throttle.not_subscribed', { cause: String(cause) })
      return undefined
    })

  function keyOf({ instance, clientId, address }: Suspect): Key {
    return recordKey(instance.id, 'rate', `token:${clientId}:${address.slice(0, 64)}`)
  }

  return {
    isBlocked(suspect) {
      if (blocked.size === 0) return false
      const until = blocked.get(keyOf(suspect))
      return until !== undefined && until > clock.now()
    },

    async failed(suspect) {
      const key = keyOf(suspect)
      const { count, resetsAt } = await store.hit(key, limit.windowMs)
      if (count < limit.limit) return
      blocked.set(key, resetsAt)
      await store.bus.publish(CHANNEL, { key, until: resetsAt }).catch((cause: unknown) => {
        log.warn('throttle.not_published', { cause: String(cause) })
      })
    },

    async close() {
      const stop = await listening
      await stop?.()
    },
  }
}

function fromMessage(message: Json): { key: string; until: number } | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined
  const { key, until } = message as Readonly<Record<string, Json | undefined>>
  return typeof key === 'string' && typeof until === 'number' ? { key, until } : undefined
}
