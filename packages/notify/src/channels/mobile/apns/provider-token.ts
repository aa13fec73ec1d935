import { SignJWT } from 'jose'
import { type AccessTokens, createAccessTokens } from '../access-tokens.ts'
import type { ApnsTokenCredentials } from './apns-credentials.ts'

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
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'ES256', kid: keyId })
        .setIssuer(teamId)
        .setIssuedAt(Math.floor(clock.now() / 1000))
        .sign(key)
      return { token, goodForMs: GOOD_FOR_MS }
    },
  })
}
