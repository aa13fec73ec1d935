import type { Instance } from '@svc/platform'
import { type Change, type Json, type Key, recordKey, type Store } from '@svc/store'

/** Offers that wait for the answer of one owner. */
interface PendingOffer {
  readonly id: string
  /** Id of the instance that offers. */
  readonly from: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Bounds what others can have wait for an owner. Whoever accepts or removes says so; what expired needs nobody. */
export interface PendingOffers {
  /**
   * Writes an offer, and remembers that it waits, unless too many do already.
   * @param put - the change that stores the offer
   */
  add(invited: Instance, offer: PendingOffer, put: Change): Promise<boolean>
  /**
   * Forgets an offer in the write that brings what came of it.
   * @param changes - what else is written, asked anew after a lost race; undefined: there is no such offer any more
   * @returns false without an offer
   */
  settle(
    invited: Instance,
    id: string,
    changes: () => Promise<readonly Change[] | undefined>,
  ): Promise<boolean>
  /** Forgets all of an instance; their records are the caller's. */
  removeAll(invited: Instance): Promise<void>
}

/** Of one sharer; of all of them together, so that the invited owner's store stays small whatever the others do. */
const MAX_OF_SENDER = 10
const MAX_OF_ALL = 100

/** Which offers wait then, and what else is written. */
interface Next {
  readonly pending: readonly PendingOffer[]
  readonly changes: readonly Change[]
}

/** One record an owner, changed together with the offers: of parallel changes one is written, the others look anew. */
export function createPendingOffers(options: {
  readonly store: Store
  readonly clock: { now(): number }
}): PendingOffers {
  const { store, clock } = options

  /** @param change - undefined: nothing is written */
  async function update(
    { id: instanceId }: Instance,
    change: (pending: readonly PendingOffer[]) => Promise<Next | undefined>,
  ): Promise<boolean> {
    const key = keyOf(instanceId)
    for (;;) {
      const record = await store.get(key)
      // Only this file writes these records.
      const known = (record?.value ?? []) as unknown as readonly PendingOffer[]
      const next = await change(known.filter(({ expiresAt }) => expiresAt > clock.now()))
      if (next === undefined) return false
      const { written } = await store.write([
        ...next.changes,
        {
          op: 'put',
          key,
          value: next.pending as unknown as Json, // Interfaces have no index signature; these are plain JSON.
          expiresAt: Math.max(...next.pending.map(({ expiresAt }) => expiresAt), clock.now()),
          ...(record === undefined ? { ifAbsent: true } : { ifRevision: record.revision }),
        },
      ])
      if (written) return true
    }
  }

  return {
    add: (invited, offer, put) =>
      update(invited, async (pending) => {
        const ofSender = pending.filter(({ from }) => from === offer.from)
        if (pending.length >= MAX_OF_ALL || ofSender.length >= MAX_OF_SENDER) return undefined
        return { pending: [...pending, offer], changes: [put] }
      }),
    settle: (invited, id, changes) =>
      update(invited, async (pending) => {
        const others = pending.filter((offer) => offer.id !== id)
        const found = await changes()
        return found && { pending: others, changes: found }
      }),
    async removeAll({ id }) {
      await store.write([{ op: 'delete', key: keyOf(id) }])
    },
  }
}

function keyOf(instanceId: string): Key {
  return recordKey(instanceId, 'sharing-offers', 'pending')
}
