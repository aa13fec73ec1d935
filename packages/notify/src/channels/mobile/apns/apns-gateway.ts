import {
  type AccessTokens,
  type AuthorizedResult,
  createAccessTokens,
  sendAuthorized,
} from '../access-tokens.ts'
import type { OutgoingPush, PushGateway } from '../push-gateway.ts'
import { classifyApns } from './apns-answer.ts'
import { createApnsConnection } from './apns-connection.ts'
import type { ApnsCredentials, ApnsTokenCredentials } from './apns-credentials.ts'
import { APNS_TOKEN, toApnsHeaders, toApnsPayload } from './apns-message.ts'

export const APNS_ORIGIN = 'https://api.push.apple.com'
export const APNS_SANDBOX_ORIGIN = 'https://api.sandbox.push.apple.com'

export interface ApnsGatewayOptions {
  readonly credentials: ApnsCredentials
  /** Origin instead of the vendor's. */
  readonly host?: string
  /** PEM of the authority of that host. */
  readonly ca?: string
  readonly clock: { now(): number }
  /** Milliseconds between pings of the connection. @defaultValue one minute */
  readonly pingMs?: number
  /** Milliseconds until a connection has to stand. @defaultValue `10_000` */
  readonly connectMs?: number
}

/** Pushes over APNs, with one credential on one connection. @see notifications.md 16.5 */
export function createApnsGateway(options: ApnsGatewayOptions): PushGateway {
  const { credentials, host, ca, clock, pingMs, connectMs } = options
  const vendor = credentials.isDevelopment ? APNS_SANDBOX_ORIGIN : APNS_ORIGIN
  const connection = createApnsConnection({
    origin: host ?? vendor,
    tls: { ...certificateOf(credentials), ...(ca !== undefined && { ca }) },
    ...(pingMs !== undefined && { pingMs }),
    ...(connectMs !== undefined && { connectMs }),
  })
  const tokens: AccessTokens | undefined =
    credentials.kind === 'token' ? createProviderTokens(credentials, clock) : undefined

  async function post(
    push: OutgoingPush,
    payload: string,
    signal: AbortSignal,
    authorization: Readonly<Record<string, string>>,
  ): Promise<AuthorizedResult> {
    const { topic } = credentials
    const facts = { now: clock.now(), ...(topic !== undefined && { topic }) }
    const headers = { ...authorization, ...toApnsHeaders(push, facts) }
    try {
      const answer = await connection.post(`/3/device/${push.token}`, headers, payload, signal)
      return classifyApns(answer, { tokenSince: push.tokenSince, now: clock.now() })
    } catch {
      return { class: 'transient', code: signal.aborted ? 'timeout' : 'unreachable' }
    }
  }

  return {
    async send(push, signal) {
      if (!APNS_TOKEN.test(push.token)) return { class: 'permanent', code: 'apns_bad_token' }
      const payload = toApnsPayload(push)
      if (payload === undefined) return { class: 'permanent', code: 'payload_too_large' }
      const refused = { class: 'config', code: 'apns_expired_provider_token' } as const
      if (tokens === undefined) {
        const outcome = await post(push, payload, signal, {})
        return outcome === 'unauthorized' ? refused : outcome
      }
      return sendAuthorized(tokens, signal, refused, (token) =>
        post(push, payload, signal, { authorization: `bearer ${token}` }),
      )
    },
    close: () => connection.close(),
  }
}

function certificateOf(credentials: ApnsCredentials): object {
  if (credentials.kind === 'token') return {}
  const { material, passphrase } = credentials
  return { ...material, ...(passphrase !== undefined && { passphrase }) }
}

/** Apple wants a new one at least every 60 minutes, and none within 20. */
const GOOD_FOR_MS = 40 * 60_000

/** Provider tokens of a `.p8` key. @see notifications.md 16.5 */
export function createProviderTokens(
  { key, keyId, teamId }: ApnsTokenCredentials,
  clock: { now(): number },
): AccessTokens {
  return createAccessTokens({
    clock,
    async fetchToken() {
      const { SignJWT } = await import('jose')
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'ES256', kid: keyId })
        .setIssuer(teamId)
        .setIssuedAt(Math.floor(clock.now() / 1000))
        .sign(key)
      return { token, goodForMs: GOOD_FOR_MS }
    },
  })
}
