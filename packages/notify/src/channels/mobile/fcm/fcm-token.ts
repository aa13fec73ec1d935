import { SignJWT } from 'jose'
import type { Outbound } from '@svc/oauth-core'
import { type AccessTokens, createAccessTokens, type FetchedToken } from '../access-tokens.ts'
import { callProvider, isTransientStatus, memberOf, transientOutcome } from '../provider-call.ts'
import type { PushOutcome } from '../push-gateway.ts'
import type { ServiceAccount } from './service-account.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const ASSERTION_S = 3600
/** How long before its end a token is no longer used. */
const MARGIN_MS = 60_000

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
    const { status, json } = answer
    if (isTransientStatus(status)) {
      return { failure: transientOutcome(`fcm_token_${status}`, answer, clock.now()) }
    }
    const token = memberOf(json, 'access_token')
    const seconds = Number(memberOf(json, 'expires_in'))
    if (status !== 200 || typeof token !== 'string' || !(seconds > 0)) {
      return { failure: { class: 'config', code: `fcm_token_${status}` } }
    }
    return { token, goodForMs: seconds * 1000 - MARGIN_MS }
  }

  return createAccessTokens({ clock, fetchToken })
}

function signAssertion(account: ServiceAccount, nowS: number): Promise<string> {
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: account.privateKeyId })
    .setIssuer(account.clientEmail)
    .setAudience(account.tokenUri)
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + ASSERTION_S)
    .sign(account.privateKey)
}
