import { DAY_MS, type InstanceId, type Instances } from '@svc/platform'
import {
  type Change,
  describeError,
  recordKey,
  type Store,
  StoreUnavailableError,
} from '@svc/store'
import type { OAuthLog } from '../log/log-events.ts'
import { type AssistantCall, callEntries, type CallRecord, newCallKey } from './call.ts'
import type { BusyWatch } from './busy-watch.ts'
import { foldCalls } from './fold-calls.ts'

/** How long calls are kept one by one. @see assistants.md 5.8 */
export const CALLS_KEPT_MS: number = 7 * DAY_MS
/** How long anything of a call is kept. @see assistants.md 5.8 */
export const COUNTS_KEPT_MS: number = 90 * DAY_MS
/** Calls of a client that are kept one by one. @see assistants.md 5.8 */
export const MAX_CALLS = 20_000

const QUEUE = 'oauth-assistant-calls'
/** Clients that a process remembers to have recorded calls of. */
const REMEMBERED = 10_000

export interface CallLogOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly log: OAuthLog
  readonly instances: Pick<Instances, 'byId'>
  readonly busy: Pick<BusyWatch, 'flush' | 'note'>
  /** @defaultValue `20_000` */
  readonly maxCalls?: number
}

interface Recorded {
  /** The wake-up that was asked for last. Milliseconds since the epoch. */
  wakeAt: number
  /** Calls since this process last looked whether there are too many. */
  sinceLook: number
}

/**
 * What clients of resources did, one entry a call. A client that calls so often that it would have too many is looked
 * at after every twentieth of the most that it may have, and then keeps three quarters of them (docs/decisions/0560).
 * @see assistants.md 5.8
 */
export class CallLog {
  readonly #options: CallLogOptions
  readonly #maxCalls: number
  readonly #lookEvery: number
  readonly #recorded = new Map<string, Recorded>()
  /** Foldings under way, by client. */
  readonly #folding = new Map<string, Promise<void>>()

  constructor(options: CallLogOptions) {
    this.#options = options
    this.#maxCalls = options.maxCalls ?? MAX_CALLS
    this.#lookEvery = Math.ceil(this.#maxCalls / 20)
  }

  /** Durable when it resolves. @throws StoreUnavailableError when it cannot be written */
  async record({ instance, ...call }: AssistantCall): Promise<void> {
    await this.#write(instance, { ...call, time: this.#options.clock.now() })
    if (call.writes === undefined) {
      this.#options.busy.note(instance, call.clientId, call.documents)
    }
  }

  /** The changes that note a call, for the very write of what it does. */
  async changes({ instance, ...call }: AssistantCall): Promise<readonly Change[]> {
    const entry = { ...call, time: this.#options.clock.now() }
    await this.#wakeLater(instance, entry)
    this.#lookNowAndThen(instance as InstanceId, call.clientId)
    return changesOf(instance, entry)
  }

  /** A line between the calls of a client. */
  async recordEvent(
    instanceId: InstanceId,
    clientId: string,
    event: NonNullable<CallRecord['event']>,
  ): Promise<void> {
    const time = this.#options.clock.now()
    await this.#write(instanceId, { clientId, time, event, documents: 0, bytes: 0, outcome: 'ok' })
  }

  /** Folds what is due. @returns what ends it, with what is under way */
  async start(): Promise<() => Promise<void>> {
    const stop = await this.#options.store.scheduler.process(QUEUE, ({ id }) => {
      const [instanceId = '', clientId = ''] = id.split(':')
      return this.#fold(instanceId as InstanceId, clientId) // Made by `#wakeLater`.
    })
    return async () => {
      await stop()
      await Promise.all(this.#folding.values())
      await this.#options.busy.flush()
    }
  }

  async #write(instanceId: string, call: CallRecord): Promise<void> {
    const { store } = this.#options
    await this.#wakeLater(instanceId, call)
    const { written } = await store.write(changesOf(instanceId, call))
    if (!written) throw new StoreUnavailableError('the instance is gone')
    this.#lookNowAndThen(instanceId as InstanceId, call.clientId)
  }

  /** Asked for first: should this process die right after the call, another one folds it. */
  async #wakeLater(instanceId: string, { clientId, time }: CallRecord): Promise<void> {
    const wakeAt = Math.ceil((time + 1) / DAY_MS) * DAY_MS + CALLS_KEPT_MS
    const name = `${instanceId}:${clientId}`
    const recorded = this.#recorded.get(name)
    if (recorded?.wakeAt === wakeAt) return
    await this.#options.store.scheduler.at(QUEUE, name, wakeAt)
    if (this.#recorded.size >= REMEMBERED) this.#recorded.clear()
    this.#recorded.set(name, { wakeAt, sinceLook: recorded?.sinceLook ?? 0 })
  }

  #lookNowAndThen(instanceId: InstanceId, clientId: string): void {
    const name = `${instanceId}:${clientId}`
    const recorded = this.#recorded.get(name)
    if (recorded === undefined) return
    recorded.sinceLook += 1
    if (recorded.sinceLook < this.#lookEvery) return
    recorded.sinceLook = 0
    this.#fold(instanceId, clientId).catch((error: unknown) => {
      const { log } = this.#options
      log.warn('assistant.calls_not_folded', { clientId, cause: describeError(error) })
    })
  }

  /** One at a time of a client, in a process. */
  #fold(instanceId: InstanceId, clientId: string): Promise<void> {
    const name = `${instanceId}:${clientId}`
    const underWay = this.#folding.get(name)
    if (underWay !== undefined) return underWay
    const folding = this.#foldNow(instanceId, clientId).finally(() => this.#folding.delete(name))
    this.#folding.set(name, folding)
    return folding
  }

  async #foldNow(instanceId: InstanceId, clientId: string): Promise<void> {
    const { store, clock, instances } = this.#options
    const instance = await instances.byId(instanceId)
    if (instance === undefined) return
    await foldCalls(store, instance, clientId, {
      before: clock.now() - CALLS_KEPT_MS,
      most: Math.floor((this.#maxCalls * 3) / 4),
      keptMs: COUNTS_KEPT_MS,
    })
  }
}

function changesOf(instanceId: string, call: CallRecord): Change[] {
  const { key, order } = newCallKey(instanceId)
  const known = recordKey(instanceId, 'instance', 'record')
  return [
    { op: 'check', key: known, ifPresent: true },
    {
      op: 'put',
      key,
      value: call,
      // Should nobody ever fold it.
      expiresAt: call.time + COUNTS_KEPT_MS,
      indexes: callEntries(instanceId, call, order),
    },
  ]
}
