import { type Instance, type InstanceId, MINUTE_MS } from '@svc/platform'
import type { Store } from '@svc/store'
import { LRUCache } from 'lru-cache'
import { type Lifetimes, PENDING_PUBLIC_CLIENT_MS } from '../lifetimes.ts'

/** Wake-ups about a client, by the instance's id and its own; or about all of an instance that nobody allowed. */
export const CLIENT_QUEUE = 'oauth-clients'
/** Instances whose next wake-up is remembered. */
const REMEMBERED = 1000
/** A wake-up that comes sooner may have looked before what is stored now. */
const MARGIN_MS: number = MINUTE_MS

interface AskedWakeUp {
  /** Milliseconds since the epoch. */
  readonly when: number
  /** Resolves when it is kept. */
  readonly kept: Promise<void>
}

/**
 * Asks for looks at clients that nobody allowed: one wake-up for all of an instance. When it comes, it asks for the next.
 * @see oauth.md 3.9; docs/decisions/0710
 */
export class PendingChecks {
  readonly #store: Pick<Store, 'scheduler'>
  readonly #clock: { now(): number }
  readonly #pendingMs: number
  readonly #asked = new LRUCache<InstanceId, AskedWakeUp>({ max: REMEMBERED })

  constructor(
    store: Pick<Store, 'scheduler'>,
    clock: { now(): number },
    { pendingClientMs }: Pick<Lifetimes, 'pendingClientMs'>,
  ) {
    this.#store = store
    this.#clock = clock
    this.#pendingMs = Math.min(pendingClientMs, PENDING_PUBLIC_CLIENT_MS)
  }

  /** Resolves when a wake-up is kept that comes when a client of now is overdue, or before. */
  async schedule({ id }: Instance): Promise<void> {
    const known = this.#askedFor(id)
    if (known !== undefined) return known.kept
    const when = this.#clock.now() + this.#pendingMs
    const asked = { when, kept: this.#store.scheduler.at(CLIENT_QUEUE, id, when) }
    this.#asked.set(id, asked)
    try {
      await asked.kept
    } catch (error) {
      if (this.#asked.get(id) === asked) this.#asked.delete(id)
      throw error
    }
  }

  /** Whether a wake-up of this process's asking is still to come in time for a client of now. */
  isAsked({ id }: Instance): boolean {
    return this.#askedFor(id) !== undefined
  }

  #askedFor(id: InstanceId): AskedWakeUp | undefined {
    const now = this.#clock.now()
    const asked = this.#asked.get(id)
    if (asked === undefined || asked.when <= now + MARGIN_MS) return undefined
    // Later than a client of now is overdue: the clock was set back.
    return asked.when <= now + this.#pendingMs ? asked : undefined
  }
}
