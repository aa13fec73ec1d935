import type { Store } from '@svc/store'
import type { PlatformLog } from '../log/log-events.ts'
import type { RecordRegistry } from '../records/record-registry.ts'
import { PacedWork, type WorkProgress, type WorkStep, type WorkTools } from '../work/paced-work.ts'
import {
  COUNT_BEGIN,
  countPage,
  type CountState,
  type KeyCounts,
  noteCounts,
  READ_UNITS,
  totalOf,
} from './key-counts.ts'
import { resealRecord } from './reseal-record.ts'
import { SealedWalk } from './sealed-walk.ts'
import { createSealer, type Sealer, type SealingKey } from '../keys/sealer.ts'
import { linksUntil, readNotes } from '../keys/sealing-key-notes.ts'

/**
 * What sealing every stored value anew under the first key needs.
 * @see docs/operating.md of the repository
 */
export interface ResealOptions {
  readonly store: Store
  /** The keyring of this process; the first key seals. */
  readonly keys: readonly SealingKey[]
  /** Which records hold sealed values: `oauth.records`. */
  readonly records: RecordRegistry
  readonly clock: { now(): number }
  readonly log: PlatformLog
  /** Of this machine, for the operator. */
  readonly hostname: string
  /** All processes on the store, with the names of their keys in order. @defaultValue this one only */
  readonly processes?: () => Promise<readonly ProcessKeys[]>
  /** Whether no other process can have the store. @defaultValue false */
  readonly isAlone?: boolean
  /** How long a process that reseals may say nothing until another one goes on, milliseconds. @defaultValue `30_000` */
  readonly leaseMs?: number
}

/**
 * The sealing keys of one process of the host, by their names in order; the first seals.
 * @see docs/operating.md of the repository
 */
export interface ProcessKeys {
  readonly hostname: string
  readonly kids: readonly string[]
}

/** Where a run is. */
export type ResealState = CountState & {
  /** The key that seals. */
  readonly kid: string
  readonly pass: 'seal' | 'count'
  /** Passes that sealed. */
  readonly round: number
  /** Values that are under the key now, and were not. */
  readonly sealed: number
  /** Values that do not open with the key that they name. */
  readonly damaged: number
  /** Revisions of the notes of keys when counting began. */
  readonly notes: { readonly [kid: string]: string }
}

/**
 * How far resealing is.
 * @see docs/operating.md of the repository
 */
export type ResealProgress = WorkProgress<ResealState>

/** Why nothing is sealed again: a process would go on sealing with an older key, or could not open what is sealed. */
export class ResealRefusedError extends Error {
  override readonly name: string = 'ResealRefusedError'
  readonly code: string = 'reseal_refused'
  /** Machines whose processes do not know the first key. */
  readonly without: readonly string[]
  /** Machines whose processes know it, but seal with another one. */
  readonly behind: readonly string[]

  constructor(kid: string, without: readonly string[], behind: readonly string[]) {
    const parts = [
      without.length > 0 ? `${without.join(', ')} must know the key ${kid} first` : [],
      behind.length > 0 ? `${behind.join(', ')} must have the key ${kid} in front` : [],
    ].flat()
    super(`Nothing was sealed again: ${parts.join('; ')}.`)
    this.without = without
    this.behind = behind
  }
}

/** A key that does not seal any more. */
export interface OtherKey {
  readonly kid: string
  readonly isEmpty: boolean
  /** Links of mails that were sent until then need it, milliseconds since the epoch; only while such mails are kept. */
  readonly linksUntil?: number
}

/** Records a second that are written, unless the operator says otherwise. */
export const RESEAL_RATE = 200
/** What was written meanwhile with another key is sealed again, so often. */
const ROUNDS = 3

/**
 * Seals everything anew with the first key, while the server serves: walks over the record registry, changes each record
 * by compare-and-set, and counts at the end what is left under each other key.
 * @see operation.md 3.4, 3.5, 3.6
 */
export class Reseal {
  readonly #options: ResealOptions
  readonly #sealer: Sealer
  readonly #first: string
  readonly #known: ReadonlySet<string>
  readonly #walk: SealedWalk
  readonly #work: PacedWork<ResealState>

