import { createHash, randomBytes } from 'node:crypto'

/** What an owner allowed at a provider, and the tokens that came of it. */
interface Grant {
  readonly id: string
  readonly clientId: string
  readonly scope: string
  /** When tokens were given for it first. Milliseconds since the epoch. */
  since: number | undefined
  readonly nonce: string | undefined
  refreshToken: string
  isRevoked: boolean
}

interface Code {
  readonly grant: Grant
  readonly redirectUri: string | undefined
  readonly challenge: string | undefined
  readonly endsAt: number
  isUsed: boolean
}

/** A "yes" of the owner that somebody has tokens for, until it is taken back. */
export interface LiveGrant {
  readonly id: string
  readonly scope: string
  /** Milliseconds since the epoch. */
  readonly since: number
}

export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly scope: string
  readonly nonce: string | undefined
}

export interface GrantRules {
  /** Whether each refresh gives another refresh token; using an old one then ends the grant. */
  readonly isRotating: boolean
  /** Life of access tokens. Seconds. */
  readonly expiresIn: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Codes and tokens of a provider, as RFC 6749, 7636 and 9700 want them kept. */
export interface ProviderGrants {
  allow(request: {
    readonly clientId: string
    readonly redirectUri?: string
    readonly scope: string
    readonly challenge?: string
    readonly nonce?: string
  }): string
  /** Undefined: `invalid_grant`. */
  exchange(
    code: string,
    clientId: string,
    redirectUri: string | undefined,
    verifier: string | undefined,
  ): IssuedTokens | undefined
  /** Undefined: `invalid_grant`. */
  refresh(token: string, clientId: string): IssuedTokens | undefined
  /** Ends the grant that a token of either kind belongs to. */
  revoke(token: string): void
  revokeAll(): void
  /** Ends the grant of that id. */
  revokeGrant(id: string): void
  /** Oldest first. */
  live(): readonly LiveGrant[]
  isLive(accessToken: string): boolean
  /** As after `exchange`, for tests that begin with an account. */
  issue(clientId: string, scope: string): IssuedTokens
}

/** RFC 6749 4.1.2 allows ten minutes at most. */
const CODE_MS = 60_000

export function createProviderGrants(rules: GrantRules): ProviderGrants {
  const codes = new Map<string, Code>()
  const grants = new Set<Grant>()
  const byRefreshToken = new Map<string, Grant>()
  const byAccessToken = new Map<string, { readonly grant: Grant; readonly endsAt: number }>()

  function tokensOf(grant: Grant): IssuedTokens {
    const accessToken = secret('at')
    grant.since ??= rules.now()
    byAccessToken.set(accessToken, { grant, endsAt: rules.now() + rules.expiresIn * 1000 })
    byRefreshToken.set(grant.refreshToken, grant)
    const { refreshToken, scope, nonce } = grant
    return { accessToken, refreshToken, scope, nonce }
  }

  function grantFor(clientId: string, scope: string, nonce?: string): Grant {
    const grant: Grant = {
      id: randomBytes(8).toString('hex'),
      clientId,
      scope,
      since: undefined,
      nonce,
      refreshToken: secret('rt'),
      isRevoked: false,
    }
    grants.add(grant)
    return grant
  }

  return {
    allow: ({ clientId, redirectUri, scope, challenge, nonce }) => {
      const code = secret('code')
      const grant = grantFor(clientId, scope, nonce)
      codes.set(code, {
        grant,
        redirectUri,
        challenge,
        endsAt: rules.now() + CODE_MS,
        isUsed: false,
      })
      return code
    },
    exchange: (value, clientId, redirectUri, verifier) => {
      const code = codes.get(value)
      if (code === undefined || code.grant.clientId !== clientId) return undefined
      // RFC 6749 4.1.2: a code that comes twice was stolen.
      if (code.isUsed) code.grant.isRevoked = true
      if (code.isUsed || rules.now() >= code.endsAt) return undefined
      if (code.redirectUri !== redirectUri) return undefined
      if (code.challenge !== challengeOf(verifier)) return undefined
      code.isUsed = true
      return tokensOf(code.grant)
    },
    refresh: (token, clientId) => {
      const grant = byRefreshToken.get(token)
      if (grant === undefined || grant.isRevoked || grant.clientId !== clientId) return undefined
      if (grant.refreshToken !== token) {
        grant.isRevoked = true
        return undefined
      }
      if (rules.isRotating) grant.refreshToken = secret('rt')
      return tokensOf(grant)
    },
    revoke: (token) => {
      const grant = byRefreshToken.get(token) ?? byAccessToken.get(token)?.grant
      if (grant !== undefined) grant.isRevoked = true
    },
    revokeAll: () => {
      for (const grant of grants) grant.isRevoked = true
    },
    revokeGrant: (id) => {
      for (const grant of grants) if (grant.id === id) grant.isRevoked = true
    },
    live: () =>
      [...grants].flatMap(({ id, scope, since, isRevoked }) =>
        isRevoked || since === undefined ? [] : [{ id, scope, since }],
      ),
    isLive: (accessToken) => {
      const found = byAccessToken.get(accessToken)
      return found !== undefined && !found.grant.isRevoked && rules.now() < found.endsAt
    },
    issue: (clientId, scope) => tokensOf(grantFor(clientId, scope)),
  }
}

function challengeOf(verifier: string | undefined): string | undefined {
  if (verifier === undefined) return undefined
  return createHash('sha256').update(verifier).digest('base64url')
}

/** Says whose it is, so that no random text elsewhere is taken for one of these. */
function secret(prefix: string): string {
  return `${prefix}-of-provider-${randomBytes(16).toString('base64url')}`
}
