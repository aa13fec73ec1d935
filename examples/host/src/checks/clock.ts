import { type Check, fault, type Finding, ok } from './check.ts'

/** A process writes its record every 20 s: a clock this far behind the newest one was set back. Milliseconds. */
const MOST_BEHIND_MS = 60_000

/** A clock that was set back: what has ended would be good again. */
export const clockBack: Check = {
  id: 'clock.back',
  when: 'start',
  run: ({ clock, lastUsedAt }) =>
    lastUsedAt === undefined ? [] : [judgeClock(clock.now(), lastUsedAt)],
}

/** @param lastUsedAt - when a process last said that it uses the store */
export function judgeClock(now: number, lastUsedAt: number): Finding {
  if (now >= lastUsedAt - MOST_BEHIND_MS) return ok('The clock was not set back.')
  return fault(
    `The clock says ${new Date(now).toISOString()}, but this store was in use at ${new Date(lastUsedAt).toISOString()}.`,
    'Set the clock of this machine, and have it get its time from the network (NTP).',
  )
}