  /** @throws TypeError for a malformed keyring */
  constructor(options: ResealOptions) {
    this.#options = options
    this.#sealer = createSealer(options.keys)
    const kids = options.keys.map(({ kid }) => kid)
    this.#first = kids[0] ?? ''
    this.#known = new Set(kids)
    this.#walk = new SealedWalk(options)
    this.#work = new PacedWork({
      ...options,
      name: 'reseal',
      next: (state, tools) => this.#next(state, tools),
    })
  }

  /**
   * Starts, or goes on where a run was cut short; of one that goes on already, the progress.
   * @param rate - records a second
   * @throws ResealRefusedError
   */
  async start(rate: number = RESEAL_RATE): Promise<ResealProgress> {
    await this.#refuseOthers()
    return this.#work.start(
      {
        ...COUNT_BEGIN,
        kid: this.#first,
        pass: 'seal',
        round: 1,
        sealed: 0,
        damaged: 0,
        notes: {},
      },
      rate,
      ({ kid }) => kid === this.#first,
    )
  }

  /** Of the last run, in whichever process; undefined: there was none. */
  progress(): Promise<ResealProgress | undefined> {
    return this.#work.progress()
  }

  /** Which of the 64 parts of the instances a run is in; 0 while it is at what is shared. */
  partOf({ place }: ResealState): number {
    return place === '' ? 0 : Number.parseInt(place, 10) + 1
  }

  /** The other keys of this process, as they are noted: whether nothing needs them any more. */
  async others(): Promise<readonly OtherKey[]> {
    const { store, clock } = this.#options
    const notes = await readNotes(store)
    return [...this.#known].slice(1).map((kid) => {
      const note = notes.find(({ value }) => value.kid === kid)?.value
      const links = linksUntil(note, clock.now())
      const isEmpty = note?.state !== 'active'
      return { kid, isEmpty, ...(links !== undefined && { linksUntil: links }) }
    })
  }

  /** Goes on with a run that a killed process left. To be called once, at the start. */
  resume(): Promise<void> {
    return this.#work.resume()
  }

  /** Stops between two records; the next start goes on there. */
  close(): Promise<void> {
    return this.#work.close()
  }

  async #next(state: ResealState, tools: WorkTools): Promise<WorkStep<ResealState>> {
    if (state.kid !== this.#first) {
      throw new Error(`This run seals with ${state.kid}, and the first key is ${this.#first} now.`)
    }
    return state.pass === 'seal' ? this.#sealPage(state, tools) : this.#countPage(state, tools)
  }

  async #sealPage(state: ResealState, { pace }: WorkTools): Promise<WorkStep<ResealState>> {
    const { log } = this.#options
    let { sealed, damaged } = state
    const { tags, next } = await this.#walk.page(state.place)
    for (const tag of tags) {
      for await (const { kind, record } of this.#walk.records(tag)) {
        await pace(READ_UNITS)
        const done = await resealRecord(
          {
            store: this.#options.store,
            sealer: this.#sealer,
            first: this.#first,
            pace: () => pace(1),
            onDamaged: ({ key }, kid) => log.error('keys.open_failed', { kid, key }),
          },
          kind,
          record,
        )
        sealed += done.sealed
        damaged += done.damaged
      }
    }
    const now = { ...state, sealed, damaged }
    if (next !== undefined) return { state: { ...now, place: next }, isDone: false }
    await this.#refuseOthers()
    const notes = await readNotes(this.#options.store)
    return {
      state: {
        ...now,
        ...COUNT_BEGIN,
        pass: 'count',
        notes: Object.fromEntries(notes.map(({ value, revision }) => [value.kid, revision])),
      },
      isDone: false,
    }
  }

  async #countPage(state: ResealState, tools: WorkTools): Promise<WorkStep<ResealState>> {
    const { found, next } = await countPage(
      { walk: this.#walk, sealer: this.#sealer, known: this.#known },
      state,
      tools,
    )
    const now = { ...state, ...found }
    if (next !== undefined) return { state: { ...now, place: next }, isDone: false }
    if (this.#isLeft(found.counts) && state.round < ROUNDS) {
      const again = { ...state, ...COUNT_BEGIN, pass: 'seal', round: state.round + 1, damaged: 0 }
      return { state: again as ResealState, isDone: false }
    }
    await this.#refuseOthers()
    await noteCounts(
      this.#options.store,
      found.counts,
      ({ kid }, revision) => kid !== this.#first && state.notes[kid] === revision,
    )
    return { state: now, isDone: true }
  }

  /** Whether there is anything that another pass could seal. */
  #isLeft(counts: KeyCounts): boolean {
    return [...this.#known].some((kid) => kid !== this.#first && totalOf(counts, kid) > 0)
  }

  async #refuseOthers(): Promise<void> {
    const processes = (await this.#options.processes?.()) ?? []
    const hosts = (wanted: (kids: readonly string[]) => boolean): readonly string[] => [
      ...new Set(processes.filter(({ kids }) => wanted(kids)).map(({ hostname }) => hostname)),
    ]
    const without = hosts((kids) => !kids.includes(this.#first))
    const behind = hosts((kids) => kids.includes(this.#first) && kids[0] !== this.#first)
    if (without.length + behind.length > 0) {
      throw new ResealRefusedError(this.#first, without, behind)
    }
  }
}
