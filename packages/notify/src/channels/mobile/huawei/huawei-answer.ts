import {
  isTransientStatus,
  memberOf,
  parseJson,
  type ProviderAnswer,
  transientOutcome,
} from '../provider-call.ts'
import type { PushOutcome } from '../push-gateway.ts'

/** An outcome, that the access token was refused, or that all tokens of the request are invalid. */
export type HuaweiResult = PushOutcome | 'unauthorized' | 'invalid_token'

const SUCCESS = '80000000'
const SOME_ILLEGAL = '80100000'
const ALL_INVALID = '80300007'
const SYSTEM_ERROR = '81000001'
const NOT_AUTHORIZED: ReadonlySet<string> = new Set(['80200001', '80200003'])
const NO_PERMISSION = '80300002'

/** Maps an answer of Push Kit to an outcome: its own code counts before the status. @see notifications.md 16.6 */
export function classifyHuawei(answer: ProviderAnswer, token: string, now: number): HuaweiResult {
  const { status, json } = answer
  const given = memberOf(json, 'code')
  const business = typeof given === 'string' && /^\d{1,10}$/.test(given) ? given : undefined
  const code = `huawei_${business ?? status}`
  if (business === ALL_INVALID) return 'invalid_token'
  if (business === SOME_ILLEGAL && illegalTokens(json).includes(token)) {
    return { class: 'permanent', code, isTokenDead: true }
  }
  if ((business !== undefined && NOT_AUTHORIZED.has(business)) || status === 401) {
    return 'unauthorized'
  }
  if (business === NO_PERMISSION || status === 403) return { class: 'config', code }
  if (isTransientStatus(status) || business === SYSTEM_ERROR) {
    return transientOutcome(code, answer, now)
  }
  const isSent = status === 200 && (business === SUCCESS || given === undefined)
  return isSent ? { class: 'sent' } : { class: 'permanent', code }
}

/** Parsed from `msg`, which is JSON within the JSON. */
function illegalTokens(json: unknown): readonly unknown[] {
  const message = memberOf(json, 'msg')
  const found =
    memberOf(json, 'illegal_tokens') ??
    memberOf(typeof message === 'string' ? parseJson(message) : message, 'illegal_tokens')
  return Array.isArray(found) ? found : []
}
