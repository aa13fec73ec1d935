/** Links in the footer of a mail: to the settings, and out of its category. */
export interface MailLinks {
  /** Page of the owner's notification settings; absent: none is known. */
  readonly settings?: string
  /** Page to end mails of this category. */
  readonly unsubscribe?: string
}

/** Content written by an app. */
export interface AppMarkup {
  /** Shown as it is, in a frame that says which app it is from. */
  readonly html: string
  readonly text: string
  /** Whether it has its own heading: the title is in the subject alone. */
  readonly isWhole?: boolean
}

/** Words of a notification, laid out by this server. All of them are made harmless when they are written. */
export interface NotificationWords {
  /** Name of the app; absent: this server itself. */
  readonly sender?: string
  readonly title: string
  /** Lines and blank lines are kept. */
  readonly message?: string
  /** Instead of `message`: mark-up of the app, which the caller has cleaned, and the same in words. */
  readonly markup?: AppMarkup
  /** Where the one button leads: to an app of the instance, of that name. */
  readonly action?: { readonly name: string; readonly url: string }
  readonly links?: MailLinks
}

/** One notification of a digest. */
export interface DigestItem {
  /** Name of the app; absent: this server itself. */
  readonly sender?: string
  readonly title: string
  readonly message?: string
  /** Where the title leads: to an app of the instance. */
  readonly url?: string
  /** Milliseconds since the epoch; shown in the owner's locale and time zone. */
  readonly time: number
}

/** Several notifications in one mail. */
export interface DigestWords {
  /** Listed by app, the newest first; of more than {@link MAX_DIGEST_ITEMS}, or too much HTML, the rest is only counted. */
  readonly items: readonly DigestItem[]
  readonly links?: MailLinks
}

/** A mail with what apps notify of. */
export type AppMail =
  | { readonly template: 'notification'; readonly variables: NotificationWords }
  | { readonly template: 'digest'; readonly variables: DigestWords }

/** As many as one digest gathers. */
export const MAX_DIGEST_ITEMS = 100
/** Less than this is the HTML of a digest: a large mailbox provider cuts off what is over 102 kB. @see D98 */
export const MAX_DIGEST_BYTES = 90_000
