import { hash } from 'node:crypto'
import {
  CLOCK_SKEW_MS,
  type Instance,
  type InstanceId,
  type KeyKind,
  type Keyring,
} from '@svc/platform'
import type { Key } from '@svc/store'
import { LRUCache } from 'lru-cache'
import { expiredToken, invalidToken } from './bearer.ts'
import {
  INTERFACE,
  type JwtCheck,
  type JwtClaims,
  LIFE_OF,
  type TokenKind,
  verifyJwt,
} from './jwt.ts'

/** A token whose signature and claims were found good once, with what is still asked of it. */
export interface VerifiedToken {
  readonly claims: Pick<JwtClaims, 'gid' | 'jti' | 'scope' | 'session_id' | 'sub'>
  readonly audience: TokenKind
  readonly kid: string
  readonly kind: KeyKind
  /** Milliseconds since the epoch. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** What it names, where it is a client's. */
  readonly granted: GrantedKeys | undefined
}

/** Where the records are that the token of a client names: put together once. */
export interface GrantedKeys {
  readonly clientId: string
  readonly client: Key
  readonly grant: Key
}

/** Where a token was found good: what one instance or resource accepted says nothing to another. */
interface Accepted {
  readonly instanceId: InstanceId
  readonly resource: string
  readonly token: VerifiedToken
}

export interface TokenCacheOptions {
  readonly clock: { now(): number }
  /** Undefined: no client can be called that. */
  readonly keysOf: (
    instanceId: InstanceId,
    subject: string,
    grantId: string,
  ) => GrantedKeys | undefined
  readonly keyring: Keyring
  /** Tokens kept. */
  readonly max: number
}

/** Verified tokens by their digest: a token is parsed and its signature checked once. */
export class TokenCache {
  readonly #options: TokenCacheOptions
  readonly #verified: LRUCache<string, Accepted>

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
    // Its digest: memory holds no token longer than its request.
    const digest = hash('sha256', text, 'binary')
    const known = this.#verified.get(digest)
    if (known?.instanceId === instance.id && known.resource === resource) {
      return this.#checkDates(known.token, digest)
    }
    const accept = (check: JwtCheck): VerifiedToken => {
      const token = this.#toVerified(instance, check)
      this.#checkDates(token, digest)
      this.#verified.set(digest, { instanceId: instance.id, resource, token })
      return token
    }
    const { keyring, clock } = this.#options
    const isHere = (audience: string): TokenKind | undefined =>
      audience === resource ? 'resource' : undefined
    const takes = resource === '' ? INTERFACE : isHere
    const checking = verifyJwt(text, instance, keyring, clock.now(), takes)
    return checking instanceof Promise ? checking.then(accept) : accept(checking)
  }

  /** What time may have changed since the token was verified. */
  #checkDates(token: VerifiedToken, digest: string): VerifiedToken {
    const now = this.#options.clock.now()
    if (token.issuedAt > now + CLOCK_SKEW_MS) throw invalidToken('issued in the future')
    if (now < token.expiresAt) return token
    this.#verified.delete(digest)
    throw expiredToken()
  }

  #toVerified(instance: Instance, check: JwtCheck): VerifiedToken {
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
    return {
      audience,
      claims,
      kid: key.kid,
      kind: key.kind,
      issuedAt,
      expiresAt: Math.min(exp * 1000, issuedAt + LIFE_OF[audience]),
      granted: gid === undefined ? undefined : this.#options.keysOf(instance.id, sub, gid),
    }
  }
}
