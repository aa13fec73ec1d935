import { hostname } from 'node:os'
import { randomId, type SealingKey } from '@svc/platform'
import type { Clock, Store } from '@svc/store'
import { describeError } from '@svc/store'
import type { Config } from '../config/config.ts'
import type { HostLog } from '../log/log.ts'
import { digestConfig } from './config-digest.ts'
import {
  deleteProcess,
  listProcesses,
  type ProcessRecord,
  putProcess,
  RECORD_EVERY_MS,
} from './process-record.ts'
import { PRODUCT_VERSION } from './product-version.ts'
import { STORE_VERSIONS } from './store-versions.ts'

export interface HeartbeatOptions {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly log: Pick<HostLog, 'warn'>
  readonly keys: readonly Pick<SealingKey, 'kid'>[]
  /** Of the public listener. */
  readonly port: number
  /** @defaultValue 20 s. Milliseconds. */
  readonly everyMs?: number
}

/** Keeps the record of this process in the store. */
export class ProcessHeartbeat {
  readonly #options: HeartbeatOptions
  readonly #about: Omit<ProcessRecord, 'seenAt' | 'state'>
  #state: ProcessRecord['state'] = 'up'
  #timer: NodeJS.Timeout | undefined
  /** Writes follow each other, so that an old state never overtakes a new one. */
  #last: Promise<void> = Promise.resolve()

  constructor(options: HeartbeatOptions) {
    this.#options = options
    const { config, clock, keys, port } = options
    const { digest, options: digests } = digestConfig(config)
    this.#about = {
      id: randomId(16),
      version: PRODUCT_VERSION,
      ...STORE_VERSIONS,
      kids: keys.map(({ kid }) => kid),
      hostname: hostname(),
      pid: process.pid,
      startedAt: clock.now(),
      port,
      configDigest: digest,
      options: digests,
    }
  }

  get id(): string {
    return this.#about.id
  }

  /**
   * Writes the record, and again and again from then on.
   * @throws StoreUnavailableError when the first write fails
   */
  async start(): Promise<void> {
    const { config, store, everyMs = RECORD_EVERY_MS } = this.#options
    if (config.store === 'sqlite') await this.#forgetDead(store)
    await this.#write()
    this.#timer = setInterval(() => void this.#enqueue(() => this.#write()), everyMs)
    this.#timer.unref()
  }

  /** Says that the process takes no more work. Never rejects: a store that is down does not hold a stop up. */
  drain(): Promise<void> {
    this.#state = 'draining'
    return this.#enqueue(() => this.#write())
  }

  /** Removes the record. Never rejects. */
  stop(): Promise<void> {
    clearInterval(this.#timer)
    const { store } = this.#options
    return this.#enqueue(async () => void (await store.write([deleteProcess(this.id)])))
  }

  /** The embedded store is one process's: what others left behind is of processes that were killed. */
  async #forgetDead(store: Store): Promise<void> {
    for (const { id } of await listProcesses(store)) await store.write([deleteProcess(id)])
  }

  async #write(): Promise<void> {
    const { store, clock } = this.#options
    await store.write([putProcess({ ...this.#about, state: this.#state, seenAt: clock.now() })])
  }

  #enqueue(write: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(write).catch((error: unknown) => {
      this.#options.log.warn('process.not_recorded', { cause: describeError(error) })
    })
    return this.#last
  }
}
