import { lastTime, nextTime, type TimeOfDay } from './zoned-time.ts'

/** When the owner wants silence; over midnight when `end` is before `start`. */
export interface QuietHours {
  readonly start: TimeOfDay
  readonly end: TimeOfDay
}

/**
 * The end of the quiet hours that cover `now`, or undefined outside of them. By the clocks of the zone: a night with a
 * jump is an hour shorter or longer. Milliseconds since the epoch.
 */
export function quietUntil(
  now: number,
  zone: string,
  { start, end }: QuietHours,
): number | undefined {
  const began = lastTime(now, zone, start)
  const until = nextTime(began, zone, end)
  return now < until ? until : undefined
}
