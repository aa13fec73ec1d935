import type { ActivityTarget } from '@svc/platform'
import type { DocumentSnapshot } from './client-document.ts'

/** Identifier of a registered client: letters, digits and `-`. */
export type ClientId = string & { readonly __clientId: 'ClientId' }

/** What a client says about itself; names are those of the wire. @see oauth.md 1.1 */
export interface ClientMetadata {
  readonly redirect_uris: readonly string[]
  readonly client_name: string
  readonly software_id: string
  /** `none`: it has no secret, and its `software_id` is `''`. Else what a client with a secret asked for; it may use both. */
  readonly token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'none'
  readonly software_version?: string
  readonly client_kind?: string
  readonly client_uri?: string
  readonly logo_uri?: string
  readonly policy_uri?: string
  readonly notification_platform?: string
  readonly notification_device_token?: string
  /** Category name to declaration. */
  readonly notifications?: Readonly<Record<string, unknown>>
}

/** Stands for the name of a client that registered without one; pages say it in words of their own. @see decision D90 */
export const STAND_IN_NAME = 'Unnamed app'

/** A registered client. Times are milliseconds since the epoch. */
export interface Client {
  readonly id: ClientId
  readonly metadata: ClientMetadata
  /** True until its first access code: removed one hour after registration. */
  readonly pending: boolean
  readonly flagship: boolean
  readonly certifiedFromStore: boolean
  /** It registered without a name, so that `client_name` is none; and the redirect URI that it was last allowed with. */
  readonly unnamed?: { readonly redirectUri?: string }
  /** Of a client that a document describes: what it said when the owner was asked. */
  readonly document?: DocumentSnapshot
  /** Of one that renamed itself since its owner allowed it: the name it was allowed by. @see decision D103 */
  readonly formerName?: string | undefined
  /** Operating system of the browser that allowed it. */
  readonly os?: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Of a client without a secret that was allowed: when it goes, unless it has access or got a token since. */
  readonly keepUntil?: number
  /** A public registration whose consent page was shown to its owner. */
  readonly isSeen?: boolean
  /** A public registration that was allowed and has no access now. */
  readonly isIdle?: boolean
  /** When it gave its device token last. */
  readonly deviceTokenAt?: number
  /** Digest of the server's key that its subscription to web pushes was made with. */
  readonly webPushKey?: string
  readonly lastRefreshedAt?: number
  /** When it last used or got a token. */
  readonly lastUsedAt?: number
  /** Where that request came from; IPv6 as its /64. */
  readonly lastUsedFrom?: string
}

/** What a client calls itself in requests and is called in tokens: where a document describes it, its address. */
export function wireIdOf({ id, document }: Pick<Client, 'document' | 'id'>): string {
  return document?.url ?? id
}

/** A client as the record of activity names it, with the name by which its owner allowed it. */
export function clientTarget({ id, metadata, formerName }: Client): ActivityTarget & {
  readonly kind: 'client'
} {
  return {
    kind: 'client',
    id,
    name: metadata.client_name,
    ...(formerName !== undefined && { formerName }),
  }
}

/** Whether the client has no secret: it proves itself by PKCE alone. @see assistants.md 3.1 */
export function isPublic({
  metadata,
}: {
  readonly metadata: Pick<ClientMetadata, 'token_endpoint_auth_method'>
}): boolean {
  return metadata.token_endpoint_auth_method === 'none'
}

/** Whether the client registered without a secret; what a document describes did not register. @see decision D91 */
export function isPublicRegistration({
  document,
  metadata,
}: Pick<Client, 'document' | 'metadata'>): boolean {
  return document === undefined && isPublic({ metadata })
}

/** Whether a public registration says no name of its own. */
export function isUnnamed(metadata: ClientMetadata): boolean {
  return isPublic({ metadata }) && metadata.client_name === STAND_IN_NAME
}

/**
 * Slug of the web app that a client is linked to, or undefined.
 * @see oauth.md 3.5
 * @example
 * const slug = linkedSlug('registry://notes') // notes
 */
export function linkedSlug(softwareId: string): string | undefined {
  if (!softwareId.startsWith('registry://')) return undefined
  const rest = softwareId.slice('registry://'.length)
  const end = rest.indexOf('/')
  return end === -1 ? rest : rest.slice(0, end)
}

/** What makes clients count as certified. */
export interface CertificationRule {
  /** Every client counts as certified: for development only. */
  readonly skipCertification: boolean
}

/** Whether the client may have scope `*`: certified, or every client counts as such (`flagship.skipCertification`). */
export function isCertified(
  { flagship }: Client,
  { skipCertification }: CertificationRule,
): boolean {
  return flagship || skipCertification
}
