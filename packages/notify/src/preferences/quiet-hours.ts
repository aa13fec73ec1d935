import { timeOnDay, type TimeOfDay } from './zoned-time.ts'

/** When the owner wants silence; over midnight when `end` is before `start`. */
export interface QuietHours {
  readonly start: TimeOfDay
  readonly end: TimeOfDay
}

/** Windows that may cover an instant: one that began the day before yesterday, where a zone skips a day. */
const DAYS = [0, -1, -2]

/**
 * The end of the quiet hours that cover `now`, or undefined outside of them. By the clocks of the zone: a night with a
 * jump is an hour shorter or longer, and skipped hours do not count. Milliseconds since the epoch.
 */
export function quietUntil(
  now: number,
  zone: string,
  { start, end }: QuietHours,
): number | undefined {
  const overnight = end > start ? 0 : 1
  for (const days of DAYS) {
    if (timeOnDay(now, zone, days, start) > now) continue
    const until = timeOnDay(now, zone, days + overnight, end)
    if (now < until) return until
  }
  return undefined
}
