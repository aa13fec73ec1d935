import type { Json } from '@svc/store'
import { apnsPriority } from '../apns/apns-message.ts'
import { byteLength, fitPayload, MAX_PAYLOAD_BYTES, wholeSeconds } from '../payload-size.ts'
import type { OutgoingPush } from '../push-gateway.ts'

/** Body of `messages:send`. @see notifications.md 16.4 */
export interface FcmRequest {
  readonly message: {
    readonly token: string
    readonly notification: { readonly title: string; readonly body?: string }
    readonly data: Readonly<Record<string, string>>
    readonly android: Readonly<Record<string, unknown>>
    readonly apns?: Readonly<Record<string, unknown>>
  }
}

/** Names that FCM keeps for itself. @see notifications.md 16.4, decision D39 */
const REFUSED = /^(?:from$|message_type$|google\.|gcm\.)/
const OURS: ReadonlySet<string> = new Set(['notId', 'title', 'body'])

/** Names in `data` that cannot be sent. */
export function refusedNames(data: OutgoingPush['data']): string[] {
  return Object.keys(data).filter((name) => REFUSED.test(name))
}

/** The message, cut to what FCM takes; undefined when that cannot be done. */
export function toFcmRequest(push: OutgoingPush): FcmRequest | undefined {
  const measure = (candidate: OutgoingPush): number =>
    byteLength({ notification: toNotification(candidate), data: toData(candidate) })
  const fitting = fitPayload(push, MAX_PAYLOAD_BYTES, measure)
  if (fitting === undefined) return undefined
  return {
    message: {
      token: push.token,
      notification: toNotification(fitting),
      data: toData(fitting),
      android: toAndroid(push),
      ...(push.platform === 'ios' && { apns: toApns(push) }),
    },
  }
}

function toNotification({ title, body }: OutgoingPush): FcmRequest['message']['notification'] {
  return { title, ...(body !== '' && { body }) }
}

/** All values are texts. */
function toData({ notId, title, body, data }: OutgoingPush): Readonly<Record<string, string>> {
  const given = Object.entries(data).flatMap(([name, value]): [string, string][] =>
    OURS.has(name) || REFUSED.test(name) || value === null || value === undefined
      ? []
      : [[name, toText(value)]],
  )
  return Object.fromEntries([['notId', String(notId)], ['title', title], ['body', body], ...given])
}

function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function toAndroid(push: OutgoingPush): Readonly<Record<string, unknown>> {
  const { priority, isCollapsible, collapseHash, sound, ttlMs } = push
  return {
    ...(priority !== undefined && { priority }),
    ...(isCollapsible && { collapse_key: collapseHash }),
    ...(ttlMs !== undefined && { ttl: `${wholeSeconds(ttlMs)}s` }),
    notification: { ...(sound !== undefined && { sound }), tag: collapseHash },
  }
}

function toApns({
  priority,
  collapseHash,
  sound,
}: OutgoingPush): Readonly<Record<string, unknown>> {
  return {
    headers: { 'apns-priority': apnsPriority(priority), 'apns-collapse-id': collapseHash },
    ...(sound !== undefined && { payload: { aps: { sound } } }),
  }
}
