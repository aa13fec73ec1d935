import { setTimeout as sleep } from 'node:timers/promises'
import {
  describeError,
  type Json,
  recordKey,
  type Store,
  type StoredRecord,
  StoreUnavailableError,
} from '@svc/store'
import type { PlatformLog } from '../log/log-events.ts'
import { randomId } from '../secrets.ts'
import { Pace } from './pace.ts'

/** How long a process that does the work may say nothing until another one goes on with it. Milliseconds. */
const LEASE_MS = 30_000
/** How long the work waits when the store cannot be reached. Milliseconds. */
const OUTAGE_PAUSE_MS = 1000

/** What a page of the work is done with. */
export interface WorkTools {
  /** Waits for the turn of so many units; to be called before each record. @throws when the work is to stop */
  pace(units: number): Promise<void>
  /** When the work began, milliseconds since the epoch. */
  readonly startedAt: number
}

/**
 * A long work over the store that one process at a time does, part by part, and that another goes on with when it dies.
 * @typeParam State - what is stored between two parts
 * @see docs/architecture.md of the repository
 */
export interface PacedWorkOptions<State extends Json> {
  readonly store: Store
  readonly clock: { now(): number }
  readonly log: Pick<PlatformLog, 'error' | 'info'>
  /** Of the work, the same in every process: lower-case letters, digits, `-`. */
  readonly name: string
  /** Of this machine, for the operator. */
  readonly hostname: string
  /**
   * Does the next part. What it answers is stored before it is called again; a part may be done twice, by a process that
   * was killed and by the one that goes on.
   */
  readonly next: (state: State, tools: WorkTools) => Promise<WorkStep<State>>
  /** Whether no other process can have the store: whoever held the lease is dead. @defaultValue false */
  readonly isAlone?: boolean
  /** @defaultValue `30_000` */
  readonly leaseMs?: number
}

/**
 * What one part of a long work leaves: the state that is stored, and whether that was the last part.
 * @typeParam State - what is stored between two parts
 * @see docs/architecture.md of the repository
 */
export interface WorkStep<State extends Json> {
  readonly state: State
  readonly isDone: boolean
}

/** How far the work is, for whoever asks, in any process. */
export interface WorkProgress<State extends Json> {
  /** `failed`: it ended early; starting it again goes on where it was. */
  readonly status: 'running' | 'done' | 'failed'
  readonly state: State
  /** The machine that does it, or did it last. */
  readonly hostname: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt?: number
  /** Why it failed, in a sentence. */
  readonly reason?: string
}

type WorkRecord<State extends Json> = {
  readonly status: 'running' | 'done' | 'failed'
  readonly state: State
  readonly rate: number
  readonly holder: string
  readonly hostname: string
  readonly leaseUntil: number
  readonly startedAt: number
  readonly endedAt?: number
  readonly reason?: string
}

/**
 * A long piece of work over the whole store that goes on while the server serves: in one process at a time, so many
 * records in a second, and from the last stored place after a kill.
 */
export class PacedWork<State extends Json> {
  readonly #options: PacedWorkOptions<State>
  readonly #holder = randomId()
  readonly #stopping = new AbortController()
  readonly #leaseMs: number
  #running: Promise<void> | undefined
  #retry: NodeJS.Timeout | undefined

  constructor(options: PacedWorkOptions<State>) {
    this.#options = options
    this.#leaseMs = options.leaseMs ?? LEASE_MS
  }

