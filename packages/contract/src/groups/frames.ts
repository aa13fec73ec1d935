import type { Answered } from '../model/evidence.ts'
import { jsonOf } from '../model/expect.ts'

/** A message of the server. */
export interface Message {
  readonly event?: unknown
  readonly payload?: Readonly<Record<string, unknown>>
}

/** Messages that came over a connection, in order. */
export function messagesOf(exchange: Answered): readonly Message[] {
  const { frames } = jsonOf(exchange)
  if (!Array.isArray(frames)) return []
  return frames.map((frame) => (frame as { readonly data: Message }).data ?? {}) // as `Socket` wrote them
}

/** Those that are no errors. */
export function eventsOf(exchange: Answered): readonly Message[] {
  return messagesOf(exchange).filter(({ event }) => event !== 'error')
}

export function errorsOf(exchange: Answered): readonly Message[] {
  return messagesOf(exchange).filter(({ event }) => event === 'error')
}

/** How the server closed a connection; absent when it kept it open. */
export function closeOf(
  exchange: Answered,
): { readonly code: number; readonly reason: string; readonly ms: number } | undefined {
  const { close } = jsonOf(exchange)
  return close as { code: number; reason: string; ms: number } | undefined // as `Socket` wrote it
}
