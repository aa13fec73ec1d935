import type { Outbound } from '@svc/platform'
import {
  callProvider,
  isTransientStatus,
  type ProviderAnswer,
  refusedOutcome,
  transientOutcome,
} from '../provider-call.ts'
import type { PushGateway, PushOutcome } from '../push-gateway.ts'
import { createVapid, type WebPushOptions } from './vapid.ts'
import {
  parseSubscription,
  type Subscription,
  toPlaintext,
  toWebPushHeaders,
} from './web-push-message.ts'

export interface WebPushGatewayOptions {
  readonly webpush: WebPushOptions
  /** Endpoints come from devices: only what this lets through is reached. */
  readonly outbound: Outbound
  /** Whether the outbound's trusted networks may be reached. @defaultValue `false` */
  readonly isTrusted?: boolean
  readonly clock: { now(): number }
}

const BAD_SUBSCRIPTION: PushOutcome = { class: 'permanent', code: 'webpush_bad_subscription' }

/** Pushes to browsers and other clients of the protocol. @see RFC 8030, RFC 8188, RFC 8291, RFC 8292 */
export function createWebPushGateway(options: WebPushGatewayOptions): PushGateway {
  const { webpush, outbound, isTrusted = false, clock } = options
  const vapid = createVapid(webpush)

  return {
    async send(push, signal) {
      const subscription = parseSubscription(push.token)
      if (subscription?.endpoint.protocol !== 'https:') return BAD_SUBSCRIPTION
      const plaintext = toPlaintext(push)
      if (plaintext === undefined) return { class: 'permanent', code: 'payload_too_large' }
      const body = await encrypt(subscription, plaintext)
      if (body === undefined) return BAD_SUBSCRIPTION
      const { endpoint } = subscription
      const result = await callProvider(outbound, endpoint, {
        method: 'POST',
        isRepeatable: true,
        headers: {
          ...toWebPushHeaders(push),
          Authorization: await vapid.authorize(endpoint.origin, clock.now()),
        },
        body,
        signal,
        isTrusted,
      })
      if ('answer' in result) return classifyWebPush(result.answer, clock.now())
      // The device chose a forbidden address: no fault of the operator.
      const { class: kind, code } = result.failure
      return kind === 'config' ? { class: 'permanent', code: `webpush_${code}` } : result.failure
    },
  }
}

/** One record of `aes128gcm`; undefined for invalid keys. The library is loaded with the first push. */
async function encrypt(
  { p256dh, auth }: Subscription,
  plaintext: string,
): Promise<Uint8Array | undefined> {
  const { default: library } = await import('web-push')
  try {
    return library.encrypt(p256dh, auth, plaintext, 'aes128gcm').cipherText
  } catch {
    return undefined
  }
}

/** How long to wait after a 429 that does not say. */
const QUOTA_WAIT_MS = 60_000

/** Maps a push service's answer to an outcome. @see notifications.md 23.6; RFC 8030 7.3, 8.4 */
export function classifyWebPush(answer: ProviderAnswer, now: number): PushOutcome {
  const { status } = answer
  if (status >= 200 && status < 300) return { class: 'sent' }
  const code = `webpush_${status}`
  if (status === 404 || status === 410) return { class: 'permanent', code, isTokenDead: true }
  if (isTransientStatus(status)) {
    return transientOutcome(code, answer, now, status === 429 ? QUOTA_WAIT_MS : 0)
  }
  // Our proof of who we are was refused.
  if (status === 401 || status === 403) return refusedOutcome(code, answer, now)
  return { class: 'permanent', code }
}
