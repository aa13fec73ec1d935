import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts'

/** A day of an owner. */
export interface OwnerDay {
  /** As `2026-01-31`. */
  readonly name: string
  /** The first instant after it, milliseconds since the epoch. */
  readonly endsAt: number
}

const formats = new Map<string, Intl.DateTimeFormat>()
/** By time zone: it is asked for with every use. */
const days = new Map<string, OwnerDay>()
/** The longest day has 25 hours. */
const LONGEST_MS = DAY_MS + 2 * HOUR_MS

/**
 * The day that an instant is part of, where the owner is.
 * @example
 * const day = dayOf(Date.now(), 'Europe/Paris')
 */
export function dayOf(now: number, timeZone = 'UTC'): OwnerDay {
  const known = days.get(timeZone)
  if (known !== undefined && now < known.endsAt && now >= known.endsAt - DAY_MS + HOUR_MS) {
    return known
  }
  const name = nameOf(now, timeZone)
  let before = now
  let after = now + LONGEST_MS
  while (after - before > MINUTE_MS) {
    const middle = Math.floor((before + after) / 2)
    if (nameOf(middle, timeZone) === name) before = middle
    else after = middle
  }
  const day = { name, endsAt: Math.floor(after / MINUTE_MS) * MINUTE_MS }
  days.set(timeZone, day)
  return day
}

function nameOf(now: number, timeZone: string): string {
  let format = formats.get(timeZone)
  if (format === undefined) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
    // Its dates are those of ISO 8601.
    format = new Intl.DateTimeFormat('sv', { ...parts, timeZone: known(timeZone) })
    formats.set(timeZone, format)
  }
  return format.format(now)
}

/** A zone that this platform does not know counts as UTC. */
function known(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}
