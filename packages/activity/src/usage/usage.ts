import { createHash } from 'node:crypto'
import { type ActivityUse, dayOf, type Instance } from '@svc/platform'
import { type Change, describeError, type Json, type Store, type StoredRecord } from '@svc/store'
import type { Chainer } from '../chain/chainer.ts'
import { index, instanceKey, useKey, USES } from '../chain/keys.ts'
import { pendingChange } from '../chain/pending.ts'
import { DAY_END_MS, USE_GATHER_MS } from '../lifetimes.ts'
import { MAX_NAME_LENGTH, USES_IN_MEMORY } from '../limits.ts'
import type { ActivityLogLines } from '../log/log-events.ts'
import { addCount, countNameOf, countsOf, type DayOfUse, eventsOf } from './counts.ts'

/** Queue of the scheduler. */
const QUEUE = 'activity-use'
/** How often a count is written anew because another process wrote meanwhile, and after how many minutes it is lost. */
const TRIES = 5

export interface UsageOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly log: ActivityLogLines
  readonly chainer: Pick<Chainer, 'notice'>
}

/** What somebody used since the last write. */
interface Waiting {
  readonly instanceId: string
  /** What identifies the day, the event and whose it is. */
  readonly id: string
  readonly use: Readonly<Record<'day' | 'event', string>> & Pick<ActivityUse, 'of'>
  /** Milliseconds since the epoch. */
  readonly endsAt: number
  readonly counts: Map<string, number>
  /** How often it could not be written. */
  failures: number
}

/**
 * Counts what happens too often for entries of its own: in memory, written at most once a minute, and chained when the
 * owner's day has ended.
 * @see owner.md 5.6
 */
export class Usage {
  readonly #options: UsageOptions
  #waiting = new Map<string, Waiting>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(options: UsageOptions) {
    this.#options = options
  }

  /** Chains days that have ended. @returns what ends it */
  start(): Promise<() => Promise<void>> {
    return this.#options.store.scheduler.process(QUEUE, ({ id }) => this.conclude(id))
  }

  note({ id: instanceId, timeZone }: Pick<Instance, 'id' | 'timeZone'>, use: ActivityUse): void {
    const { name: day, endsAt } = dayOf(this.#options.clock.now(), timeZone)
    const name = `${instanceId} ${day} ${use.event} ${use.of.id}`
    let waiting = this.#waiting.get(name)
    if (waiting === undefined) {
      const { event, of } = use
      const id = `${day}:${createHash('sha256').update(`${event}:${of.id}`).digest('base64url')}`
      const counted = { event, of: shortened(of), day }
      waiting = { instanceId, id, use: counted, endsAt, counts: new Map(), failures: 0 }
      this.#waiting.set(name, waiting)
      this.#timer ??= setTimeout(() => void this.flush(), USE_GATHER_MS).unref()
      if (this.#waiting.size >= USES_IN_MEMORY) void this.flush()
    }
    addCount(waiting.counts, countNameOf(use), 1)
  }

  /** Writes what was counted. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waiting = [...this.#waiting.entries()]
    this.#waiting = new Map()
    this.#writing = this.#writing.then(async () => {
      for (const [name, one] of waiting) await this.#write(name, one)
    })
    return this.#writing
  }

  /** Chains the days of an instance that have ended, and asks to be woken up for those that have not. */
  async conclude(instanceId: string): Promise<void> {
    const { store, clock, chainer } = this.#options
    let cursor: string | undefined
    let nextAt = Number.POSITIVE_INFINITY
    do {
      const page = await store.list<DayOfUse>(
        index(instanceId, USES),
        cursor === undefined ? {} : { cursor },
      )
      for (const record of page.records) {
        if (record.value.endsAt > clock.now()) nextAt = Math.min(nextAt, record.value.endsAt)
        else await this.#chain(instanceId, record)
      }
      cursor = page.cursor
    } while (cursor !== undefined)
    chainer.notice(instanceId)
    if (nextAt === Number.POSITIVE_INFINITY) return
    await store.scheduler.at(QUEUE, instanceId, nextAt + DAY_END_MS)
  }

  /** @throws Error when somebody counts on: the wake-up comes again */
  async #chain(
    instanceId: string,
    { key, value, revision }: StoredRecord<DayOfUse>,
  ): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.now()
    const changes: Change[] = eventsOf(value, now).map((event) =>
      pendingChange(instanceId, event, now),
    )
    const { written } = await store.write([{ op: 'delete', key, ifRevision: revision }, ...changes])
    if (!written) throw new Error('somebody counts on')
  }

  async #write(name: string, waiting: Waiting): Promise<void> {
    const { log } = this.#options
    try {
      if (await this.#add(waiting)) return
      throw new Error('somebody else counts as well')
    } catch (error) {
      waiting.failures += 1
      const cause = describeError(error)
      if (waiting.failures >= TRIES) {
        log.warn('activity.use_lost', { cause })
        return
      }
      // It is written with what comes in the next minute.
      for (const [one, count] of this.#waiting.get(name)?.counts ?? []) {
        addCount(waiting.counts, one, count)
      }
      this.#waiting.set(name, waiting)
      this.#timer ??= setTimeout(() => void this.flush(), USE_GATHER_MS).unref()
    }
  }

  /** @returns false when other processes were faster again and again */
  async #add({ instanceId, id, use, endsAt, counts }: Waiting): Promise<boolean> {
    const { store, clock } = this.#options
    const key = useKey(instanceId, id)
    for (let tries = 0; tries < TRIES; tries += 1) {
      const before = await store.get<DayOfUse>(key)
      const sums = before === undefined ? new Map<string, number>() : countsOf(before.value)
      for (const [name, count] of counts) addCount(sums, name, count)
      if (before === undefined) {
        // Asked for first: should this process die right after the write, another one goes on.
        const at = Math.max(endsAt, clock.now()) + DAY_END_MS
        await store.scheduler.at(QUEUE, instanceId, at)
      }
      const known = instanceKey(instanceId)
      const result = await store.write([
        { op: 'check', key: known, ifPresent: true },
        {
          op: 'put',
          key,
          value: { ...use, endsAt, counts: Object.fromEntries(sums) } as unknown as Json,
          indexes: [{ index: index(instanceId, USES), sort: id }],
          ...(before === undefined ? { ifAbsent: true } : { ifRevision: before.revision }),
        },
      ])
      // Of an instance that is gone nothing is counted.
      if (result.written || result.failed === known) return true
    }
    return false
  }
}

function shortened({ kind, id, name }: ActivityUse['of']): ActivityUse['of'] {
  const cut = (text: string): string => text.slice(0, MAX_NAME_LENGTH).toWellFormed()
  return { kind, id: cut(id), ...(name !== undefined && name !== '' && { name: cut(name) }) }
}
