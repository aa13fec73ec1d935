import type { ActivityDetail, ActivityEvent, ActivityTarget, ActivityUse } from '@svc/platform'
import type { Json } from '@svc/store'
import { fitsEntry } from '../chain/entry.ts'
import { KINDS_A_DAY, MAX_NAME_LENGTH } from '../limits.ts'

/** What somebody used in a day, as it is stored until the day has ended. */
export type DayOfUse = Readonly<Record<string, Json>> & {
  readonly event: ActivityUse['event']
  readonly of: Readonly<Record<string, string>>
  /** As `2026-01-31`. */
  readonly day: string
  /** Milliseconds since the epoch. */
  readonly endsAt: number
  /** By `refreshes`, `credentials`, `reads:<kind>` and `changes:<kind>`. */
  readonly counts: Readonly<Record<string, number>>
}

/** Where the kinds are counted that come after the 64th. */
export const OTHER_KINDS = 'other'

/** What a use is counted as. */
export function countNameOf({ what, type }: Pick<ActivityUse, 'type' | 'what'>): string {
  if (type === undefined) return what
  return `${what}:${type.length > MAX_NAME_LENGTH ? OTHER_KINDS : type}`
}

export function countsOf({ counts }: DayOfUse): Map<string, number> {
  return new Map(Object.entries(counts as Readonly<Record<string, number>>))
}

/** Counts more of one name; of too many kinds the later ones are counted together. */
export function addCount(counts: Map<string, number>, name: string, by: number): void {
  const known = counts.get(name)
  if (known !== undefined) {
    counts.set(name, known + by)
    return
  }
  const [what = '', kind] = name.split(':')
  const hasRoom = kind === undefined || hasRoomFor(counts, kind)
  const counted = hasRoom ? name : `${what}:${OTHER_KINDS}`
  counts.set(counted, (counts.get(counted) ?? 0) + by)
}

function hasRoomFor(counts: ReadonlyMap<string, number>, kind: string): boolean {
  const kinds = new Set([...counts.keys()].flatMap((name) => name.split(':')[1] ?? []))
  return kinds.has(kind) || kinds.size < KINDS_A_DAY
}

/** The entries of a day: one, unless there are more kinds than one has room for. */
export function eventsOf(use: DayOfUse, now: number): readonly ActivityEvent[] {
  const events: ActivityEvent[] = []
  let part: (readonly [name: string, count: number])[] = []
  for (const one of [...countsOf(use)].toSorted()) {
    const longer = [...part, one]
    if (part.length > 0 && !fitsEntry(eventOf(use, longer), now)) {
      events.push(eventOf(use, part))
      part = [one]
    } else {
      part = longer
    }
  }
  return part.length === 0 ? events : [...events, eventOf(use, part)]
}

function eventOf(
  { event, of, day }: DayOfUse,
  part: readonly (readonly [name: string, count: number])[],
): ActivityEvent {
  const detail: Record<string, ActivityDetail> = { day }
  for (const [name, count] of part) {
    const [what = '', kind] = name.split(':')
    if (kind === undefined) detail[what] = count
    else detail[what] = { ...(detail[what] as object | undefined), [kind]: count }
  }
  const target = of as unknown as ActivityTarget // Stored by this package.
  return event === 'client.used'
    ? { event, actor: { ...target, kind: 'client' }, detail }
    : { event, actor: { kind: 'server' }, target, detail }
}
