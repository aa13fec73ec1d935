import type { Temporal } from 'temporal-polyfill'
import { temporal } from './temporal.ts'

/** Hours and minutes of a day, `HH:MM`, 00:00 to 23:59. */
export type TimeOfDay = string

/** Whether the runtime knows the zone: an IANA name, or an offset. Some old abbreviations are known and ambiguous. */
export function isTimeZone(name: string): boolean {
  try {
    zoned(0, name)
    return true
  } catch {
    return false
  }
}

/** The zone of an owner; UTC when none is set, or one this runtime does not know. */
export function zoneOf({ timeZone }: { readonly timeZone?: string }): string {
  return timeZone !== undefined && isTimeZone(timeZone) ? timeZone : 'UTC'
}

/**
 * The first instant after `now` at which the clocks of the zone show the time. In a night that skips it, the instant of
 * the jump; in one that repeats it, its first time. Milliseconds since the epoch.
 */
export function nextTime(now: number, zone: string, time: TimeOfDay): number {
  const today = zoned(now, zone).toPlainDate()
  for (const days of [0, 1, 2]) {
    const at = timeOn(today.add({ days }), zone, time)
    if (at > now) return at
  }
  throw new Error('a time of day comes every day') // Unreachable: day 2 has not begun by now.
}

/**
 * When the clocks of the zone show the time on the day that is so many days from that of `now`: in a night that skips it,
 * at the jump; in one that repeats it, the first time. Milliseconds since the epoch.
 */
export function timeOnDay(now: number, zone: string, days: number, time: TimeOfDay): number {
  return timeOn(zoned(now, zone).toPlainDate().add({ days }), zone, time)
}

function zoned(instant: number, zone: string): Temporal.ZonedDateTime {
  return temporal().Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone)
}

function timeOn(day: Temporal.PlainDate, zone: string, time: TimeOfDay): number {
  const local = day.toPlainDateTime(temporal().PlainTime.from(time))
  const exact = local.toZonedDateTime(zone, { disambiguation: 'compatible' })
  if (exact.toPlainDateTime().equals(local)) return exact.epochMilliseconds
  // The night skipped it: what was to begin or end then does so at the jump.
  const jump = local
    .toZonedDateTime(zone, { disambiguation: 'earlier' })
    .getTimeZoneTransition('next')
  return jump?.epochMilliseconds ?? exact.epochMilliseconds
}
