import type { InstanceId } from '@svc/platform'
import type { Json } from '@svc/store'
import { type CheckedEvent, EVENT_VERBS, type EventVerb, isJsonObject } from './event.ts'

/** An event on its way between processes. @see realtime.md 7.3 */
export interface BusMessage {
  /** Process that published it. */
  readonly origin: string
  /** Unique among all events of all processes. */
  readonly id: string
  readonly instanceId: InstanceId
  readonly event: CheckedEvent
}

const VERSION = 1

export function writeBusMessage({ origin, id, instanceId, event }: BusMessage): Json {
  const { verb, type, id: documentId, doc } = event
  const fields = { v: VERSION, o: origin, n: id, i: instanceId, e: verb, t: type, d: documentId }
  return doc === undefined ? fields : { ...fields, doc }
}

/** Undefined for another version, or anything that is not of this form. */
export function readBusMessage(message: Json): BusMessage | undefined {
  if (!isJsonObject(message) || message['v'] !== VERSION) return undefined
  const { o: origin, n: id, i: instanceId, e: verb, t: type, d: documentId, doc } = message
  const isText = [origin, id, instanceId, type, documentId].every(
    (value) => typeof value === 'string' && value !== '',
  )
  if (!isText || !isVerb(verb) || (doc !== undefined && !isJsonObject(doc))) return undefined
  return {
    // All five were found to be texts.
    origin: origin as string,
    id: id as string,
    instanceId: instanceId as InstanceId,
    event: {
      verb,
      type: type as string,
      id: documentId as string,
      ...(doc === undefined ? {} : { doc }),
    },
  }
}

function isVerb(value: unknown): value is EventVerb {
  return (EVENT_VERBS as readonly unknown[]).includes(value)
}
