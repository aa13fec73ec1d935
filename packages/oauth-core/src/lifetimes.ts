import type { ConsentDuration } from './ports.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, SIGNING_KEY_MS } from '@svc/platform'

/** Durations of this package, in milliseconds, with their source. */

/** Life of an authorization code: single use. @see oauth.md 5.8 */
export const AUTHORIZATION_CODE_MS: number = 5 * MINUTE_MS

/** Life of access and app tokens. @see oauth.md 7.1 */
export const ACCESS_TOKEN_MS: number = DAY_MS

/** How long a refresh token lives without being used (D41). */
export const REFRESH_TOKEN_MS: number = 400 * DAY_MS

/** How long an owner may allow something; undefined: until it is revoked (D42). */
export const DURATIONS_MS: Readonly<Record<ConsentDuration, number | undefined>> = {
  until_revoked: undefined,
  '1h': HOUR_MS,
  '1d': DAY_MS,
  '30d': 30 * DAY_MS,
}

/** How long a consent page can be answered (D42). */
export const CONSENT_MS: number = HOUR_MS

/** Life of a challenge nonce; a phone attests within seconds. @see oauth.md 1.2 (at most a week, security.md 93) */
export const CHALLENGE_MS: number = HOUR_MS

/** Life of a mailed code that certifies a client (D46). */
export const FLAGSHIP_CODE_MS: number = 5 * MINUTE_MS

/** How long after one such mail the next may follow (D62). */
export const FLAGSHIP_MAIL_PAUSE_MS: number = 30 * SECOND_MS

/** Life of konnector tokens. @see oauth.md 7.1 */
export const KONNECTOR_TOKEN_MS: number = 30 * MINUTE_MS

/** Life of access tokens of a resource. @see assistants.md 3.9 */
export const RESOURCE_TOKEN_MS: number = HOUR_MS

/** How long a public registration that was allowed is kept after its last code or token. @see assistants.md 3.8; D91 */
export const UNUSED_CLIENT_MS: number = 400 * DAY_MS

/** How long a public registration may wait to be allowed. @see assistants.md 3.8; D91 */
export const PENDING_PUBLIC_CLIENT_MS: number = DAY_MS

/** How long a registered client with a secret may wait for its first access code. @see oauth.md 3.9 */
export const PENDING_CLIENT_MS: number = HOUR_MS

/** What a host may change. Milliseconds, whole seconds, at least 1 s. */
export interface Lifetimes {
  /** From the code to its exchange, at most 10 minutes. @defaultValue `300_000` */
  readonly authorizationCodeMs: number
  /** Of access and app tokens, at most 24 hours. @defaultValue `86_400_000` */
  readonly accessTokenMs: number
  /** Of a refresh token that is not used. @defaultValue 400 days (D41) */
  readonly refreshTokenMs: number
  /** Of a registered client without any access. @defaultValue `3_600_000` */
  readonly pendingClientMs: number
  /** Of access tokens of a resource, 5 minutes to 24 hours. @defaultValue `3_600_000` */
  readonly resourceTokenMs: number
  /** Of a key that signs access tokens, at least a day; 0: none is replaced by itself. @defaultValue 90 days */
  readonly signingKeyMs: number
}

/**
 * Where `options.lifetimes` of `createOAuth` says nothing else. Milliseconds; the members are those of `Lifetimes`.
 * @see oauth.md 5.8, 7.1
 * @example
 * createOAuth({ store, apps, keys, lifetimes: { accessTokenMs: DEFAULT_LIFETIMES.accessTokenMs / 24 } })
 */
export const DEFAULT_LIFETIMES: Lifetimes = {
  authorizationCodeMs: AUTHORIZATION_CODE_MS,
  accessTokenMs: ACCESS_TOKEN_MS,
  refreshTokenMs: REFRESH_TOKEN_MS,
  pendingClientMs: PENDING_CLIENT_MS,
  resourceTokenMs: RESOURCE_TOKEN_MS,
  signingKeyMs: SIGNING_KEY_MS,
}
