import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../packages/platform/src/durations.ts'

const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', SECOND_MS],
] as const

/** A duration in the largest unit of which it is a multiple. */
export function durationText(ms: number): string {
  for (const [unit, size] of UNITS) {
    if (ms >= size && ms % size === 0) return `${ms / size} ${unit}${ms === size ? '' : 's'}`
  }
  return `${ms} ms`
}