  /**
   * Starts the work, or goes on with one that was cut short or failed; of one that another process does, the progress.
   * @param first - where it begins
   * @param goesOn - whether a work that was cut short is the same work
   */
  async start(
    first: State,
    rate: number,
    goesOn: (state: State) => boolean = () => true,
  ): Promise<WorkProgress<State>> {
    for (;;) {
      const record = await this.#read()
      const value = record?.value
      if (value !== undefined && this.#isHeld(value)) return toProgress(value)
      const isSame = value !== undefined && value.status !== 'done' && goesOn(value.state)
      const now = this.#options.clock.now()
      const started = await this.#put(record, {
        status: 'running',
        state: isSame ? value.state : first,
        rate,
        startedAt: isSame ? value.startedAt : now,
        ...this.#lease(now),
      })
      if (started === undefined) continue // another process was first
      this.#run(started)
      return toProgress(started.value)
    }
  }

  /** Of the last start; undefined: there was none. */
  async progress(): Promise<WorkProgress<State> | undefined> {
    const record = await this.#read()
    return record && toProgress(record.value)
  }

  /** Goes on with a work that a killed process left, now or when its lease ended. To be called once, at the start. */
  async resume(): Promise<void> {
    const record = await this.#read()
    if (record?.value.status !== 'running' || this.#stopping.signal.aborted) return
    const { value } = record
    const now = this.#options.clock.now()
    if (this.#isHeld(value)) {
      const waitMs = Math.min(Math.max(value.leaseUntil - now, 0), this.#leaseMs) + 1000
      this.#retry = setTimeout(() => {
        this.resume().catch((error: unknown) => this.#fail('work.resume_failed', error))
      }, waitMs).unref()
      return
    }
    const taken = await this.#put(record, { ...value, ...this.#lease(now) })
    if (taken !== undefined) this.#run(taken)
  }

  /** Stops between two records; another process, or the next start, goes on. */
  async close(): Promise<void> {
    clearTimeout(this.#retry)
    this.#stopping.abort()
    await this.#running
  }

  #run(record: StoredRecord<WorkRecord<State>>): void {
    this.#options.log.info('work.started', { work: this.#options.name })
    this.#running = this.#work(record).catch((error: unknown) => this.#fail('work.stopped', error))
  }

  #fail(event: 'work.resume_failed' | 'work.stopped', error: unknown): void {
    this.#options.log.error(event, { work: this.#options.name, cause: describeError(error) })
  }

  async #work(started: StoredRecord<WorkRecord<State>>): Promise<void> {
    const { next, clock } = this.#options
    const { signal } = this.#stopping
    const pace = new Pace(started.value.rate, signal)
    let record = started
    const keep = async (change: Partial<WorkRecord<State>>): Promise<void> => {
      const value = { ...record.value, ...this.#lease(clock.now()), ...change }
      const written = await this.#put(record, value)
      if (written === undefined) throw new LeaseLost()
      record = written
    }
    const tools: WorkTools = {
      startedAt: started.value.startedAt,
      pace: async (units) => {
        await pace.take(units)
        const leftMs = record.value.leaseUntil - clock.now()
        if (leftMs < (this.#leaseMs * 2) / 3) await keep({})
      },
    }
    try {
      for (let isDone = false; !isDone; ) {
        try {
          const step = await next(record.value.state, tools)
          await keep({
            state: step.state,
            ...(step.isDone && { status: 'done', endedAt: clock.now() }),
          })
          isDone = step.isDone
        } catch (error) {
          if (!(error instanceof StoreUnavailableError)) throw error
          // A fail-over takes seconds. What became of the last write is not known.
          await sleep(OUTAGE_PAUSE_MS, undefined, { signal })
          const now = await this.#read().catch(() => undefined)
          if (now !== undefined && now.value.holder !== this.#holder) throw new LeaseLost()
          record = now ?? record
          isDone = record.value.status === 'done'
        }
      }
      this.#options.log.info('work.done', { work: this.#options.name })
    } catch (error) {
      if (error instanceof LeaseLost) return // another process took it for dead
      if (signal.aborted) return keep({ leaseUntil: 0 })
      const reason = error instanceof Error ? error.message : String(error)
      await keep({ status: 'failed', endedAt: clock.now(), reason })
      throw error
    }
  }

  #lease(now: number): Pick<WorkRecord<State>, 'holder' | 'hostname' | 'leaseUntil'> {
    const { hostname } = this.#options
    return { holder: this.#holder, hostname, leaseUntil: now + this.#leaseMs }
  }

  #isHeld({ status, holder, leaseUntil }: WorkRecord<State>): boolean {
    if (status !== 'running') return false
    if (holder === this.#holder) return leaseUntil > 0
    if (this.#options.isAlone === true) return false
    const leftMs = leaseUntil - this.#options.clock.now()
    // Further ahead than anybody sets it: the clock of one of us was put back.
    return leftMs > 0 && leftMs <= 2 * this.#leaseMs
  }

  #read(): Promise<StoredRecord<WorkRecord<State>> | undefined> {
    return this.#options.store.get<WorkRecord<State>>(recordKey('host', 'work', this.#options.name))
  }

  /** Undefined: somebody else wrote since. */
  async #put(
    before: StoredRecord<WorkRecord<State>> | undefined,
    value: WorkRecord<State>,
  ): Promise<StoredRecord<WorkRecord<State>> | undefined> {
    const key = recordKey('host', 'work', this.#options.name)
    const condition =
      before === undefined ? { ifAbsent: true as const } : { ifRevision: before.revision }
    const result = await this.#options.store.write([{ op: 'put', key, value, ...condition }])
    return result.written ? { key, value, revision: result.revision } : undefined
  }
}

class LeaseLost extends Error {}

function toProgress<State extends Json>(record: WorkRecord<State>): WorkProgress<State> {
  const { status, state, hostname, startedAt, endedAt, reason } = record
  return {
    status,
    state,
    hostname,
    startedAt,
    ...(endedAt !== undefined && { endedAt }),
    ...(reason !== undefined && { reason }),
  }
}
