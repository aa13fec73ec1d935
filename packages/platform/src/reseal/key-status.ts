import type { Store } from '@svc/store'
import { HOUR_MS } from '../durations.ts'
import type { PlatformLog } from '../log/log-events.ts'
import type { RecordRegistry } from '../records/record-registry.ts'
import { PacedWork, type WorkProgress } from '../work/paced-work.ts'
import { COUNT_BEGIN, countPage, type CountState, noteCounts, totalOf } from './key-counts.ts'
import { RESEAL_RATE, type ResealOptions } from './reseal.ts'
import { SealedWalk } from './sealed-walk.ts'
import { createSealer, type SealingKey } from '../keys/sealer.ts'
import { linksUntil, readNotes } from '../keys/sealing-key-notes.ts'

/** A count is as good as new for this long. Milliseconds. @see operation.md 3.8 */
const COUNT_TRUST_MS = HOUR_MS

/** What is known of a sealing key. */
export interface SealingKeyStatus {
  readonly kid: string
  /** In the keyring of this process, from 1; absent: it is not there. */
  readonly position?: number
  /** Milliseconds since the epoch; absent: it never sealed. */
  readonly firstUsedAt?: number
  readonly state: 'active' | 'empty' | 'unused'
  /** Values by kind of record, when they were counted last. */
  readonly values: Readonly<Record<string, number>>
  /** Whether nothing would be lost without it. */
  readonly mayGo: boolean
  /** Links of mails that were sent until then need it, milliseconds since the epoch; only while such mails are kept. */
  readonly linksUntil?: number
}

/**
 * The sealing keys, and how many stored values each one sealed; one that `mayGo` can be taken away.
 * @see docs/operating.md of the repository
 * @example
 * const idle = status.keys.filter(({ mayGo }) => mayGo)
 */
export interface KeyStatus {
  readonly keys: readonly SealingKeyStatus[]
  /** When the values were counted, milliseconds since the epoch; absent: they are being counted. */
  readonly countedAt?: number
  /** When the oldest key was made that signs access tokens of an instance; absent: none is known. */
  readonly oldestSigningKey?: number
}

type KeyStatusOptions = Pick<ResealOptions, 'hostname' | 'isAlone' | 'leaseMs'> & {
  readonly store: Store
  readonly keys: readonly SealingKey[]
  readonly records: RecordRegistry
  readonly clock: { now(): number }
  readonly log: PlatformLog
}

/** Tells what each sealing key has sealed. Counting reads everything, so it is done at most once an hour. */
export class KeyStatusReader {
  readonly #options: KeyStatusOptions
  readonly #work: PacedWork<CountState>

  constructor(options: KeyStatusOptions) {
    this.#options = options
    const counting = {
      walk: new SealedWalk(options),
      sealer: createSealer(options.keys),
      known: new Set(options.keys.map(({ kid }) => kid)),
    }
    this.#work = new PacedWork<CountState>({
      ...options,
      name: 'key-count',
      async next(state, tools) {
        const { found, next } = await countPage(counting, state, tools)
        if (next === undefined) await noteCounts(options.store, found.counts)
        return { state: { ...found, place: next ?? '' }, isDone: next === undefined }
      },
    })
  }

  /**
   * What is known now; counts again when that is old.
   * @param countedAfter - a count from before this instant is old, milliseconds since the epoch
   */
  async read(countedAfter = 0): Promise<KeyStatus> {
    const now = this.#options.clock.now()
    const last = await this.#work.progress()
    const isNew =
      isCounted(last) && last.endedAt > countedAfter && now - last.endedAt < COUNT_TRUST_MS
    if (!isNew && last?.status !== 'running') await this.#work.start(COUNT_BEGIN, RESEAL_RATE)
    return this.#describe(isNew ? last : undefined)
  }

  /** What was counted last, however long ago. Counts nothing: a few records are read. */
  async last(): Promise<KeyStatus> {
    const last = await this.#work.progress()
    return this.#describe(isCounted(last) ? last : undefined)
  }

  async #describe(counted: Counted | undefined): Promise<KeyStatus> {
    const { clock, keys, store } = this.#options
    const now = clock.now()
    const counts = counted?.state.counts ?? {}
    const notes = await readNotes(store)
    const kids = new Set([...keys.map(({ kid }) => kid), ...notes.map(({ value }) => value.kid)])
    const status = [...kids].map((kid): SealingKeyStatus => {
      const position = keys.findIndex((each) => each.kid === kid) + 1
      const note = notes.find(({ value }) => value.kid === kid)?.value
      const state = note?.state ?? 'unused'
      const links = linksUntil(note, now)
      return {
        kid,
        state,
        values: counts[kid] ?? {},
        mayGo: position !== 1 && state !== 'active' && totalOf(counts, kid) === 0,
        ...(position > 0 && { position }),
        ...(note !== undefined && { firstUsedAt: note.firstUsedAt }),
        ...(links !== undefined && { linksUntil: links }),
      }
    })
    if (counted === undefined) return { keys: status }
    const { oldestSigningKey } = counted.state
    return {
      keys: status,
      countedAt: counted.endedAt,
      ...(oldestSigningKey !== undefined && { oldestSigningKey }),
    }
  }

  /** Goes on with a count that a killed process left. To be called once, at the start. */
  resume(): Promise<void> {
    return this.#work.resume()
  }

  close(): Promise<void> {
    return this.#work.close()
  }
}

type Counted = WorkProgress<CountState> & { readonly endedAt: number }

function isCounted(progress: WorkProgress<CountState> | undefined): progress is Counted {
  return progress?.status === 'done' && progress.endedAt !== undefined
}
