import type { Context } from 'koa'
import type { Client } from './clients/client.ts'
import type { AssistantView, ConsentView } from './consent-ports.ts'
import type { CsrfRule, HttpError, Instance, RequestView } from '@svc/platform'
import type { Permission } from './scopes/permission.ts'

export type {
  AssistantBefore,
  AssistantDuration,
  AssistantView,
  ConsentDuration,
  ConsentSigns,
  ConsentView,
  PermissionChoice,
} from './consent-ports.ts'
export type {
  AppManifest,
  AppRegistry,
  KonnectorManifest,
  KonnectorRegistry,
  ManifestPermission,
  ManifestRoute,
} from './app-ports.ts'

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
  current(request: RequestView): Promise<OwnerSession | undefined>
  /**
   * Uses up a session code of the query, whoever is logged in. Not undefined when the code was good: nobody logged in
   * became a short session, and the request is answered with its cookies and 302 to its own address without the code.
   * Absent: codes mean nothing. @see login.md 9.1, decision D57
   */
  redeem?(request: RequestView, code: string): Promise<RedeemedCode | undefined>
}

/** What a good session code leaves in the answer. */
export interface RedeemedCode {
  /** `Set-Cookie` fields, of the session that was opened. */
  readonly setCookie: readonly string[]
}

/** What the page of a client that asks for everything and is not certified shows. @see oauth.md 5.5 */
export interface CertifyView {
  readonly client: Client
  /** For the form; absent: no code can be entered now. */
  readonly token?: string
  /** Six digits to mail to the owner before the page is shown; absent: nothing is mailed. */
  readonly code?: string
  /** End of the code. Milliseconds since the epoch. */
  readonly expiresAt?: number
}

/** What the page shows that stands instead of a consent while too many clients are connected. @see oauth.md 5.4 */
export interface LimitView {
  readonly client: Client
  /** Where the answer to this request would go. */
  readonly redirectUri: string
  /** Clients that the owner connected. */
  readonly count: number
  /** How many may be. */
  readonly limit: number
}

/** What the page of a sharing shows and its form carries. @see oauth.md 5.9 */
export interface SharingView {
  /** The name as that owner chose it; the host is certain. */
  readonly sharer: { readonly name: string; readonly domain: string }
  readonly description?: string
  readonly permissions: readonly Permission[]
  /** The client that asks, and where the answer goes to it; absent: the owner was sent here by the sharer. */
  readonly client?: Client
  readonly redirectUri?: string
  /** Where refusing leads. */
  readonly cancelUrl: string
  /** The fields the form must send back, in order, beside `csrf_token`. */
  readonly fields: Readonly<Record<string, string>>
  /** CSP source that the form's final redirect needs: an origin, or a scheme with its colon; absent for `urn:`. */
  readonly formActionSource?: string
}

/** What the page of an app that is no longer supported shows. @see oauth.md 5.6 */
export interface DeprecatedView {
  readonly client: Client
  readonly name: string
  /** An absolute URI of any scheme that runs no script, such as `market:`. */
  readonly storeUrl: string
}

/** The pages of the authorization endpoint, and what they share with all forms. Implemented by the user interface. */
export interface AuthorizePages {
  consent(ctx: Context, view: ConsentView): Promise<void>
  /**
   * The same of an assistant: whenever what is asked for is a resource, whoever asks. Not needed while no resource is
   * registered.
   * @see assistants.md 5.1
   */
  assistant?(ctx: Context, view: AssistantView): Promise<void>
  /** Sends the browser to the login page, to come back to exactly this request (302). */
  login(ctx: Context): Promise<void>
  /**
   * Asks the owner for the code that certifies the client, and mails it when there is a new one. Rejects when the mail
   * cannot be sent. @see oauth.md 5.5
   */
  certify(ctx: Context, view: CertifyView): Promise<void>
  /** Asks to remove clients; the page goes on by itself once there is room. The status is set by the caller. */
  limit(ctx: Context, view: LimitView): Promise<void>
  /** Asks whether to take part in a sharing. */
  sharing(ctx: Context, view: SharingView): Promise<void>
  /** Leads to what takes the app's place. The status is set by the caller. */
  deprecated(ctx: Context, view: DeprecatedView): Promise<void>
  /** The code for out-of-band targets in the title. @see oauth.md 5.7 */
  outOfBand(ctx: Context, answer: { readonly code: string; readonly state: string }): Promise<void>
  /**
   * A page for an error of a route of family `html`, or its JSON when the client prefers that.
   * @param client - whom the fault of an authorization request can be told: the page names the host, and its one button
   *   is a link to `href`, an https address with the whole answer. @see decision D92
   */
  error(
    ctx: Context,
    error: HttpError,
    client?: { readonly href: string; readonly host: string },
  ): Promise<void>
  /** Throws an {@link HttpError} unless the request satisfies the rule. @see login.md 4.4, decision D12 */
  checkCsrf(ctx: Context, rule: CsrfRule): void
}

