import type { SystemMail } from '@svc/platform'

export type {
  FactorChange as AuthModeChange,
  RequestFacts,
  SystemMail,
  TwoFactorPurpose as PasscodePurpose,
} from '@svc/platform'

/**
 * Names of the mails that the server itself writes. Their variables are those of `SystemMail`.
 * @see docs/mails.md of the repository
 * @example
 * const name: SystemMailName = 'onboarding'
 */
export type SystemMailName = SystemMail['template']

/** How a mail is laid out: its texts are `<name>.<part>` of the catalogue, or `<name>.<variant>.<part>`. */
export interface MailLayout {
  /** Keys `<name>.body.<n>`, before what to act on. */
  readonly paragraphs: number
  /** Keys `<name>.notice.<n>`, at the end: what to do if it was not you. */
  readonly notices: number
  /**
   * Position of the facts: `above` the button when they are the news, `below` a requested code or button.
   * Absent: no facts.
   */
  readonly facts?: 'above' | 'below'
  /** Whether the recipient may not be the owner: no name, and of the facts only the time. */
  readonly isForUnprovenAddress?: true
}

/** Layouts of all system mails. */
export const SYSTEM_MAILS: Readonly<Record<SystemMailName, MailLayout>> = {
  onboarding: { paragraphs: 1, notices: 2 },
  new_connection: { paragraphs: 1, notices: 2, facts: 'above' },
  passphrase_changed: { paragraphs: 1, notices: 1, facts: 'above' },
  login_throttled: { paragraphs: 2, notices: 1, facts: 'above' },
  two_factor: { paragraphs: 1, notices: 2, facts: 'below' },
  two_factor_mail_confirmation: { paragraphs: 2, notices: 2, facts: 'below' },
  magic_link: { paragraphs: 1, notices: 2, facts: 'below' },
  passphrase_reset: { paragraphs: 1, notices: 2, facts: 'below' },
  passphrase_hint: { paragraphs: 1, notices: 2 },
  auth_mode_changed: { paragraphs: 1, notices: 2, facts: 'above' },
  passkey_suspended: { paragraphs: 2, notices: 1, facts: 'above' },
  confirm_flagship: { paragraphs: 2, notices: 2, facts: 'below' },
  update_email: { paragraphs: 1, notices: 2, facts: 'above', isForUnprovenAddress: true },
  email_change_requested: { paragraphs: 1, notices: 2, facts: 'above' },
  email_changed: { paragraphs: 1, notices: 2, facts: 'above' },
  email_undone: { paragraphs: 1, notices: 2, facts: 'above' },
  oauth_clients_limit: { paragraphs: 2, notices: 1 },
  access_ending: { paragraphs: 1, notices: 1 },
  assistant_connected: { paragraphs: 2, notices: 2, facts: 'below' },
  assistant_ended: { paragraphs: 1, notices: 1 },
  assistant_busy: { paragraphs: 1, notices: 1 },
  disk_quota: { paragraphs: 1, notices: 1 },
  space_restored: { paragraphs: 2, notices: 2 },
}
