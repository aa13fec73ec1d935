import { DAY_MS, HOUR_MS } from '@svc/platform'
import type { AssistantDuration, ConsentDuration } from '../ports.ts'

/**
 * In the order they are shown.
 * @example
 * const [first] = CONSENT_DURATIONS // until_revoked
 */
export const CONSENT_DURATIONS: readonly ConsentDuration[] = ['until_revoked', '1h', '1d', '30d']

/** The same of an assistant, which is that of their length. */
export const ASSISTANT_DURATIONS: readonly AssistantDuration[] = ['1h', '1d', '30d']

/** What an answer means that names no time, unless the operator allows less. */
const PRESET: AssistantDuration = '1d'

/** What is offered of them: nothing that is longer than the operator allows. */
export function assistantDurations(most: AssistantDuration): readonly AssistantDuration[] {
  return ASSISTANT_DURATIONS.slice(0, ASSISTANT_DURATIONS.indexOf(most) + 1)
}

/** The longest one that is offered and not longer than this. */
export function assistantDuration(
  most: AssistantDuration,
  wanted: ConsentDuration = PRESET,
): AssistantDuration {
  return assistantDurations(most).find((one) => one === wanted) ?? most
}

/** The time that a span comes nearest to, from above. */
export function durationOfSpan(spanMs: number | undefined): ConsentDuration {
  if (spanMs === undefined) return 'until_revoked'
  if (spanMs <= HOUR_MS) return '1h'
  return spanMs <= DAY_MS ? '1d' : '30d'
}
