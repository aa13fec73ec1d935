import { HOUR_MS } from '@svc/platform'
import type { NotifyErrorCode } from '../notify-error.ts'
import { temporal } from '../preferences/temporal.ts'

/** RFC 3339, its offset optional, or a date alone; hours and minutes are enough. Nothing else of ISO 8601. */
const FORM = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/i

/** How far `at` may be from now, milliseconds. */
export interface AtBounds {
  readonly atPast: number
  readonly atAhead: number
}

/** When something is to be sent: an instant, or what is wrong with the text. */
export type AtResult =
  | { readonly instant: number }
  | {
      readonly code: Extract<NotifyErrorCode, 'invalid_at' | 'at_too_old' | 'at_too_far'>
      readonly description: string
    }

/**
 * Reads `at`. Without an offset it is a time of the owner's zone, a date alone the beginning of that day. A time that the
 * clocks skip is read with the offset from before the jump, one that comes twice is the first ("compatible", RFC 5545).
 * @param zone - IANA name, known to this runtime
 * @param now - milliseconds since the epoch
 * @see notifications.md 11, decisions D36, 0161
 */
export function readAt(text: string, zone: string, now: number, bounds: AtBounds): AtResult {
  const instant = parse(text, zone)
  if (instant === undefined) {
    return { code: 'invalid_at', description: 'at must be a date and time as in RFC 3339' }
  }
  if (instant < now - bounds.atPast) {
    return {
      code: 'at_too_old',
      description: `at must not be more than ${hours(bounds.atPast)} ago`,
    }
  }
  if (instant > now + bounds.atAhead) {
    return {
      code: 'at_too_far',
      description: `at must not be more than ${hours(bounds.atAhead)} ahead`,
    }
  }
  return { instant }
}

function parse(text: string, zone: string): number | undefined {
  const form = FORM.exec(text)
  if (form === null) return undefined
  const { Instant, PlainDate, PlainDateTime } = temporal()
  try {
    if (form[1] !== undefined) return toMs(Instant.from(text))
    if (text.length === 'YYYY-MM-DD'.length) {
      return toMs(PlainDate.from(text).toZonedDateTime(zone))
    }
    const local = PlainDateTime.from(text)
    return toMs(local.toZonedDateTime(zone, { disambiguation: 'compatible' }))
  } catch (error) {
    // A day or hour that does not exist.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Rounded up: never before its time. */
function toMs({ epochNanoseconds }: { readonly epochNanoseconds: bigint }): number {
  const ms = epochNanoseconds / 1_000_000n
  return Number(epochNanoseconds > ms * 1_000_000n ? ms + 1n : ms)
}

function hours(ms: number): string {
  return `${Math.round(ms / HOUR_MS)} hours`
}
