import type { Priority } from '../../../outbox/notification.ts'
import { byteLength, fitPayload, MAX_PAYLOAD_BYTES, wholeSeconds } from '../payload-size.ts'
import type { OutgoingPush } from '../push-gateway.ts'

/** Device tokens of APNs go into a path. @see notifications.md 17 */
export const APNS_TOKEN: RegExp = /^[0-9a-fA-F]{64,200}$/

/** `apns-priority`. @see notifications.md 9 */
export function apnsPriority(priority: Priority | undefined): '5' | '10' {
  return priority === 'normal' ? '5' : '10'
}

/** @see notifications.md 16.5 */
export function toApnsHeaders(
  push: OutgoingPush,
  { topic, now }: { readonly topic?: string; readonly now: number },
): Readonly<Record<string, string>> {
  const { ttlMs } = push
  return {
    'apns-push-type': 'alert',
    'apns-priority': apnsPriority(push.priority),
    'apns-collapse-id': push.collapseHash,
    ...(topic !== undefined && { 'apns-topic': topic }),
    'apns-id': push.id,
    ...(ttlMs !== undefined && {
      'apns-expiration': String(Math.floor(now / 1000) + wholeSeconds(ttlMs)),
    }),
    'content-type': 'application/json; charset=utf-8',
  }
}

/** The payload as JSON, cut to what APNs takes; undefined when that cannot be done. */
export function toApnsPayload(push: OutgoingPush): string | undefined {
  const fitting = fitPayload(push, MAX_PAYLOAD_BYTES, (candidate) =>
    byteLength(toObject(candidate)),
  )
  return fitting === undefined ? undefined : JSON.stringify(toObject(fitting))
}

function toObject({ title, body, sound, data }: OutgoingPush): object {
  const aps = { alert: { title, body }, ...(sound !== undefined && { sound }) }
  const given = Object.entries(data).filter(([name]) => name !== 'aps')
  return Object.fromEntries([['aps', aps], ...given])
}
