import { isJsonObject } from '../events/event.ts'
import type { Topic } from '../events/subscriptions.ts'
import { MAX_ECHO_LENGTH, MAX_ID_LENGTH, MAX_TYPE_LENGTH } from '../limits.ts'
import type { CommandSource, SocketErrorCode } from './socket-errors.ts'

/** A message of a client. @see realtime.md 2 */
export interface Command {
  /** In upper case: the case sent means nothing. */
  readonly name: string
  /** As sent; empty when there was none. */
  readonly method: string
  readonly payload: unknown
  /** What an error about it sends back. */
  readonly source: CommandSource
}

/** Undefined for what is not a JSON object. */
export function parseCommand(text: string): Command | undefined {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isJsonObject(message)) return undefined
  const { method: sent, payload } = message
  const method = typeof sent === 'string' ? sent : ''
  const name = method.toUpperCase()
  // A token is never sent back, whatever else the payload of an AUTH holds.
  const echoed = name === 'AUTH' ? undefined : echoPayload(payload)
  const source = {
    ...(typeof sent === 'string' && { method: cut(sent) }),
    ...(echoed !== undefined && { payload: echoed }),
  }
  return { name, method, payload, source }
}

/** The topic of a payload, or the error it is answered with. @see realtime.md 2.2, 4 */
export function parseTopic(payload: unknown): Topic | SocketErrorCode {
  if (!isJsonObject(payload)) return 'no_type'
  const { type, id } = payload
  if (typeof type !== 'string' || type === '') return 'no_type'
  if (type.length > MAX_TYPE_LENGTH) return 'bad_payload'
  if (id === undefined || id === '') return { type }
  if (typeof id !== 'string' || id.length > MAX_ID_LENGTH) return 'bad_payload'
  return { type, id }
}

function echoPayload(payload: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isJsonObject(payload)) return undefined
  const entries = (['type', 'id'] as const)
    .map((name) => [name, payload[name]] as const)
    .filter(([, value]) => value !== undefined && (typeof value !== 'object' || value === null))
    .map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value] as const)
  return Object.fromEntries(entries)
}

function cut(text: string): string {
  return text.slice(0, MAX_ECHO_LENGTH)
}
