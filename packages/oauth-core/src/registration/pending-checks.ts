import { type Instance, type InstanceId, MINUTE_MS } from '@svc/platform'
import type { Store } from '@svc/store'
import { LRUCache } from 'lru-cache'
import type { Client } from '../clients/client.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { OAuthServices } from '../services.ts'
import { CLIENT_QUEUE, revokeClient } from './end-client.ts'

/** Instances whose next wake-up is remembered. */
const REMEMBERED = 1000
/** A wake-up that comes sooner may have looked before what is stored now. */
const MARGIN_MS: number = MINUTE_MS
const SWEEP = 10
const PAGE = 100

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
    this.#pendingMs = pendingClientMs
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

/** Whether nobody allowed the client in time. */
export function isOverdue(
  { clock, lifetimes }: Pick<OAuthServices, 'clock' | 'lifetimes'>,
  { pending, createdAt }: Client,
): boolean {
  return pending && clock.now() - createdAt >= lifetimes.pendingClientMs
}

/** Removes some overdue clients whose wake-up never came. */
export async function sweepPending(services: OAuthServices, instance: Instance): Promise<void> {
  const page = await services.clients.list(instance, 'pending', { limit: SWEEP })
  for (const client of page.clients) await revokeOverdue(services, instance, client)
}

/** Removes all overdue clients of an instance, and asks for a wake-up when the next one may be. */
export async function endPending(services: OAuthServices, instance: Instance): Promise<void> {
  const { clients, lifetimes, store } = services
  let after: { readonly cursor?: string } = {}
  do {
    const page = await clients.list(instance, 'pending', { limit: PAGE, ...after })
    for (const client of page.clients) {
      if (!isOverdue(services, client)) {
        const when = client.createdAt + lifetimes.pendingClientMs
        return store.scheduler.at(CLIENT_QUEUE, instance.id, when)
      }
      await revokeOverdue(services, instance, client)
    }
    after = page.cursor === undefined ? {} : { cursor: page.cursor }
  } while (after.cursor !== undefined)
}

/** Removes the client when nobody allowed it in time. */
export async function revokeOverdue(
  services: OAuthServices,
  instance: Instance,
  client: Client,
): Promise<void> {
  if (!isOverdue(services, client)) return
  // Asked again about the record that goes: the owner may be allowing the client right now.
  const rule = (stored: Client): boolean => isOverdue(services, stored)
  await revokeClient(services, instance, client.id, 'pending', { rule })
}
