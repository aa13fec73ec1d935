import { type Key, recordKey, type Store } from '@svc/store'
import type { Instance } from '../instances/instance.ts'
import type { RateLimit } from '../rate-limit.ts'

/** Who presented a wrong secret. */
export interface Suspect {
  readonly instance: Instance
  readonly clientId: string
  readonly address: string
}

/**
 * Counts wrong client secrets per client and address, so that nobody can stop a device's refreshes (D61). Over the
 * limit a mark is left that lasts as long as the window: a request reads it with everything else it reads.
 */
export interface SecretThrottle {
  /** Where the mark of a suspect stands. While it does, secrets are refused without being compared. */
  keyOf(suspect: Suspect): Key
  failed(suspect: Suspect): Promise<void>
}

export function createSecretThrottle(store: Store, limit: RateLimit): SecretThrottle {
  const idOf = ({ clientId, address }: Suspect) => `${clientId}:${address.slice(0, 64)}`
  const keyOf = (suspect: Suspect) =>
    recordKey(suspect.instance.id, 'throttled-client', idOf(suspect))

  return {
    keyOf,
    async failed(suspect) {
      const counter = recordKey(suspect.instance.id, 'rate', `token:${idOf(suspect)}`)
      const { count, resetsAt } = await store.hit(counter, limit.windowMs)
      if (count < limit.limit) return
      await store.write([{ op: 'put', key: keyOf(suspect), value: {}, expiresAt: resetsAt }])
    },
  }
}
