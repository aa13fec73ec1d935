import type { AuthorizedResult } from '../access-tokens.ts'
import {
  isTransientStatus,
  memberOf,
  type ProviderAnswer,
  transientOutcome,
} from '../provider-call.ts'

/** How long to wait after a 429 that does not say. */
const QUOTA_WAIT_MS = 60_000

/** What an answer of `messages:send` means. @see notifications.md 16.4 */
export function classifyFcm(answer: ProviderAnswer, now: number): AuthorizedResult {
  const { status, json } = answer
  if (status === 200) {
    return typeof memberOf(json, 'name') === 'string'
      ? { class: 'sent' }
      : { class: 'config', code: 'fcm_malformed' }
  }
  if (status === 401) return 'unauthorized'
  const reason = errorCodeOf(json)
  const code = `fcm_${reason ?? status}`
  if (status === 404 && reason === 'unregistered') {
    return { class: 'permanent', code, isTokenDead: true }
  }
  if (isTransientStatus(status)) {
    return transientOutcome(code, answer, now, status === 429 ? QUOTA_WAIT_MS : 0)
  }
  // A wrong project or endpoint: no fault of the device.
  const isConfig = status === 403 || status < 400
  return { class: isConfig ? 'config' : 'permanent', code }
}

/** `error.details[].errorCode`, in small letters. */
function errorCodeOf(json: unknown): string | undefined {
  const details = memberOf(memberOf(json, 'error'), 'details')
  if (!Array.isArray(details)) return undefined
  const code = details.map((detail) => memberOf(detail, 'errorCode')).find((found) => found)
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code.toLowerCase() : undefined
}
