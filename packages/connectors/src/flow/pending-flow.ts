import type { InstanceId } from '@svc/platform'

/** What is remembered between `start` and the provider's answer; sealed while it is stored. @see connectors.md 4.3 */
export interface PendingFlow {
  readonly v: 1
  readonly instance: InstanceId
  /** Without context prefix. */
  readonly accountType: string
  readonly kind: 'create' | 'reconnect'
  /** Of a reconnect. */
  readonly accountId?: string
  /** Of the app; given back to it untouched. */
  readonly clientState: string
  /** Of the app, for types that send it to the token endpoint. */
  readonly nonce: string
  /** The app to come back to. */
  readonly slug: string
  /** As asked for, space-separated. */
  readonly scope: string
  /** Byte for byte what the provider was told. */
  readonly redirectUri: string
  readonly codeVerifier?: string
  /** Ours, when an id token is expected. */
  readonly oidcNonce?: string
  readonly issuer?: string
  /** Whether the provider says that its answers name it. */
  readonly sendsIssuer?: true
  /** SHA-256 of the browser's cookie; absent: any browser may bring the answer. */
  readonly binderHash?: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Query of a provider's redirect, each name once (D3). */
export type CallbackQuery = ReadonlyMap<string, string>
