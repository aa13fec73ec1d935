import { DAY_MS, HOUR_MS, MINUTE_MS } from '@svc/platform'

/** How long things of this package live; milliseconds, all overridable by `options.lifetimes`. */
export interface Lifetimes {
  /** Session of an authorization alone, from its creation. @defaultValue 5 minutes, login.md 2.2 */
  readonly shortSession: number
  /** Normal session without use. @defaultValue 30 days, login.md 2.2 */
  readonly normalSessionIdle: number
  /** Normal session from its creation. @defaultValue 30 days, decision D59 */
  readonly normalSession: number
  /** Long session without use. @defaultValue 30 days, login.md 2.2 */
  readonly longSessionIdle: number
  /** Long session from its creation, and its cookie. @defaultValue 400 days, login.md 2.2 */
  readonly longSession: number
  /** At most so often is the use of a session written down. @defaultValue 1 day, login.md 2.1 */
  readonly sessionTouch: number
  /** Code that hands a session to an app host. @defaultValue 1 minute, login.md 2.3 */
  readonly transferCode: number
  /** Form token. @defaultValue 1 hour, login.md 3.5 */
  readonly csrf: number
  /** Cookie of a browser that logged in before. @defaultValue 180 days, login.md 4.7 */
  readonly knownDevice: number
  /** Entry of the login history. @defaultValue 365 days, login.md 2.1 */
  readonly loginHistory: number
  /** Challenge of the second factor, and its passcode. @defaultValue 5 minutes, login.md 2.3 */
  readonly twoFactor: number
  /** Browser that skips the second factor. @defaultValue 90 days, login.md 2.3 */
  readonly trustedDevice: number
  /** Challenge of a passkey that logs in or confirms. @defaultValue 5 minutes, owner.md 2.3 */
  readonly passkeyChallenge: number
  /** Session code of kind open. @defaultValue 5 minutes, login.md 2.3 */
  readonly openCode: number
  /** Magic link, and the cookie of the browser that asked for it. @defaultValue 15 minutes, login.md 2.3 */
  readonly magicCode: number
  /** Code that stands for the second factor after a mail was verified elsewhere. @defaultValue 15 minutes, login.md 2.3 */
  readonly emailVerifiedCode: number
  /** Link that proves a new mail address. @defaultValue 1 hour, owner.md 1.4 */
  readonly emailChange: number
  /** Link that takes a new mail address back. @defaultValue 3 days, owner.md 1.5 */
  readonly emailUndo: number
  /** Code in the text that proves a phone number. @defaultValue 10 minutes, owner.md 1.9 */
  readonly phoneCode: number
  /** Link to a new passphrase. @defaultValue 15 minutes, login.md 2.3 */
  readonly resetToken: number
  /** Proof that the owner confirmed. @defaultValue 5 minutes, login.md 2.3 */
  readonly confirmCode: number
  /** Code that turns the mail factor on. @defaultValue 5 minutes, login.md 2.3 */
  readonly activationCode: number
  /** Authenticator app that was shown and has not proved itself. @defaultValue 10 minutes */
  readonly totpEnrolment: number
}

/**
 * Where `options.lifetimes` says nothing else.
 * @example
 * createAuthUi({ oauth, mailer, lifetimes: { resetToken: 2 * DEFAULT_LIFETIMES.resetToken } })
 */
export const DEFAULT_LIFETIMES: Lifetimes = {
  shortSession: 5 * MINUTE_MS,
  normalSessionIdle: 30 * DAY_MS,
  normalSession: 30 * DAY_MS,
  longSessionIdle: 30 * DAY_MS,
  longSession: 400 * DAY_MS,
  sessionTouch: DAY_MS,
  transferCode: MINUTE_MS,
  csrf: HOUR_MS,
  knownDevice: 180 * DAY_MS,
  loginHistory: 365 * DAY_MS,
  twoFactor: 5 * MINUTE_MS,
  trustedDevice: 90 * DAY_MS,
  passkeyChallenge: 5 * MINUTE_MS,
  openCode: 5 * MINUTE_MS,
  magicCode: 15 * MINUTE_MS,
  emailVerifiedCode: 15 * MINUTE_MS,
  emailChange: HOUR_MS,
  emailUndo: 3 * DAY_MS,
  phoneCode: 10 * MINUTE_MS,
  resetToken: 15 * MINUTE_MS,
  confirmCode: 5 * MINUTE_MS,
  activationCode: 5 * MINUTE_MS,
  totpEnrolment: 10 * MINUTE_MS,
}
