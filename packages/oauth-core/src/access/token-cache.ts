import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { CLOCK_SKEW_MS, type Instance, type KeyKind, type Keyring } from '@svc/platform'
import { type JwtClaims, parseJwt } from '../tokens/jwt.ts'
import { expiredToken, invalidToken } from '../tokens/refusals.ts'
import { type Audience, LIFE_OF, verifyJwt } from '../tokens/verify-jwt.ts'

/** A token whose signature and claims were found good once, with what is still asked of it. */
export interface VerifiedToken {
  readonly claims: Pick<JwtClaims, 'gid' | 'scope' | 'session_id' | 'sub'>
  readonly audience: Audience
  readonly kid: string
  readonly kind: KeyKind
  /** Milliseconds since the epoch. */
  readonly issuedAt: number
  readonly expiresAt: number
}

/** Verified tokens by their digest: a token is parsed and its signature checked once. */
export interface TokenCache {
  /**
   * @throws OAuthError `invalid_token`
   */
  verify(instance: Instance, token: string): VerifiedToken | Promise<VerifiedToken>
}

/** @param options.max - tokens kept */
export function createTokenCache(options: {
  readonly clock: { now(): number }
  readonly keyring: Keyring
  readonly max: number
}): TokenCache {
  const { clock, keyring } = options
  const verified = new LRUCache<string, VerifiedToken>({ max: options.max })

  /** What time may have changed since the token was verified. */
  function checkDates(token: VerifiedToken, key: string): VerifiedToken {
    const now = clock.now()
    if (token.issuedAt > now + CLOCK_SKEW_MS) throw invalidToken('issued in the future')
    if (now < token.expiresAt) return token
    verified.delete(key)
    throw expiredToken()
  }

  async function open(instance: Instance, text: string): Promise<VerifiedToken> {
    const check = await verifyJwt(text, instance, keyring, clock.now())
    if (check === 'expired') throw expiredToken()
    const parsed = parseJwt(text)
    if (check === 'invalid' || parsed === undefined) throw invalidToken('not a token of ours')
    const { aud, iat, exp, sub, gid, scope, session_id } = check.claims
    const issuedAt = iat * 1000
    const claims = {
      sub,
      ...(gid !== undefined && { gid }),
      ...(scope !== undefined && { scope }),
      ...(session_id !== undefined && { session_id }),
    }
    // `verifyJwt` lets no other audience through.
    const audience = aud as Audience
    const expiresAt = Math.min(exp * 1000, issuedAt + LIFE_OF[audience])
    return { audience, claims, kid: parsed.kid, kind: parsed.kind, issuedAt, expiresAt }
  }

  return {
    verify(instance, text) {
      // The instance is part of the key: what one accepted says nothing to another.
      const key = `${instance.id}:${hash('sha256', text, 'base64url')}`
      const known = verified.get(key)
      if (known !== undefined) return checkDates(known, key)
      return open(instance, text).then((token) => {
        checkDates(token, key)
        verified.set(key, token)
        return token
      })
    },
  }
}
