import type { ActivityTarget } from '@svc/platform'
import type { DocumentSnapshot } from './client-document.ts'

/** Identifier of a registered client: letters, digits and `-`. */
export type ClientId = string & { readonly __clientId: 'ClientId' }

/** What a client says about itself; names are those of the wire. @see oauth.md 1.1 */
export interface ClientMetadata {
  readonly redirect_uris: readonly string[]
  readonly client_name: string
  readonly software_id: string
  /** Of a client without a secret; its `software_id` is `''`. Absent: it has a secret. */
  readonly token_endpoint_auth_method?: 'none'
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

/** A registered client. Times are milliseconds since the epoch. */
export interface Client {
  readonly id: ClientId
  readonly metadata: ClientMetadata
  /** True until its first access code: removed one hour after registration. */
  readonly pending: boolean
  readonly flagship: boolean
  readonly certifiedFromStore: boolean
  /** Of a client that a document describes: what it said when the owner was asked. */
  readonly document?: DocumentSnapshot
  /** Of one that renamed itself since its owner allowed it: the name it was allowed by. @see decision D103 */
  readonly formerName?: string | undefined
  /** Operating system of the browser that allowed it. */
  readonly os?: string
  readonly createdAt: number
  readonly updatedAt: number
  /** Of a client without a secret that was allowed: when it goes, unless it has access then. */
  readonly keepUntil?: number
  /** When it gave its device token last. */
  readonly deviceTokenAt?: number
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
