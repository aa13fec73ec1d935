import type { AuthorizedResult } from '../access-tokens.ts'
import {
  isTransientStatus,
  memberOf,
  type ProviderAnswer,
  transientOutcome,
} from '../provider-call.ts'

/** How long to wait after a 429 that does not say. */
const QUOTA_WAIT_MS = 60_000

const CONFIG: ReadonlySet<string> = new Set([
  'permission_denied',
  'sender_id_mismatch',
  // The key of APNs, or of web pushes, that the project has there: no fault of our access token.
  'third_party_auth_error',
])
const TRANSIENT: ReadonlySet<string> = new Set(['internal', 'quota_exceeded', 'unavailable'])

/** Maps an answer of `messages:send` to an outcome: its `errorCode` counts before the status. @see notifications.md 16.4 */
export function classifyFcm(answer: ProviderAnswer, now: number): AuthorizedResult {
  const { status, json } = answer
  if (status === 200) {
    return typeof memberOf(json, 'name') === 'string'
      ? { class: 'sent' }
      : { class: 'config', code: 'fcm_malformed' }
  }
  const details = detailsOf(json)
  const reason = errorCodeOf(details)
  const code = `fcm_${reason ?? status}`
  if (reason === 'unregistered' || (status === 400 && isTokenMalformed(details))) {
    return { class: 'permanent', code, isTokenDead: true }
  }
  if (reason !== undefined && CONFIG.has(reason)) return { class: 'config', code }
  if (isTransientStatus(status) || (reason !== undefined && TRANSIENT.has(reason))) {
    const isQuota = status === 429 || reason === 'quota_exceeded'
    return transientOutcome(code, answer, now, isQuota ? QUOTA_WAIT_MS : 0)
  }
  if (status === 401) return 'unauthorized'
  // A wrong project or endpoint: no fault of the device.
  const isConfig = status === 403 || status < 400
  return { class: isConfig ? 'config' : 'permanent', code }
}

function detailsOf(json: unknown): readonly unknown[] {
  const details = memberOf(memberOf(json, 'error'), 'details')
  return Array.isArray(details) ? details : []
}

/** `error.details[].errorCode`, in small letters. */
function errorCodeOf(details: readonly unknown[]): string | undefined {
  const code = details.map((detail) => memberOf(detail, 'errorCode')).find((found) => found)
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code.toLowerCase() : undefined
}

/** Whether `google.rpc.BadRequest` names the device token. */
function isTokenMalformed(details: readonly unknown[]): boolean {
  return details
    .flatMap((detail) => memberOf(detail, 'fieldViolations') ?? [])
    .some((violation) => memberOf(violation, 'field') === 'message.token')
}
