import type { AppManifest, KonnectorManifest } from '@svc/oauth-core'
import type { Instance, InstanceId, RouteContext } from '@svc/platform'
import type { ChannelOutcome } from './channels/channel.ts'
import type { Priority } from './outbox/notification.ts'
import type { MailAddress } from './mail/mail-address.ts'

/** A rendered mail to one person. Texts are final, addresses checked. */
export interface OutgoingMail {
  /** The same at every attempt: receivers drop repeats by it. */
  readonly messageId: string
  /** The instance it comes from. */
  readonly instanceId: InstanceId
  readonly domain: string
  /** Name of the template it was made from. */
  readonly template: string
  readonly from: MailAddress
  readonly to: MailAddress
  readonly replyTo?: MailAddress
  readonly subject: string
  readonly text: string
  readonly html: string
  /** BCP 47 tag of the language it is written in. */
  readonly locale: string
  /** How mail programs let the owner end mails of this kind (RFC 2369, 2919, 8058). Absent: no such headers. */
  readonly unsubscribe?: {
    /** A POST of `List-Unsubscribe=One-Click` to it does it. An address of the instance. */
    readonly url: string
    /** Without angle brackets, such as `balance.bank.alice.example.com`. */
    readonly listId: string
  }
}

/** Takes mails away: over SMTP, or into a mailbox for development. */
export interface MailTransport {
  /**
   * Resolves when the next hop has taken the mail.
   * @param signal - aborted when the attempt has taken too long or the server ends; may be ignored
   * @throws MailError telling whether trying again makes sense
   */
  send(mail: OutgoingMail, signal?: AbortSignal): Promise<void>
  /** Keeps mails to be looked at, so that none leaves this machine; the log then says so. @defaultValue `false` */
  readonly keeps?: boolean
}

/** A notification on its way over a channel of the host. Texts are plain, final and cleaned. */
export interface OutgoingMessage {
  /** The same at every attempt: receivers drop repeats by it. */
  readonly idempotencyKey: string
  /** Whose it is. */
  readonly instance: Instance
  /** BCP 47 tag of the owner's language. */
  readonly locale: string
  /** Name of the app or client that posted it; absent: this server itself. Apps and clients choose their names. */
  readonly from?: string
  /** One line. Of a sensitive category: only that there is something. */
  readonly title: string
  /** What else it says; empty when the title is all, and for a sensitive category. */
  readonly text: string
  /** Where it leads, an address of the instance or of one of its apps. */
  readonly link?: { readonly name: string; readonly url: string }
  readonly category: string
  /** `high` passed quiet hours. */
  readonly priority: Priority
}

/**
 * A way to the owner that the host brings. Retries, rounds, limits, the owner's preferences, quiet hours and digests are
 * the package's.
 */
export interface NotificationChannel {
  /**
   * What `preferred_channels` names it: `[a-z][a-z0-9_-]{1,15}`, none of `mobile`, `sms`, `mail`. Stored with
   * notifications and preferences: it stays the same.
   */
  readonly name: string
  /** Label in the owner's settings, by locale; `en` is there. */
  readonly label: Readonly<Record<string, string>>
  /** Whether the owner can be reached so; `false` ends the channel for this notification. */
  reaches(instance: Instance): Promise<boolean>
  /**
   * Hands the message over, and answers a class for what the other side does: `sent`, `transient` (worth another try),
   * `config` (the operator has to mend something), `permanent` (this owner cannot be reached so). An exception counts
   * as `transient`.
   * @param signal - aborted after 10 s, or when the server ends
   */
  deliver(message: OutgoingMessage, signal: AbortSignal): Promise<ChannelOutcome>
}

/** Manifests of what may post, as installed. Beside `oauth.apps`: what it does not know. */
export interface NotifyApps {
  /** The konnector as installed; its `notifications` count. @defaultValue konnectors cannot post */
  konnector?(
    instance: Instance,
    slug: string,
  ): Promise<
    | (KonnectorManifest & {
        readonly name?: string
        readonly notifications?: Readonly<Record<string, unknown>>
      })
    | undefined
  >
  /** Installed konnectors that declare notifications, for the owner's preferences. @defaultValue none */
  konnectors?(instance: Instance): Promise<
    readonly {
      readonly slug: string
      readonly name?: string
      readonly notifications?: Readonly<Record<string, unknown>>
    }[]
  >
  /**
   * A file of the app as installed, for its templates; undefined when it does not exist. `path` is relative, normal, and
   * stays inside the app's folder. @defaultValue apps have no templates
   */
  readFile?(app: AppManifest, path: string): Promise<Uint8Array | undefined>
  /** The same of a konnector as `konnector` answered it. @defaultValue konnectors have no templates */
  readKonnectorFile?(konnector: KonnectorManifest, path: string): Promise<Uint8Array | undefined>
  /**
   * The address of `<slug>/#/path` of an installed app of the instance. @defaultValue its app host, when it is installed
   */
  linkTo?(instance: Instance, redirectLink: string): Promise<string | undefined>
}

/** How the owner can be reached beside the mail address of the instance. */
export interface OwnerContact {
  /** The phone marked primary, else the first; as written. */
  readonly phone?: string
}

/** The host's data about owners. */
export interface OwnerContacts {
  contactOf(instance: Instance): Promise<OwnerContact>
}

export type { EventSink } from '@svc/platform'

/** Credentials that operators keep for single apps, by whole id (`<context>/<slug>` or `<slug>`); `@svc/connectors` has them. */
export interface PushCredentialStore {
  getRaw(id: string): Promise<
    | {
        readonly push_credentials?: unknown
        readonly apns_credentials?: unknown
      }
    | undefined
  >
}

/** A page that asks one thing, or says one; auth-ui renders it like all of its pages. Texts are final. */
export interface NoticePage {
  readonly title: string
  readonly paragraphs: readonly string[]
  /** A form with one button; POST to `action` with the CSRF-free fields. */
  readonly question?: {
    readonly action: string
    readonly fields: Readonly<Record<string, string>>
    readonly button: string
    /** No confirmation: the change can be undone. */
    readonly isQuiet?: boolean
  }
  /** Where else to go. */
  readonly link?: { readonly label: string; readonly url: string }
}

/**
 * Shows a page with one message in the looks of the instance, such as what became of a link to unsubscribe. `ui.notices` of
 * `@svc/auth-ui` is one.
 * @example
 * notify.routes({ pages: ui.notices })
 */
export interface NoticePages {
  notice(ctx: RouteContext, page: NoticePage): Promise<void>
}
