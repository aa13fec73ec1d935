import { setTimeout as sleep } from 'node:timers/promises'
import { type Instance, randomId } from '@svc/platform'
import {
  type Change,
  recordKey,
  type Revision,
  type Store,
  StoreUnavailableError,
} from '@svc/store'

/** The right to ask the provider for an account's tokens; of one holder at a time, over all processes. */
export interface RefreshLock {
  /** Writes in one step with the proof that the lock is still held. False: it is not, and nothing was written. */
  write(changes: readonly Change[]): Promise<boolean>
  /** Gives it back together with last changes. False: it was lost before, and nothing was written. */
  release(changes?: readonly Change[]): Promise<boolean>
}

export interface RefreshLocks {
  /**
   * Waits for the lock, longer than one lives whose holder died. Undefined: it was not free in time.
   * @param waitMs - instead of so long
   * @throws StoreUnavailableError
   */
  acquire(
    instance: Pick<Instance, 'id'>,
    accountId: string,
    waitMs?: number,
  ): Promise<RefreshLock | undefined>
}

/** Between two tries, milliseconds. */
const SHORTEST_PAUSE_MS = 50
const PAUSE_RANGE_MS = 100

export function createRefreshLocks(options: {
  readonly store: Store
  readonly clock: { now(): number }
  readonly lifetimes: { readonly refreshLock: number; readonly refreshWait: number }
}): RefreshLocks {
  const { store, clock, lifetimes } = options

  return {
    async acquire(instance, accountId, waitMs = lifetimes.refreshWait) {
      const key = recordKey(instance.id, 'account-lock', accountId)
      // Not of the clock, which may be set meanwhile: somebody waits for an answer.
      const deadline = performance.now() + waitMs
      for (;;) {
        const now = clock.now()
        const put = { op: 'put', key, value: { since: now }, ifAbsent: true } as const
        const result = await store.write([{ ...put, expiresAt: now + lifetimes.refreshLock }])
        if (result.written) return hold(key, result.revision)
        if (performance.now() >= deadline) return undefined
        await sleep(SHORTEST_PAUSE_MS + Math.random() * PAUSE_RANGE_MS)
      }
    },
  }

  /** Every step is of the revision of the step before: nobody ever touches a lock that is another's by now. */
  function hold(key: ReturnType<typeof recordKey>, first: Revision): RefreshLock {
    let revision: Revision | undefined = first
    /** Of a step whose outcome is unknown: its repeat answers what it did. */
    let renewal: { readonly id: string; readonly expiresAt: number } | undefined
    let queue: Promise<unknown> = Promise.resolve()
    const timer = setInterval(() => {
      inOrder(renew).catch(() => {}) // The next one tries again; the lock outlives two of them.
    }, lifetimes.refreshLock / 3)
    timer.unref()

    function inOrder<Result>(step: () => Promise<Result>): Promise<Result> {
      const run = queue.then(step)
      queue = run.catch(() => {})
      return run
    }

    async function renew(): Promise<void> {
      if (revision === undefined) return
      renewal ??= { id: randomId(), expiresAt: clock.now() + lifetimes.refreshLock }
      const { id, expiresAt } = renewal
      const touch = { op: 'touch', key, expiresAt, ifRevision: revision } as const
      const result = await store.write([touch], { id })
      renewal = undefined
      lost(result.written ? result.revision : undefined)
    }

    function lost(next: Revision | undefined): void {
      revision = next
      if (next === undefined) clearInterval(timer)
    }

    async function settle(): Promise<void> {
      if (renewal !== undefined) await renew()
    }

    return {
      write: (changes) =>
        inOrder(async () => {
          await settle()
          if (revision === undefined) return false
          const check = { op: 'check', key, ifRevision: revision } as const
          const { written } = await repeated([check, ...changes])
          if (!written) lost(undefined)
          return written
        }),
      release: (changes = []) => {
        clearInterval(timer)
        return inOrder(async () => {
          await settle()
          if (revision === undefined) return false
          const remove = { op: 'delete', key, ifRevision: revision } as const
          revision = undefined
          return (await repeated([remove, ...changes])).written
        })
      },
    }
  }

  /** Once more when the answer was lost: the same write, which is done once. @see decision D6 */
  async function repeated(changes: readonly Change[]) {
    const id = randomId()
    try {
      return await store.write(changes, { id })
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      return store.write(changes, { id })
    }
  }
}
