import type { Client } from '../clients/client.ts'
import type { Instance } from '@svc/platform'
import type { ForbiddenScopes } from '../scopes/forbidden.ts'
import type { Permission } from '../scopes/permission.ts'
import { serializeScope } from '../scopes/scope.ts'
import { authorizeError } from './page-texts.ts'

/** Something that another owner shares, and that this one may accept. */
export interface SharingOffer {
  readonly id: string
  /** What the page calls it, such as the name of a folder. */
  readonly description?: string
  /** Who shares: a name as that owner chose it, and the host it is certain of. */
  readonly sharer: { readonly name: string; readonly domain: string }
  /** What the sharing gives away, or takes in. */
  readonly permissions: readonly Permission[]
  /** The installed app that opens it. */
  readonly appSlug: string
}

/** How an owner answers an offer. */
export interface SharingAnswer {
  readonly offer: SharingOffer
  /** As it came with the request: who was invited knows it. */
  readonly state: string
  /** The client that asked; absent in the form of clients that have none (oauth.md 5.9). */
  readonly client?: Client
}

/** Where an app shows a sharing: a path on its host, with a query or fragment perhaps. */
export interface SharingPlace {
  readonly path: string
}

/**
 * Sharings between owners, which are the host's own. Errors with `status` 400, 401, 403, 404, 409 or 410 mean that the
 * other side does not offer it any more.
 * @see oauth.md 5.9; decision D31
 */
export interface Sharings {
  /**
   * What the owner was invited to with this state; undefined: unknown, of this instance itself, without a second
   * member, or accepted already.
   */
  find(instance: Instance, id: string, state: string): Promise<SharingOffer | undefined>
  /**
   * What a client means by these rules (its `scope`); undefined when they cannot be understood. Its code is good for
   * the permissions of the answer, while the page speaks of what is shared: they must reach nothing that the owner has
   * besides.
   */
  parseRules(
    instance: Instance,
    asked: { readonly rules: string; readonly sharingId?: string; readonly client: Client },
  ): Promise<SharingOffer | undefined>
  /** Takes part from now on. */
  accept(instance: Instance, answer: SharingAnswer): Promise<SharingPlace>
  /** Keeps a link to it without taking part. Absent: `shortcut=true` means nothing. */
  addShortcut?(instance: Instance, answer: SharingAnswer): Promise<SharingPlace>
  /** Where refusing leads: an http(s) address, usually the preview at the sharer's; undefined: home. */
  cancelUrl(instance: Instance, id: string, state: string): Promise<string | undefined>
}

/** For a host without sharings: nothing is offered. */
export const NO_SHARINGS: Sharings = {
  find: async () => undefined,
  parseRules: async () => undefined,
  accept: () => Promise.reject(new TypeError('there are no sharings')),
  cancelUrl: async () => undefined,
}

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
