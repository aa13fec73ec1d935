import type { AssistantView, CertifyView, ConsentView, SharingView } from '@svc/oauth-core'
import type { HttpError } from '@svc/platform'
import type { FactorKind, TwoFactorPurpose } from '../ports.ts'

/** A page in the words of another package: it says something, or asks one thing. Texts are final, not escaped. */
export interface NoticePageModel {
  readonly title: string
  readonly paragraphs: readonly string[]
  /** A form with one button and nothing to fill in; whoever takes it needs no proof of where it came from. */
  readonly question?: {
    /** Path on the instance. */
    readonly action: string
    readonly fields: Readonly<Record<string, string>>
    readonly button: string
    /** Nothing is asked: what was done can be taken back. */
    readonly isQuiet?: boolean
  }
  /** Where else to go. */
  readonly link?: { readonly label: string; readonly url: string }
}

/** What every page with a form carries. */
export interface FormPageModel {
  /** Value of the hidden field `csrf_token`; its cookie is set by the caller. */
  readonly csrfToken: string
  /**
   * Origins (or `scheme:`) beside `'self'` that CSP `form-action` must name, since the form ends in a redirect there.
   * @see decision D48
   */
  readonly formActionSources: readonly string[]
}

/** What the browser needs to derive a login value from a passphrase. @see login.md 3.1 */
export interface DerivationModel {
  /** For `data-salt`. */
  readonly salt: string
  /** For `data-iterations`, or the hidden field `iterations` where a passphrase is chosen. */
  readonly iterations: number
}

/** Why a form is shown again; the text is the pages' own. */
export interface FormProblem {
  readonly code: FormProblemCode
  /** Seconds until trying again makes sense; with `rate_limited` and `busy`. */
  readonly retryAfterS?: number
}

/** Each has its words in the catalogues, under the same name. */
export type FormProblemCode =
  /** Wrong or empty passphrase at login: beside the field. */
  | 'invalid_passphrase'
  /** Too many failures. */
  | 'rate_limited'
  /** Too many passphrases are being checked right now. */
  | 'busy'
  /** The form was open for too long, or cookies are off: send it again. */
  | 'csrf'
  /** The chosen passphrase is empty or too long. */
  | 'invalid_parameter'
  /** Wrong code of the second factor. */
  | 'two_factor_invalid'
  /** Wrong passkey, or the browser gave none. */
  | 'passkey_failed'
  /** The challenge of a passkey is not good any more: ask again. */
  | 'passkey_expired'
  /** A passkey that may not log in alone, or signed something else. */
  | 'passkey_invalid'
  /** A passkey that is not (or no longer) of this instance. */
  | 'passkey_unknown'
  /** The mail could not be sent. */
  | 'mail_failed'
  /** The hint is the passphrase, or too long. */
  | 'invalid_hint'
  /** The number of iterations is out of range. */
  | 'kdf_iterations'

/**
 * Form: `method=post action=/auth/login data-salt data-iterations`; `passphrase`, hidden `redirect`, `csrf_token`,
 * `trusted-device-token` and `email_verified_code`, checkbox `long-run-session`. @see login.md 5.1
 */
export interface LoginPageModel extends FormPageModel, DerivationModel {
  /** Normalised, for the hidden field `redirect`; empty when none. */
  readonly redirect: string
  /** False when the target is an authorization, whose session is short anyway. */
  readonly offersLongRun: boolean
  /** State of the checkbox when the form is shown again. */
  readonly longRun: boolean
  /** The owner was imported: this once the script sends the passphrase itself, too, and the page does not say otherwise. */
  readonly isImport: boolean
  /** For the hidden field; empty when none. */
  readonly emailVerifiedCode: string
  /** Whether a passkey may be offered after this login: it leads to an app. */
  readonly offersPasskey: boolean
  /** A second form posts `/auth/magic_link` with `redirect` and `csrf_token`. */
  readonly offersMagicLink: boolean
  /** What was done just before: another heading, or a line above the form. */
  readonly message?: 'passphrase-renewed' | 'passphrase-reset-requested'
  readonly problem?: FormProblem
}

/**
 * Form: `method=post action=/auth/twofactor`; text input `two-factor-passcode` (`autocomplete=one-time-code
 * inputmode=numeric`; recovery codes are longer and have letters), hidden `two-factor-token`, `csrf_token`, checkbox
 * `two-factor-generate-trusted-device-token`; with a passkey also hidden `two-factor-assertion`, filled by script. A
 * second form posts `/auth/twofactor/resend` with `two-factor-token` and `csrf_token`.
 * @see login.md 5.1
 */
