import type { ForbiddenScopes } from '../scopes/forbidden.ts'
import { serializeScope } from '../scopes/scope.ts'
import { authorizeError } from './page-texts.ts'
import type { SharingOffer } from './sharings.ts'

/** What the other side answers when it does not offer the sharing any more. */
const GONE: ReadonlySet<unknown> = new Set([400, 401, 403, 404, 409, 410])

/** Answers as the page of an offer that is gone; anything else is a failure of ours. */
export function refuseGone(error: unknown): never {
  const { status } = error as { status?: unknown }
  if (!GONE.has(status)) throw error
  throw authorizeError('sharingGone')
}

/** What the code of a client is good for. @throws OAuthError 400 when no client may have it */
export function scopeOf({ permissions }: SharingOffer, forbidden: ForbiddenScopes): string {
  const isAllowed = permissions.length > 0 && !permissions.some((rule) => forbidden.includes(rule))
  if (!isAllowed) throw authorizeError('invalidScope')
  return serializeScope(permissions)
}
