import { MINUTE_MS } from '@svc/platform'
import { nextTime } from './zoned-time.ts'

/** How often normal notifications of a category are gathered into one mail. */
export type DigestInterval = '15m' | '1h' | `daily@${string}`

const DAILY = /^daily@((?:[01]\d|2[0-3]):[0-5]\d)$/
const FIXED: Readonly<Record<string, number>> = { '15m': 15 * MINUTE_MS, '1h': 60 * MINUTE_MS }

export function isDigestInterval(text: string): text is DigestInterval {
  return Object.hasOwn(FIXED, text) || DAILY.test(text)
}

/**
 * When the digest goes out that what is due now belongs to: quarters and full hours count from the epoch, days by the
 * clocks of the zone. Always later than `now`. Milliseconds since the epoch.
 */
export function digestTime(now: number, zone: string, interval: DigestInterval): number {
  const step = FIXED[interval]
  if (step !== undefined) return (Math.floor(now / step) + 1) * step
  const [, time] = DAILY.exec(interval) ?? []
  if (time === undefined) throw new TypeError('not an interval of digests')
  return nextTime(now, zone, time)
}
