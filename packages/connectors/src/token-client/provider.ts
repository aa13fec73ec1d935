import type { AccountType } from '../account-types/account-type.ts'

/** How a call to a provider ended badly. @see connectors.md 8.4 */
export type FailureClass =
  | 'revoked'
  | 'config'
  | 'limited'
  | 'error'
  | 'unavailable'
  | 'timeout'
  | 'invalid'

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

/** Calls to providers: never redirected, never to places that are not public, bounded in time and size. */
export interface TokenClient {
  exchange(
    type: AccountType,
    request: {
      readonly code: string
      readonly redirectUri: string
      readonly state: string
      readonly nonce?: string
      readonly codeVerifier?: string
    },
    about?: CallAbout,
  ): Promise<TokenResult>
  refresh(type: AccountType, refreshToken: string, about?: CallAbout): Promise<TokenResult>
  /** Best effort within 5 s; never rejects. @see RFC 7009 */
  revoke(
    type: AccountType,
    token: string,
    hint: 'refresh_token' | 'access_token',
    about?: CallAbout,
  ): Promise<void>
  /** Of a type with an issuer; cached for 24 h; undefined when it cannot be had or does not match. */
  discover(type: AccountType): Promise<ProviderMetadata | undefined>
  /** `sub` of an id token whose signature, `iss`, `aud`, `exp` and nonce hold; undefined otherwise, with a warning. */
  subjectOf(
    type: AccountType,
    idToken: string,
    nonce: string | undefined,
  ): Promise<string | undefined>
}
