import type { AuthorizedResult } from '../access-tokens.ts'
import {
  isTransientStatus,
  memberOf,
  type ProviderAnswer,
  refusedOutcome,
  transientOutcome,
} from '../provider-call.ts'

const DEAD: ReadonlySet<string> = new Set(['ExpiredToken', 'Unregistered'])
/** SPEC: D39, D98 - topic errors are configuration. */
const TOPIC: ReadonlySet<string> = new Set([
  'BadTopic',
  'DeviceTokenNotForTopic',
  'MissingTopic',
  'TopicDisallowed',
])

/**
 * Maps an answer of APNs to an outcome.
 * @param tokenSince - when the device gave its token: one that was given again since lives
 * @see notifications.md 16.5
 */
export function classifyApns(
  answer: ProviderAnswer,
  { tokenSince, now }: { readonly tokenSince: number; readonly now: number },
): AuthorizedResult {
  const { status, json } = answer
  if (status === 200) return { class: 'sent' }
  const given = memberOf(json, 'reason')
  const reason = typeof given === 'string' && /^[A-Za-z]{1,40}$/.test(given) ? given : undefined
  const code = `apns_${reason === undefined ? status : toSnakeCase(reason)}`
  if (status === 403) {
    return reason === 'ExpiredProviderToken' ? 'unauthorized' : refusedOutcome(code, answer, now)
  }
  if (status === 410) {
    const isDead = reason !== undefined && DEAD.has(reason) && !isOlder(json, tokenSince)
    return { class: 'permanent', code, ...(isDead && { isTokenDead: true as const }) }
  }
  if (isTransientStatus(status)) return transientOutcome(code, answer, now)
  const isConfig = status < 400 || (status === 400 && reason !== undefined && TOPIC.has(reason))
  return { class: isConfig ? 'config' : 'permanent', code }
}

function isOlder(json: unknown, tokenSince: number): boolean {
  const timestamp = memberOf(json, 'timestamp')
  return typeof timestamp === 'number' && timestamp < tokenSince
}

function toSnakeCase(reason: string): string {
  return reason.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
}
