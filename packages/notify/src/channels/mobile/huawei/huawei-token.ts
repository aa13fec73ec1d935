import type { Outbound } from '@svc/platform'
import type { HuaweiOptions } from '../mobile-options.ts'
import {
  type AccessTokens,
  createAccessTokens,
  type FetchedToken,
  readTokenAnswer,
} from '../access-tokens.ts'
import { callProvider, isTransientStatus, memberOf, transientOutcome } from '../provider-call.ts'
import type { PushOutcome } from '../push-gateway.ts'

export const HUAWEI_TOKEN_URL = 'https://oauth-login.cloud.huawei.com/oauth2/v3/token'

/** How long a token of `getTokenUrl` is kept: it does not say. */
const KEPT_MS = 55 * 60_000

/** Access tokens of Push Kit, from a service of the operator or from the vendor. @see notifications.md 16.3 */
export function createHuaweiTokens(options: {
  readonly huawei: HuaweiOptions
  readonly outbound: Outbound
  readonly clock: { now(): number }
}): AccessTokens {
  const { huawei, outbound, clock } = options

  function ask() {
    const headers = { Accept: 'application/json' }
    if (huawei.getTokenUrl !== undefined) {
      return callProvider(outbound, huawei.getTokenUrl, { method: 'GET', headers, isTrusted: true })
    }
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: huawei.clientId ?? '',
      client_secret: huawei.clientSecret ?? '',
    })
    return callProvider(outbound, huawei.tokenUrl ?? HUAWEI_TOKEN_URL, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
      isTrusted: true,
    })
  }

  /** The token of an answer with its time, or undefined. */
  function read(json: unknown): FetchedToken | undefined {
    if (huawei.getTokenUrl === undefined) return readTokenAnswer(json)
    const token = memberOf(json, 'accessToken')
    return typeof token === 'string' && token !== '' ? { token, goodForMs: KEPT_MS } : undefined
  }

  async function fetchToken(): Promise<FetchedToken | { readonly failure: PushOutcome }> {
    const result = await ask()
    if ('failure' in result) return result
    const { answer } = result
    const code = `huawei_token_${answer.status}`
    if (isTransientStatus(answer.status)) {
      return { failure: transientOutcome(code, answer, clock.now()) }
    }
    const token = answer.status === 200 ? read(answer.json) : undefined
    return token ?? { failure: { class: 'config', code } }
  }

  return createAccessTokens({ clock, fetchToken })
}
