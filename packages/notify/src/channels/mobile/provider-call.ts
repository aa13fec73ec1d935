import {
  DAY_MS,
  MINUTE_MS,
  isOutboundError,
  type Outbound,
  type OutboundRequest,
} from '@svc/platform'
import type { PushOutcome } from './push-gateway.ts'

/** A provider's answer. */
export interface ProviderAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Parsed; undefined when it is no JSON. */
  readonly json: unknown
}

/** One HTTP exchange with a provider. @see notifications.md 18 */
export const CALL_MS = 10_000
export const MAX_ANSWER_BYTES = 65_536
const LONGEST_WAIT_MS = DAY_MS
/** How far the clock of this machine may be from a provider's. @see D99 */
const CLOCK_TOLERANCE_MS = MINUTE_MS

/** Calls a provider; what keeps it from answering becomes an outcome. */
export async function callProvider(
  outbound: Outbound,
  url: string | URL,
  request: OutboundRequest,
): Promise<{ readonly answer: ProviderAnswer } | { readonly failure: PushOutcome }> {
  try {
    const limits = { maxBytes: MAX_ANSWER_BYTES, totalMs: CALL_MS }
    const { status, headers, body } = await outbound.request(url, { ...request, ...limits })
    return { answer: { status, headers, json: parseJson(body.toString()) } }
  } catch (error) {
    // The status decides even if the body fails: an accepted push is not sent again.
    if (isOutboundError(error) && error.status !== undefined) {
      return { answer: { status: error.status, headers: {}, json: undefined } }
    }
    return { failure: failureOf(error) }
  }
}

function failureOf(error: unknown): PushOutcome {
  if (!isOutboundError(error)) return { class: 'transient', code: 'timeout' }
  if (error.kind === 'refused') return { class: 'config', code: 'address_refused' }
  return { class: 'transient', code: error.kind }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** A member of a JSON object that came from outside; undefined for anything else. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name] // An object, as just seen.
    : undefined
}

/** Whether a status says that trying again makes sense. */
export function isTransientStatus(status: number): boolean {
  return status === 429 || status >= 500
}

/** `transient`, as soon as the provider wants. @param leastMs - when it does not say */
export function transientOutcome(
  code: string,
  { headers }: Pick<ProviderAnswer, 'headers'>,
  now: number,
  leastMs = 0,
): PushOutcome {
  const asked = retryAfterOf(headers['retry-after'], now)
  const retryAfterMs = asked ?? leastMs
  return { class: 'transient', code, ...(retryAfterMs > 0 && { retryAfterMs }) }
}

/** `config`: a proof that holds for a time was refused. A clock that is off is named, since it alone may be the cause. */
export function refusedOutcome(
  code: string,
  { headers }: Pick<ProviderAnswer, 'headers'>,
  now: number,
): PushOutcome {
  const aheadMs = clockAheadMs(headers, now)
  if (aheadMs === 0) return { class: 'config', code }
  return { class: 'config', code: `${code}_clock_${aheadMs > 0 ? 'ahead' : 'behind'}` }
}

/**
 * How far this machine's clock is ahead of the one that wrote `Date`, in milliseconds; negative: behind. 0 within a
 * minute, or without such a header.
 */
export function clockAheadMs({ date }: ProviderAnswer['headers'], now: number): number {
  const aheadMs = now - Date.parse(String(date))
  return Math.abs(aheadMs) > CLOCK_TOLERANCE_MS ? aheadMs : 0
}

/** Seconds, or a date. @see RFC 9110 10.2.3 */
function retryAfterOf(value: string | readonly string[] | undefined, now: number) {
  if (typeof value !== 'string') return undefined
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_WAIT_MS)
}
