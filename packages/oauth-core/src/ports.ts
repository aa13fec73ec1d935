import type { Context } from 'koa'
import type { Client } from './clients/client.ts'
import type { HttpError } from './http/http-error.ts'
import type { CsrfRule } from './http/route.ts'
import type { Instance } from './instances/instance.ts'
import type { Permission } from './scopes/permission.ts'

/** One line per event, with stable names such as `client.registered`. Never given a secret or a token. */
export interface Logger {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void
  error(event: string, fields?: Readonly<Record<string, unknown>>): void
}

/** A permission of a manifest, under a title. @see oauth.md 12 "JSON form" */
export interface ManifestPermission {
  readonly type: string
  /** Absent or containing `ALL`: every verb. */
  readonly verbs?: readonly string[]
  readonly values?: readonly string[]
  readonly selector?: string
  readonly description?: string
}

/** A folder of static files served on the app's host. @see decision D29 */
export interface ManifestRoute {
  readonly folder: string
  readonly index: string
  readonly public: boolean
}

/** What an app says about itself. */
export interface AppManifest {
  readonly slug: string
  readonly name: string
  readonly version?: string
  /** Path of an image inside the app's folder. */
  readonly icon?: string
  readonly permissions: Readonly<Record<string, ManifestPermission>>
  readonly routes: Readonly<Record<string, ManifestRoute>>
  readonly notifications?: Readonly<Record<string, unknown>>
}

/** Which web apps an instance has, and could have. The host implements it. */
export interface AppRegistry {
  /** The installed app, or undefined. Asked at every guarded request of an app: answers from memory when it can. */
  installed(instance: Instance, slug: string): Promise<AppManifest | undefined>
  listInstalled(instance: Instance): Promise<readonly AppManifest[]>
  /** The app as it could be installed ("registry hook" of oauth.md 3.5), or undefined. */
  available(instance: Instance, slug: string): Promise<AppManifest | undefined>
}

/** The owner's session of a request. */
export interface OwnerSession {
  readonly id: string
  readonly kind: 'short' | 'normal' | 'long'
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Who is logged in. Given after assembly with `oauth.useSessions` (D49). */
export interface OwnerSessions {
  /** The live session named by the request's cookies on this host, or undefined. Reads only. */
  current(ctx: Context): Promise<OwnerSession | undefined>
  /**
   * Uses up a session code of the query, whoever is logged in. True when the code was good: nobody logged in became a
   * short session, and the request is answered with 302 to its own address without the code. Absent: codes mean
   * nothing. @see login.md 9.1, decision D57
   */
  redeem?(ctx: Context, code: string): Promise<boolean>
}

/** What the consent page shows and its form carries. */
export interface ConsentView {
  readonly client: Client
  /** The app a linked client belongs to: its name and icon are shown instead of the client's own. */
  readonly linkedApp?: AppManifest
  readonly permissions: readonly Permission[]
  readonly redirectUri: string
  /** Where refusing leads. */
  readonly cancelUrl: string
  /** The fields the form must send back, in order, beside `csrf_token`. */
  readonly fields: Readonly<Record<string, string>>
  /** CSP source that the form's final redirect needs: an origin, or a scheme with its colon; absent for `urn:`. */
  readonly formActionSource?: string
}

/** The pages of the authorization endpoint, and what they share with all forms. Implemented by the user interface. */
export interface AuthorizePages {
  consent(ctx: Context, view: ConsentView): Promise<void>
  /** Sends the browser to the log-in page, to come back to exactly this request (302). */
  login(ctx: Context): Promise<void>
  /** The code for out-of-band targets in the title. @see oauth.md 5.7 */
  outOfBand(ctx: Context, answer: { readonly code: string; readonly state: string }): Promise<void>
  /** A page for an error of a row of family `html`, or its JSON when the client prefers that. */
  error(ctx: Context, error: HttpError): Promise<void>
  /** Throws an {@link HttpError} unless the request satisfies the rule. @see login.md 4.4, decision D12 */
  checkCsrf(ctx: Context, rule: CsrfRule): void
}

/** What happened, for other packages and for the audit log. Handlers must not throw. */
export interface OAuthEvents {
  'client.created': ClientEvent
  'client.updated': ClientEvent
  'client.deleted': ClientEvent
  /** The owner allowed a client more than `oauthClientsMax` says. @see oauth.md 3.10 */
  'clients.limit.exceeded': {
    readonly instance: Instance
    readonly clientName: string
    readonly limit: number
  }
  'code.created': ClientEvent & { readonly scope: string; readonly address: string }
  'token.issued': ClientEvent & {
    readonly grant: 'authorization_code' | 'refresh_token'
    readonly scope: string
  }
  'grant.revoked': {
    readonly instance: Instance
    readonly grantId: string
    readonly clientId: string
    readonly reason: string
  }
}

export interface ClientEvent {
  readonly instance: Instance
  readonly client: Client
}