export interface PasscodePageModel extends FormPageModel {
  readonly token: string
  readonly purpose: TwoFactorPurpose
  /** What can answer; in the order to offer them. Mail: a code is on its way. */
  readonly factors: readonly FactorKind[]
  /** The checkbox is there: the purpose is to log in, and not for an authorization. */
  readonly offersTrust: boolean
  /** Milliseconds since the epoch; and now, so that the page can count down without trusting the browser's clock. */
  readonly expiresAt: number
  readonly now: number
  /** For `navigator.credentials.get`, as a JSON data attribute; absent without passkeys. */
  readonly passkeyOptions?: Readonly<Record<string, unknown>>
  /** Way to start again that keeps what was asked for: a path of the instance. */
  readonly restartHref: string
  readonly problem?: FormProblem
}

/** Form: `method=post action=/auth/magic_link/open`; hidden `code`, `redirect`, `csrf_token`; one button. */
export interface MagicLinkOpenPageModel extends FormPageModel {
  readonly code: string
  /** Another browser asked for the link: the session lives for minutes. */
  readonly isElsewhere: boolean
  /** Normalised; empty when none. */
  readonly redirect: string
}

/**
 * Form: `method=post action=/auth/magic_link/twofactor data-salt data-iterations`; `passphrase`, hidden `magic_code`,
 * `redirect`, `csrf_token`.
 */
export interface MagicLinkPassphrasePageModel extends FormPageModel, DerivationModel {
  readonly magicCode: string
  /** Normalised; empty when none. */
  readonly redirect: string
  readonly problem?: FormProblem
}

/** Says to look into the mailbox, and leads back to the login. */
export interface MailSentPageModel {
  readonly mail: 'magic_link' | 'passphrase_hint' | 'onboarding'
  /** How long the link lives; of `magic_link`. */
  readonly minutes?: number
  /** `/auth/login`, with what was asked for. */
  readonly loginHref: string
  /** `/auth/passphrase_reset`, with the same; of `passphrase_hint`, whether there is a hint or not. */
  readonly resetHref?: string
}

/**
 * Form: `method=post action=/auth/passphrase_reset`; hidden `csrf_token`, `redirect`, `from`. A second form posts
 * `/auth/hint` with `csrf_token` and `redirect`, always.
 */
export interface ResetPageModel extends FormPageModel {
  readonly redirect: string
  readonly from: 'settings' | ''
  /** Absent: no way back is shown. */
  readonly backHref?: string
  /** The host keeps a vault: a reset makes it unreadable. */
  readonly losesVault: boolean
}

/**
 * Form: `method=post action=/auth/passphrase_renew data-salt`; `passphrase`, `hint`, hidden `iterations`,
 * `passphrase_reset_token`, `csrf_token`, `from`.
 */
export interface RenewPageModel extends FormPageModel, DerivationModel {
  readonly token: string
  readonly from: 'settings' | ''
  readonly losesVault: boolean
  /** What was typed, when the form is shown again; empty at first. */
  readonly hint: string
  readonly problem?: FormProblem
}

/**
 * Form: `method=post action=/auth/confirm data-salt data-iterations`; `passphrase`, hidden `state`, `redirect`,
 * `csrf_token`, `trusted-device-token`.
 */
export interface ConfirmPageModel extends FormPageModel, DerivationModel {
  readonly state: string
  /** Normalised; empty when none. */
  readonly redirect: string
  /** Where refusing leads: the validated target, without code. */
  readonly cancelHref: string
  /** Who asks wants the passphrase itself: the page has no passkey, and a hidden field `require`. */
  readonly requiresPassphrase: boolean
  /** Nobody knows a passphrase: a button with the field `way` `mail` has a code mailed to this address instead. */
  readonly mailsCodeTo?: string
  /** For `navigator.credentials.get`, as a JSON data attribute; the same whether there are passkeys. */
  readonly passkeyOptions: Readonly<Record<string, unknown>>
  /** Who asks: the app's name, or the host; absent: the instance itself. */
  readonly askedBy?: string
  readonly problem?: FormProblem
}

/**
 * Form: `method=post action=/auth/passkey`; text input `label`, hidden `credential` (filled by script with
 * `RegistrationResponseJSON`), `confirmation_code`, `confirmation_state`, `csrf_token`; `data-options` holds
 * `PublicKeyCredentialCreationOptionsJSON`.
 */
export interface PasskeyPageModel extends FormPageModel {
  readonly options: Readonly<Record<string, unknown>>
  readonly confirmationCode: string
  readonly confirmationState: string
  /** Proposed name of the device, such as `Firefox, Linux`. */
  readonly label: string
  /** Where leaving it leads: the settings. */
  readonly backHref: string
  readonly problem?: FormProblem
}

