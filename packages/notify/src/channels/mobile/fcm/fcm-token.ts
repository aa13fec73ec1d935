import type { Outbound } from '@svc/platform'
import {
  type AccessTokens,
  createAccessTokens,
  type FetchedToken,
  readTokenAnswer,
} from '../access-tokens.ts'
import {
  callProvider,
  isTransientStatus,
  refusedOutcome,
  transientOutcome,
} from '../provider-call.ts'
import type { PushOutcome } from '../push-gateway.ts'
import type { ServiceAccount } from './service-account.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const ASSERTION_S = 3600

/** Access tokens for a service account. @see notifications.md 16.4; RFC 7523 */
export function createFcmTokens(options: {
  readonly account: ServiceAccount
  readonly outbound: Outbound
  readonly clock: { now(): number }
}): AccessTokens {
  const { account, outbound, clock } = options

  async function fetchToken(): Promise<FetchedToken | { readonly failure: PushOutcome }> {
    const body = new URLSearchParams({
      grant_type: GRANT_TYPE,
      assertion: await signAssertion(account, Math.floor(clock.now() / 1000)),
    })
    const result = await callProvider(outbound, account.tokenUri, {
      method: 'POST',
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: body.toString(),
      isTrusted: true,
    })
    if ('failure' in result) return result
    const { answer } = result
    const code = `fcm_token_${answer.status}`
    if (isTransientStatus(answer.status)) {
      return { failure: transientOutcome(code, answer, clock.now()) }
    }
    const token = answer.status === 200 ? readTokenAnswer(answer.json) : undefined
    return token ?? { failure: refusedOutcome(code, answer, clock.now()) }
  }

  return createAccessTokens({ clock, fetchToken })
}

async function signAssertion(account: ServiceAccount, nowS: number): Promise<string> {
  const { SignJWT } = await import('jose')
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: account.privateKeyId })
    .setIssuer(account.clientEmail)
    .setAudience(account.tokenUri)
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + ASSERTION_S)
    .sign(account.privateKey)
}
