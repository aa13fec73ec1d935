import { createHash, randomBytes } from 'node:crypto'

/** What a client asked for on the authorization page. */
export interface AuthorizationRequest {
  readonly redirectUri: string
  readonly scope: string
  readonly state: string
  /** S256. */
  readonly codeChallenge: string
}

/** One "yes" of the person, until it is taken back. */
export interface ProviderGrant {
  readonly id: string
  readonly scope: string
  readonly since: number
}

export interface ProviderTokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly scope: string
}

/** Codes, tokens and what they stand for. Everything lives as long as the process. */
export interface ProviderGrants {
  /** Remembers a request while the person decides. */
  ask(request: AuthorizationRequest): string
  /** The request, once. */
  decide(id: string): AuthorizationRequest | undefined
  allow(request: AuthorizationRequest): string
  /** Undefined: the code is unknown, used, too old, or not for this redirect and verifier. */
  exchange(code: string, redirectUri: string, verifier: string): ProviderTokens | undefined
  /** Undefined: refused. A token that was used before ends its whole grant. */
  refresh(token: string): ProviderTokens | undefined
  grantOf(accessToken: string): ProviderGrant | undefined
  list(): readonly ProviderGrant[]
  revoke(grantId: string): void
  /** RFC 7009: of whatever kind the token is. */
  revokeToken(token: string): void
}

const CODE_MS = 60_000
const ASK_MS = 600_000
const MAX_KEPT = 10_000

interface Kept<Value> {
  readonly value: Value
  readonly until: number
}

export function createProviderGrants(options: {
  readonly clock: { now(): number }
  readonly tokenLifeMs: number
}): ProviderGrants {
  const { clock, tokenLifeMs } = options
  const asked = new Map<string, Kept<AuthorizationRequest>>()
  const codes = new Map<string, Kept<AuthorizationRequest>>()
  const accessTokens = new Map<string, Kept<string>>()
  /** Value: the grant, and whether the token was used. */
  const refreshTokens = new Map<string, { readonly grantId: string; isUsed: boolean }>()
  const grants = new Map<string, ProviderGrant>()

  function keep<Value>(kept: Map<string, Value>, value: Value): string {
    const [oldest] = kept.keys()
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    const key = randomBytes(32).toString('base64url')
    kept.set(key, value)
    return key
  }

  function take<Value>(kept: Map<string, Kept<Value>>, key: string): Value | undefined {
    const found = kept.get(key)
    kept.delete(key)
    return found !== undefined && found.until > clock.now() ? found.value : undefined
  }

  function issue({ id, scope }: ProviderGrant): ProviderTokens {
    const until = clock.now() + tokenLifeMs
    return {
      accessToken: keep(accessTokens, { value: id, until }),
      refreshToken: keep(refreshTokens, { grantId: id, isUsed: false }),
      scope,
    }
  }

  function revoke(grantId: string): void {
    grants.delete(grantId)
    for (const [token, { value }] of accessTokens) {
      if (value === grantId) accessTokens.delete(token)
    }
  }

  return {
    ask: (request) => keep(asked, { value: request, until: clock.now() + ASK_MS }),
    decide: (id) => take(asked, id),
    allow: (request) => keep(codes, { value: request, until: clock.now() + CODE_MS }),
    exchange(code, redirectUri, verifier) {
      const request = take(codes, code)
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      if (request?.redirectUri !== redirectUri || request.codeChallenge !== challenge) {
        return undefined
      }
      const grant = { id: randomBytes(8).toString('hex'), since: clock.now(), scope: request.scope }
      grants.set(grant.id, grant)
      return issue(grant)
    },
    refresh(token) {
      const known = refreshTokens.get(token)
      const grant = known && grants.get(known.grantId)
      if (known === undefined || grant === undefined) return undefined
      if (known.isUsed) {
        revoke(grant.id)
        return undefined
      }
      known.isUsed = true
      return issue(grant)
    },
    grantOf(accessToken) {
      const kept = accessTokens.get(accessToken)
      if (kept === undefined || kept.until <= clock.now()) return undefined
      return grants.get(kept.value)
    },
    list: () => [...grants.values()],
    revoke,
    revokeToken(token) {
      const grantId = refreshTokens.get(token)?.grantId ?? accessTokens.get(token)?.value
      if (grantId !== undefined) revoke(grantId)
    },
  }
}