/**
 * Form: `method=post action=/auth/passkey`; hidden `credential` and `label` (both filled by script), `offer`,
 * `redirect`, `csrf_token`; `data-options` holds `PublicKeyCredentialCreationOptionsJSON`. @see owner.md 2.7
 */
export interface PasskeyOfferPageModel extends FormPageModel {
  readonly options: Readonly<Record<string, unknown>>
  /** Name of the new passkey, such as `Firefox, Linux`. */
  readonly label: string
  /** Normalised; where it all leads. */
  readonly redirect: string
  /** The way on: a path of the instance. */
  readonly continueHref: string
}

/** Nothing to fill in: who may onboard has a link. @see login.md 4.8 */
export interface ActivationPageModel extends FormPageModel {
  /** The link was followed with a token that is not (or no longer) right. */
  readonly hasBadToken: boolean
  /** Whether the page offers to mail a new link. */
  readonly canResend: boolean
}

/**
 * Form: `method=post action=/settings/passphrase data-salt`; `passphrase`, `hint`, hidden `iterations`,
 * `register_token`, `redirection`, `csrf_token`. @see login.md 5.5
 */
export interface ChoosePassphrasePageModel extends FormPageModel, DerivationModel {
  readonly registerToken: string
  /** `slug[/path]`; empty when none. */
  readonly redirection: string
  /** What was typed, when the form is shown again; empty at first. */
  readonly hint: string
  readonly problem?: FormProblem
}

/** Form: `method=post action=/auth/authorize` with the fields of the view. @see oauth.md 5.2 */
export interface ConsentPageModel extends FormPageModel {
  readonly view: ConsentView
  /** Names of the installed apps, which no stranger may wear. @defaultValue none */
  readonly appNames?: readonly string[]
}

/** Form: as that of a consent, and `answer=refuse`. @see assistants.md 5 */
export interface AssistantPageModel extends FormPageModel {
  readonly view: AssistantView
}

/**
 * Form: `method=post action=/auth/clients/<client id>/flagship`; text input `code`, hidden `token`. Its script loads
 * `reloadHref` once the code was right. @see oauth.md 5.5, clients.md 26
 */
export interface CertifyPageModel {
  readonly client: CertifyView['client']
  /** Absent: there is no form. */
  readonly token?: string
  /** How long the code still lives, milliseconds. */
  readonly endsInMs: number
  /** This request again: a path of the instance with its query. */
  readonly reloadHref: string
}

/**
 * Form: `method=post action=/auth/authorize/move data-salt data-iterations`; `passphrase`, hidden `state`, `client_id`,
 * `redirect_uri`, `redirect` (the same), `csrf_token`. @see oauth.md 5.10
 */
export interface MovePageModel extends FormPageModel, DerivationModel {
  readonly client: ConsentView['client']
  readonly redirectUri: string
  readonly state: string
}

/** Form: `method=post action=/auth/authorize/sharing` with the fields of the view. @see oauth.md 5.9 */
export interface SharingPageModel extends FormPageModel {
  readonly view: SharingView
}

/** No form: the page loads itself again, and once a client is removed. @see oauth.md 5.4 */
export interface LimitPageModel {
  /** Of the client that cannot be connected. */
  readonly name: string
  /** It has none: where the answer to this request would go. */
  readonly unnamed?: { readonly redirectUri: string }
  /** Connected clients, and how many may be. */
  readonly count: number
  readonly limit: number
  /** The page answers a form, which must not be sent again by itself. */
  readonly isPosted: boolean
  /** This request again: a path of the instance with its query. */
  readonly retryHref: string
  /** The connected clients in the settings app; absent: there is none. */
  readonly settingsHref?: string
  readonly raiseHref?: string
  /** What to listen with for clients that go. */
  readonly live?: { readonly token: string; readonly namespace: string }
}

/** @see oauth.md 5.6 */
export interface DeprecatedPageModel {
  readonly name: string
  /** An absolute URI, of any scheme that runs no script. */
  readonly storeUrl: string
}

/** Shown to be copied. @see oauth.md 5.7 */
export interface OutOfBandPageModel {
  readonly code: string
  readonly state: string
}

/** A problem and the way on. */
export interface ErrorPageModel {
  /** `description` may be shown when `expose`; a known `code` has a text of the pages' own. */
  readonly error: Pick<HttpError, 'code' | 'description' | 'expose' | 'status' | 'words'>
  /** Request id of an unexpected error, to quote to the operator. */
  readonly requestId?: string
  /** The way on: a path of the instance, or the answer to the client whose request has a fault. */
  readonly next?:
    | { readonly href: string; readonly label: 'home' | 'login' | 'reset' | 'retry' }
    | { readonly href: string; readonly label: 'client'; readonly host: string }
}
