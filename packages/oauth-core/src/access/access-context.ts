import type { AppManifest, KonnectorManifest } from '../ports.ts'
import type { Client } from '../clients/client.ts'
import type { ScopedDocument } from '../scopes/evaluate.ts'
import type { Permission, Verb } from '../scopes/permission.ts'
import type { Audience } from '../tokens/jwt.ts'

export type { ScopedDocument } from '../scopes/evaluate.ts'

/** Who calls behind the guard, and what it may do. */
export interface AccessContext {
  readonly kind: 'access' | 'app' | 'konnector'
  /** The caller of kind `access`. */
  readonly client?: Client
  /** The caller of kind `app`, or the app a client is linked to. */
  readonly app?: AppManifest
  /** The caller of kind `konnector`. */
  readonly konnector?: KonnectorManifest
  /** Session of an app token. */
  readonly sessionId?: string
  /** What shares, notifications and the like belong to: `<namespace>.apps/<slug>`, `<namespace>.oauth.clients/<id>` or `<namespace>.konnectors/<slug>` (D30). */
  readonly owner: string
  readonly permissions: readonly Permission[]
  /** Whether some rule covers the document; without one, the whole type. */
  allows(verb: Verb, type: string, document?: ScopedDocument): boolean
}

/** Who calls a resource. */
export interface ResourceAccess extends AccessContext {
  readonly client: Client
  /** The path of the resource. */
  readonly resource: string
  readonly grantId: string
  /** All that the owner allowed; a token may hold less. */
  readonly granted: readonly Permission[]
}

/** Who a token speaks for, and until when: for connections that outlive the request that carried it. */
export interface TokenAccess extends AccessContext {
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly audience: Audience
  /** Client id or slug. */
  readonly subject: string
  /** Grant of a client's token. */
  readonly grantId?: string
}
