import type { Answered } from './evidence.ts'

const DISTURBED: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Whether a limit or an outage came in between. Limits that are reached on purpose disturb nobody. */
export function isDisturbance({ label, answer }: Answered): boolean {
  return DISTURBED.has(answer.status) && !(answer.status === 429 && label.startsWith('lim.'))
}
