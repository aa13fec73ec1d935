import type { AuthorizationServer } from 'oauth4webapi'

/** How a call to a provider failed. @see connectors.md 8.4 */
export type FailureClass =
  | 'revoked'
  | 'config'
  | 'limited'
  | 'error'
  | 'unavailable'
  | 'timeout'
  | 'invalid'

/** How a call to a provider ended. */
export type CallClass = FailureClass | 'ok'

/** Tokens of an answer, normalised. Times are milliseconds since the epoch. @see connectors.md 6.3 */
export interface TokenSet {
  readonly accessToken: string
  readonly tokenType: string
  /** Absent: the provider does not say. */
  readonly expiresAt?: number
  /** Absent: the one in use stays. */
  readonly refreshToken?: string
  readonly refreshExpiresAt?: number
  /** Space-separated; absent: the provider does not say. */
  readonly scope?: string
  readonly idToken?: string
  /** Everything else of the answer. */
  readonly rest: Readonly<Record<string, unknown>>
}

export type TokenResult =
  | { readonly ok: true; readonly tokens: TokenSet }
  | {
      readonly ok: false
      readonly class: FailureClass
      /** The provider's code, or ours such as `redirect`, `too_large`; at most 200 printable characters. For logs. */
      readonly reason: string
      /** Of the provider. Seconds. */
      readonly retryAfterS?: number
      /** A 400 that does not say whose fault it is. @see connectors.md 8.7 (4) */
      readonly isUnknownRefusal?: boolean
    }

/** What a provider says about itself. @see connectors.md 5.3, RFC 8414 */
export interface ProviderMetadata {
  readonly authorizationEndpoint?: string
  readonly tokenEndpoint?: string
  readonly revocationEndpoint?: string
  readonly jwksUri?: string
  readonly supportsS256: boolean
  readonly sendsIssuer: boolean
}

/** For whom a call is made; goes to its log line only. @see connectors.md 13 */
export interface CallAbout {
  /** The instance's domain. */
  readonly instance?: string
  readonly requestId?: string
}

/** An issuer that was found. */
export interface Issuer {
  /** As it says; the one object that its keys are remembered for. */
  readonly server: AuthorizationServer
  readonly metadata: ProviderMetadata
}

/** What a question to an issuer came to, or will. */
export interface AskedIssuer {
  readonly found: Promise<Issuer | undefined>
  /** Until then it is not asked again. Milliseconds since the epoch. */
  endsAt: number
}
