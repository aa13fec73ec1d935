import { isTransientStatus, type ProviderAnswer, transientOutcome } from '../provider-call.ts'
import type { PushOutcome } from '../push-gateway.ts'

/** How long to wait after a 429 that does not say. */
const QUOTA_WAIT_MS = 60_000

/** What a push service's answer means. @see notifications.md 23.6; RFC 8030 7.3, 8.4 */
export function judgeWebPush(answer: ProviderAnswer, now: number): PushOutcome {
  const { status } = answer
  if (status >= 200 && status < 300) return { class: 'sent' }
  const code = `webpush_${status}`
  if (status === 404 || status === 410) return { class: 'permanent', code, isTokenDead: true }
  if (isTransientStatus(status)) {
    return transientOutcome(code, answer, now, status === 429 ? QUOTA_WAIT_MS : 0)
  }
  // Our proof of who we are was refused.
  return { class: status === 401 || status === 403 ? 'config' : 'permanent', code }
}
