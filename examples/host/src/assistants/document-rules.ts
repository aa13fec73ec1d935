import { type ToolCaller, ToolError } from '@svc/mcp'
import { OAuthError, type Verb } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { Json } from '@svc/store'
import type { StoredDocument } from '../documents/document-store.ts'

/** Whether others see a document, too: by a link, or since it came with a sharing. */
export type SharedDocuments = (instance: Instance, type: string, id: string) => Promise<boolean>

export function isAllowed(
  { access }: ToolCaller,
  verb: Verb,
  { type, id, fields }: Omit<StoredDocument, 'rev'>,
): boolean {
  return access.allows(verb, type, { ...fields, id })
}

/** As subscribers are told of it. */
export function toWire({ type, id, rev, fields }: StoredDocument): {
  readonly [name: string]: Json | undefined
} {
  return { _id: id, _type: type, _rev: rev, ...fields }
}

export function refuseQuota(error: unknown): never {
  const isFull = OAuthError.is(error) && error.code === 'quota_exceeded'
  throw isFull ? new ToolError('quota_exceeded') : error
}
