import type { RouteContext } from '@svc/platform'
import type { Owner } from '../owner/owner.ts'
import type { FactorKind, TwoFactorPurpose } from '../ports.ts'

/** What step 1 was about; lives in the pending record, never in the browser. @see login.md 3.4 */
export interface ChallengeRequest {
  readonly purpose: TwoFactorPurpose
  /** Normalised address to go to afterwards; absent: home. */
  readonly redirect?: string
  /** Of a confirmation. */
  readonly state?: string
  readonly isLongRun?: boolean
  readonly clientId?: string
}

/** The second step, as it waits for its code. */
export interface Challenge extends ChallengeRequest {
  /** The two-factor token: 96 characters, base64url. */
  readonly token: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** What can answer it. */
  readonly factors: readonly FactorKind[]
}

/** What the owner answers with: one of the two. */
export interface ChallengeAnswer {
  readonly token: string
  /** A code of any enrolled code-like factor: mailed, of the authenticator app, or a recovery code. */
  readonly passcode?: string
  /** A WebAuthn assertion, as JSON text. */
  readonly assertion?: string
}

/** The second step of everything that has one. */
export interface SecondFactor {
  /** Whether logging in takes a second step. */
  isOn(owner: Owner): boolean
  /**
   * Opens a challenge after the passphrase was right, and mails a passcode when the mail factor is on. When that mail
   * cannot be sent and something else can answer, mail is not among the challenge's factors.
   * @throws AuthUiError `rate_limited`, `mail_failed` (then there is no challenge)
   */
  begin(ctx: RouteContext, owner: Owner, request: ChallengeRequest): Promise<Challenge>
  /** The open challenge of a token, or undefined: unknown, expired, used, replaced, of another instance or passphrase. */
  find(ctx: RouteContext, owner: Owner, token: string): Promise<Challenge | undefined>
  /** A challenge that was passed within its life: what a doubled click sends again. */
  findUsed(ctx: RouteContext, owner: Owner, token: string): Promise<ChallengeRequest | undefined>
  /** What a challenge was about, dead or alive, up to an hour later: for the way to start again. Proves nothing. */
  recall(ctx: RouteContext, token: string): Promise<ChallengeRequest | undefined>
  /**
   * Uses the challenge up with a right answer: of N parallel callers exactly one gets it. A code is used up in the
   * same write. Wrong answers are counted before they are compared.
   * @param admit - asked once the answer is right; what it throws leaves everything as it was
   * @throws AuthUiError `two_factor_invalid`, `two_factor_expired`, `rate_limited`
   */
  complete(
    ctx: RouteContext,
    owner: Owner,
    purpose: TwoFactorPurpose,
    answer: ChallengeAnswer,
    admit?: () => Promise<unknown>,
  ): Promise<Challenge>
  /**
   * A new passcode under a new token; the old one is dead.
   * @throws AuthUiError `two_factor_expired`, `rate_limited`, `mail_failed`
   */
  resend(ctx: RouteContext, owner: Owner, token: string): Promise<Challenge>
}
