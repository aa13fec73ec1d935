import { setTimeout as sleep } from 'node:timers/promises'
import { type Instance, randomId } from '@svc/platform'
import {
  type Change,
  type Key,
  recordKey,
  type Revision,
  StoreUnavailableError,
  type WriteResult,
} from '@svc/store'
import type { ConnectorsServices } from '../services.ts'

type LockServices = Pick<ConnectorsServices, 'clock' | 'lifetimes' | 'store'>

/** Between two tries, milliseconds. */
const SHORTEST_PAUSE_MS = 50
const PAUSE_RANGE_MS = 100

/**
 * Waits for the lock, longer than one lives whose holder died. Undefined: it was not free in time.
 * @param waitMs - instead of so long
 * @throws StoreUnavailableError
 */
export async function acquireRefreshLock(
  services: LockServices,
  instance: Pick<Instance, 'id'>,
  accountId: string,
  waitMs: number = services.lifetimes.refreshWait,
): Promise<RefreshLock | undefined> {
  const { clock, lifetimes, store } = services
  const key = recordKey(instance.id, 'account-lock', accountId)
  // Not of the clock, which may be set meanwhile: somebody waits for an answer.
  const deadline = performance.now() + waitMs
  for (;;) {
    const now = clock.now()
    const put = { op: 'put', key, value: { since: now }, ifAbsent: true } as const
    const result = await store.write([{ ...put, expiresAt: now + lifetimes.refreshLock }])
    if (result.written) return new RefreshLock(services, key, result.revision)
    if (performance.now() >= deadline) return undefined
    await sleep(SHORTEST_PAUSE_MS + Math.random() * PAUSE_RANGE_MS)
  }
}

/** Gives a lock back; one that cannot be given back ends by itself, and the log says so. */
export async function releaseOrLog(
  { log }: Pick<ConnectorsServices, 'log'>,
  { domain }: Pick<Instance, 'domain'>,
  accountId: string,
  lock: RefreshLock,
  changes: readonly Change[] = [],
): Promise<void> {
  try {
    await lock.release(changes)
  } catch (cause) {
    log.warn('account.unlock_failed', { domain, accountId, cause: String(cause) })
  }
}

/**
 * The right to ask the provider for an account's tokens; of one holder at a time, over all processes. Every step is of
 * the revision of the step before: nobody ever touches a lock that is another's by now.
 */
export class RefreshLock {
  readonly #services: LockServices
  readonly #key: Key
  readonly #timer: NodeJS.Timeout
  #revision: Revision | undefined
  /** Of a step whose outcome is unknown: its repeat answers what it did. */
  #renewal: { readonly id: string; readonly expiresAt: number } | undefined
  #queue: Promise<unknown> = Promise.resolve()

  constructor(services: LockServices, key: Key, revision: Revision) {
    this.#services = services
    this.#key = key
    this.#revision = revision
    this.#timer = setInterval(() => {
      this.#inOrder(() => this.#renew()).catch(() => {}) // The next one tries again; the lock outlives two of them.
    }, services.lifetimes.refreshLock / 3)
    this.#timer.unref()
  }

  /** Writes in one step with the proof that the lock is still held. False: it is not, and nothing was written. */
  write(changes: readonly Change[]): Promise<boolean> {
    return this.#inOrder(async () => {
      await this.#settle()
      if (this.#revision === undefined) return false
      const check = { op: 'check', key: this.#key, ifRevision: this.#revision } as const
      const { written } = await this.#writeTwice([check, ...changes])
      if (!written) this.#becomes(undefined)
      return written
    })
  }

  /** Gives it back together with last changes. False: it was lost before, and nothing was written. */
  release(changes: readonly Change[] = []): Promise<boolean> {
    clearInterval(this.#timer)
    return this.#inOrder(async () => {
      await this.#settle()
      if (this.#revision === undefined) return false
      const remove = { op: 'delete', key: this.#key, ifRevision: this.#revision } as const
      this.#revision = undefined
      return (await this.#writeTwice([remove, ...changes])).written
    })
  }

  #inOrder<Result>(step: () => Promise<Result>): Promise<Result> {
    const run = this.#queue.then(step)
    this.#queue = run.catch(() => {})
    return run
  }

  async #renew(): Promise<void> {
    if (this.#revision === undefined) return
    const { clock, lifetimes, store } = this.#services
    this.#renewal ??= { id: randomId(), expiresAt: clock.now() + lifetimes.refreshLock }
    const { id, expiresAt } = this.#renewal
    const touch = { op: 'touch', key: this.#key, expiresAt, ifRevision: this.#revision } as const
    const result = await store.write([touch], { id })
    this.#renewal = undefined
    this.#becomes(result.written ? result.revision : undefined)
  }

  #becomes(revision: Revision | undefined): void {
    this.#revision = revision
    if (revision === undefined) clearInterval(this.#timer)
  }

  async #settle(): Promise<void> {
    if (this.#renewal !== undefined) await this.#renew()
  }

  /** Once more when the answer was lost: the same write, which is done once. @see decision D6 */
  async #writeTwice(changes: readonly Change[]): Promise<WriteResult> {
    const id = randomId()
    const { store } = this.#services
    try {
      return await store.write(changes, { id })
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      return store.write(changes, { id })
    }
  }
}
