import { hash } from 'node:crypto'
import { CLOCK_SKEW_MS, type Instance, type KeyKind, type Keyring } from '@svc/platform'
import { LRUCache } from 'lru-cache'
import { expiredToken, invalidToken } from './bearer.ts'
import { INTERFACE, type JwtClaims, LIFE_OF, type TokenKind, verifyJwt } from './jwt.ts'

/** A token whose signature and claims were found good once, with what is still asked of it. */
export interface VerifiedToken {
  readonly claims: Pick<JwtClaims, 'gid' | 'jti' | 'scope' | 'session_id' | 'sub'>
  readonly audience: TokenKind
  readonly kid: string
  readonly kind: KeyKind
  /** Milliseconds since the epoch. */
  readonly issuedAt: number
  readonly expiresAt: number
}

export interface TokenCacheOptions {
  readonly clock: { now(): number }
  readonly keyring: Keyring
  /** Tokens kept. */
  readonly max: number
}

/** Verified tokens by their digest: a token is parsed and its signature checked once. */
export class TokenCache {
  readonly #options: TokenCacheOptions
  readonly #verified: LRUCache<string, VerifiedToken>

  constructor(options: TokenCacheOptions) {
    this.#options = options
    // A `max` would take the memory of all of them at once.
    this.#verified = new LRUCache({ maxSize: options.max, sizeCalculation: () => 1 })
  }

  /**
   * @param resource - the address whose tokens are taken; `''`: the interface itself
   * @throws OAuthError `invalid_token`
   */
  verify(instance: Instance, text: string, resource = ''): VerifiedToken | Promise<VerifiedToken> {
    // Instance and audience are part of the key: what one accepted says nothing to another.
    const key = `${instance.id}:${resource}:${hash('sha256', text, 'base64url')}`
    const known = this.#verified.get(key)
    if (known !== undefined) return this.#checkDates(known, key)
    return this.#open(instance, text, resource).then((token) => {
      this.#checkDates(token, key)
      this.#verified.set(key, token)
      return token
    })
  }

  /** What time may have changed since the token was verified. */
  #checkDates(token: VerifiedToken, key: string): VerifiedToken {
    const now = this.#options.clock.now()
    if (token.issuedAt > now + CLOCK_SKEW_MS) throw invalidToken('issued in the future')
    if (now < token.expiresAt) return token
    this.#verified.delete(key)
    throw expiredToken()
  }

  async #open(instance: Instance, text: string, resource: string): Promise<VerifiedToken> {
    const { keyring, clock } = this.#options
    const isHere = (audience: string): TokenKind | undefined =>
      audience === resource ? 'resource' : undefined
    const takes = resource === '' ? INTERFACE : isHere
    const check = await verifyJwt(text, instance, keyring, clock.now(), takes)
    if (check === 'expired') throw expiredToken()
    if (check === 'invalid') throw invalidToken('not a token of ours')
    const { kind: audience, key } = check
    const { iat, exp, jti, sub, gid, scope, session_id } = check.claims
    const issuedAt = iat * 1000
    const claims = {
      sub,
      ...(gid !== undefined && { gid }),
      ...(scope !== undefined && { scope }),
      ...(session_id !== undefined && { session_id }),
      // Names the refresh token that it came with.
      ...(audience === 'resource' && jti !== undefined && { jti }),
    }
    const expiresAt = Math.min(exp * 1000, issuedAt + LIFE_OF[audience])
    return { audience, claims, kid: key.kid, kind: key.kind, issuedAt, expiresAt }
  }
}