/** Something a client may do ends soon by itself. */
export interface AccessEnding {
  readonly instance: Instance
  readonly client: Client
  /** Milliseconds since the epoch. */
  readonly endsAt: number
}

/**
 * Tells the owner. Asked again when it rejects, and once more when the process died before the answer was noted: it
 * tells one end of one client once.
 */
export type TellAccessEnding = (ending: AccessEnding) => Promise<void>

/** The owner allowed an assistant something. */
export interface AssistantAllowed extends ClientEvent {
  /** Path of the resource. */
  readonly resource: string
  readonly scope: string
  /** Where the owner was. */
  readonly address: string
  readonly userAgent: string
  /** When it ends by itself. Milliseconds since the epoch. */
  readonly endsAt: number
  readonly news?: AssistantNews
}

/**
 * Why the owner wants to be told: it is the first access of the assistant, or it may write what it might not before.
 * Neither: a renewal.
 */
export type AssistantNews = 'first' | 'write'

/** What happened, for other packages and for the audit log. Handlers must not throw. */
export interface OAuthEvents {
  /** The owner allowed an assistant something: beside `code.created`. */
  'assistant.allowed': AssistantAllowed
  /** An assistant read many documents within an hour: more than so many. Once in that hour. */
  'assistant.busy': {
    readonly instance: Instance
    readonly clientId: string
    readonly documents: number
  }
  /** A client was certified: by its platform's attestation, by the owner's mailed code, or by the host. */
  'client.certified': ClientEvent & { readonly how: Certification }
  /** A client registered, or the host made one. */
  'client.created': ClientEvent
  /** A client changed its registration, or its owner or the host decided something about it. */
  'client.updated': ClientEvent
  /** A client is gone: it unregistered, was removed by its owner or the host, or was never allowed. */
  'client.deleted': ClientEvent
  /** A document that describes a client was fetched, or was to be. */
  'document.fetched': {
    readonly outcome: 'fetched' | 'invalid' | 'status' | 'timeout' | 'unreachable'
    readonly ms: number
  }
  /** The owner allowed a client more than `oauthClientsMax` says. @see oauth.md 3.10 */
  'clients.limit.exceeded': {
    readonly instance: Instance
    readonly clientName: string
    readonly limit: number
  }
  /** An authorization code was made: at a consent, at a move or for an accepted sharing. */
  'code.created': ClientEvent & {
    readonly scope: string
    readonly address: string
    /** When the access ends by itself. Milliseconds since the epoch. Absent: it lasts until it is revoked. */
    readonly endsAt?: number
  }
  /** A client got an access token, with or without a refresh token beside it. */
  'token.issued': ClientEvent & {
    /** `direct`: without a code, at a login of a certified client (oauth.md 7.3) or by the host. */
    readonly grant: 'authorization_code' | 'direct' | 'refresh_token'
    readonly scope: string
  }
  /** The owner changed what a live grant allows, or until when. */
  'grant.changed': {
    readonly instance: Instance
    readonly grantId: string
    readonly clientId: string
    readonly scope: string
    /** When it ends by itself now. Milliseconds since the epoch. Absent: it lasts until it is revoked. */
    readonly endsAt?: number
  }
  /** A client without a secret presented a refresh token of a grant of its own. @see assistants.md 3.6 */
  'token.rotated': ClientEvent & {
    /** `reuse`: the token was replaced too long ago, and the grant ended; `refused`: the token is none of ours. */
    readonly outcome: 'refused' | 'repeated' | 'reuse' | 'rotated'
  }
  /** A grant ended before its time; its code and its tokens are refused from now on. */
  'grant.revoked': {
    readonly instance: Instance
    readonly grantId: string
    readonly clientId: string
    readonly reason: string
    /** Of a client without a secret. */
    readonly isRotating?: true
    /** Path of the resource that it was of. Absent: the interface itself. */
    readonly resource?: string
  }
}

/** Whose word a client is certified on. */
export type Certification = 'code' | 'host' | 'store'

/**
 * What listeners of events about a client are given: the owner's instance, and the client as it is stored then.
 * @see docs/reference/events.md of the repository
 */
export interface ClientEvent {
  readonly instance: Instance
  readonly client: Client
}
