import { SECOND_MS } from '@svc/platform'

const CENTURY_S = 100 * 365.25 * 86_400
/** Epoch times above are milliseconds: in seconds this is the year 5138. */
const HIGHEST_EPOCH_S = 1e11
const NUMBER = /^\s*\d{1,20}(?:\.\d{1,20})?\s*$/
const ISO_DATE =
  /^\s*(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-]\d{2}:?\d{2})?\s*$/i

/** When the first usable one of these ends, given as seconds from now. Milliseconds since the epoch. */
export function endOfRelative(values: readonly unknown[], receivedAt: number): number | undefined {
  return values
    .map((value) => within(numberOf(value), receivedAt))
    .find((instant) => instant !== undefined)
}

/**
 * An instant given as epoch seconds, epoch milliseconds or ISO date; without an offset it is UTC. Undefined when it is
 * none, lies in the past or beyond 100 years. Milliseconds since the epoch.
 * @see connectors.md 6.3 (7)
 */
export function endOfAbsolute(value: unknown, receivedAt: number): number | undefined {
  const instant = instantOf(value)
  return instant === undefined
    ? undefined
    : within((instant - receivedAt) / SECOND_MS, receivedAt, instant)
}

function within(
  seconds: number | undefined,
  receivedAt: number,
  instant: number = receivedAt + Math.floor(seconds ?? 0) * SECOND_MS,
): number | undefined {
  const isUsable = seconds !== undefined && seconds > 0 && seconds <= CENTURY_S
  return isUsable && instant > receivedAt ? instant : undefined
}

function instantOf(value: unknown): number | undefined {
  const number = numberOf(value)
  if (number !== undefined) {
    return Math.floor(number > HIGHEST_EPOCH_S ? number : number * SECOND_MS)
  }
  const [, time, offset = 'Z'] = (typeof value === 'string' && ISO_DATE.exec(value)) || []
  if (time === undefined) return undefined
  const instant = Date.parse(`${time.replace(' ', 'T')}${offset}`)
  return Number.isNaN(instant) ? undefined : instant
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined
}
