import type { Instance } from '@svc/platform'
import type { AppManifest } from './app-ports.ts'
import type { Client } from './clients/client.ts'
import type { Resource } from './resources/resources.ts'
import type { Permission } from './scopes/permission.ts'

/** How long the owner allows a client something: a value of the consent form's field `duration`. */
export type ConsentDuration = 'until_revoked' | AssistantDuration

/** The same of an assistant, whose access always has an end. @see assistants.md 5.4 */
export type AssistantDuration = '1h' | '1d' | '30d'

/**
 * Whether the owner may leave out single permissions, or why not: a linked client has what its app has, everything
 * cannot be divided, and the host may want the whole or nothing (`consent.choose`).
 */
export type PermissionChoice = 'open' | 'linked' | 'everything' | 'off'

/** What the owner should know of a client beside its name. */
export interface ConsentSigns {
  /** It registered itself, and nobody vouches for it: neither certified nor an app of the registry. */
  readonly isSelfRegistered: boolean
  /** Its platform, the owner or the host vouched for it. */
  readonly isCertified: boolean
  /** Its owner never allowed it anything. */
  readonly isNew: boolean
  /** The answer goes to a program of the device, or to a site other than the one that the client says it is of. */
  readonly leavesTo?: 'program' | 'site'
}

/** What the consent page shows and its form carries. */
export interface ConsentView {
  readonly client: Client
  /** The app a linked client belongs to: its name and icon are shown instead of the client's own. */
  readonly linkedApp?: AppManifest
  readonly permissions: readonly Permission[]
  /**
   * Whether the form may hold `choice=2` and, for each right that stays, fields `group-<key>-<right>` and
   * `permission-<n>-<right>` with the permission's place in `permissions` (of what the client has already, the second
   * alone); or `choice=1` with `permission-<n>` for each whole permission that stays. Else why not.
   */
  readonly permissionChoice: PermissionChoice
  /** Places in `permissions` of those that the client has already. */
  readonly allowedBefore: readonly number[]
  /** Values that the form may send as `duration`, in order; empty: the access lasts until it is revoked. */
  readonly durations: readonly ConsentDuration[]
  /** What the owner chose just now, or for the client's newest access. Absent: the page proposes one. */
  readonly duration?: ConsentDuration
  /** When the owner allowed the client its newest live access. Milliseconds since the epoch; absent: it has none. */
  readonly allowedAt?: number
  /** Why the page is shown again: no permission was ticked. */
  readonly problem?: 'nothing_chosen'
  readonly signs: ConsentSigns
  readonly redirectUri: string
  /** Where refusing leads. */
  readonly cancelUrl: string
  /** The fields the form must send back, in order, beside `csrf_token`. */
  readonly fields: Readonly<Record<string, string>>
  /** CSP source that the form's final redirect needs: an origin, or a scheme with its colon; absent for `urn:`. */
  readonly formActionSource?: string
}

/**
 * What the page of an assistant shows and its form carries. The form also takes `answer=refuse`; of rules for the same
 * data, the ticks are named by the place of the first.
 * @see assistants.md 5
 */
export interface AssistantView extends Omit<ConsentView, 'duration' | 'linkedApp'> {
  readonly resource: Resource
  /** Host of the document that describes it, lower case, in A-labels. Absent: it registered itself. */
  readonly host?: string
  /** When its document was read last, which cannot be read now. Milliseconds since the epoch. */
  readonly checkedAt?: number
  /** What is chosen when the page opens. */
  readonly duration: AssistantDuration
  /** What the owner allowed it the last time. */
  readonly before?: AssistantBefore
}

/** What an assistant was allowed before. */
export interface AssistantBefore {
  readonly permissions: readonly Permission[]
  /** Milliseconds since the epoch. */
  readonly at: number
  /** When the last of it ends. Absent: it ended. */
  readonly endsAt?: number
}

/** What a client asks an owner for, after everything that is forbidden was refused. */
export interface ScopeRequest {
  readonly instance: Instance
  readonly client: Client
  /** The rules that are asked for; one of type `*` is everything. */
  readonly permissions: readonly Permission[]
}

/** The whole, nothing, or only what these rules and the request have in common. */
export type ScopeDecision = 'allow' | 'refuse' | readonly Permission[]

/**
 * Decides what of a request its owner may be asked for at all. It can only take away: what it names beyond the request
 * is ignored. `refuse`, and rules that leave nothing, show the page `Invalid scope`. Of a client that is linked to an
 * app the whole is allowed or nothing. It is asked for each page, for each answer to it, and by `clients.issueTokens`,
 * so it has no side effects; tokens that were given stay as they are.
 *
 * When it throws, answers something else, or takes more than 50 ms for its promise, the request is 500 and
 * `scope_policy.failed` says why: that is never an allowance.
 * @example
 * const scopePolicy: ScopePolicy = ({ permissions }) =>
 *   permissions.map((rule) => ({ ...rule, verbs: ['GET'] }))
 * createOAuth({ store, keys, scopePolicy })
 */
export type ScopePolicy = (request: ScopeRequest) => ScopeDecision | Promise<ScopeDecision>
