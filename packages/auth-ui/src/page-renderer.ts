import type {
  ConsentView,
  HttpError,
  Instance,
  Permission,
  RouteContext,
  RouteRow,
} from '@svc/oauth-core'

/**
 * What handlers ask of the pages. Each method writes the body, its content type and the page headers (CSP, COOP,
 * `X-Frame-Options`); the status is the caller's, set before the call or after it. The instance, its name and its
 * address are in `ctx.state.instance`. `createPages` of `consent/pages.ts` implements it.
 * @see login.md 4.3, 5; decisions D48, D55, D60
 */
export interface PageRenderer {
  /** `GET /auth/login`, and `POST /auth/login` that failed. */
  loginPage(ctx: RouteContext, model: LoginPageModel): Promise<void>
  /** The instance has no owner yet. @see login.md 4.8 */
  activationPage(ctx: RouteContext, model: ActivationPageModel): Promise<void>
  /** `GET /auth/passphrase`, and `POST /settings/passphrase` that failed. */
  choosePassphrasePage(ctx: RouteContext, model: ChoosePassphrasePageModel): Promise<void>
  /** `GET /auth/authorize`. @see oauth.md 5.3 */
  consentPage(ctx: RouteContext, model: ConsentPageModel): Promise<void>
  /** The code for out-of-band targets, in the title. @see oauth.md 5.7 */
  outOfBandPage(ctx: RouteContext, model: OutOfBandPageModel): Promise<void>
  /** Anything that went wrong and has no form to go back to. */
  errorPage(ctx: RouteContext, model: ErrorPageModel): Promise<void>
  /** One permission in words, for lists of connected apps. `locale` is a BCP 47 tag. */
  permissionWords(locale: string, permission: Permission): string
  /** The pages' own files (style, scripts); mounted with the package's routes. */
  readonly rows: readonly RouteRow[]
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
  /** Wrong or empty passphrase at log-in: beside the field. */
  | 'invalid_passphrase'
  /** Too many failures. */
  | 'rate_limited'
  /** Too many passphrases are being checked right now. */
  | 'busy'
  /** The form was open for too long, or cookies are off: send it again. */
  | 'csrf'
  /** The chosen passphrase is empty or too long. */
  | 'invalid_parameter'
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
  /** For the hidden field; empty when none. */
  readonly emailVerifiedCode: string
  /** Heading `passphrase-reset-requested`. */
  readonly message?: 'passphrase-reset-requested'
  readonly problem?: FormProblem
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
}

/** Shown to be copied. @see oauth.md 5.7 */
export interface OutOfBandPageModel {
  readonly code: string
  readonly state: string
}

/** A problem and the way on. */
export interface ErrorPageModel {
  /** `description` may be shown when `expose`; a known `code` has a text of the pages' own. */
  readonly error: Pick<HttpError, 'code' | 'status' | 'expose' | 'description'>
  /** Request id of an unexpected error, to quote to the operator. */
  readonly requestId?: string
  /** The way on: a path of the instance. */
  readonly next?: { readonly href: string; readonly label: 'home' | 'login' | 'retry' }
}

/** What `createPages` needs. */
export interface PagesContext {
  /** Prefix of doctypes, for permission texts. */
  readonly namespace: string
  /** What it says about the embedding product, when given. */
  readonly theme?: Theme
  /** Language of a page: the instance's locale unless the host says otherwise. */
  readonly localeOf?: (ctx: RouteContext, instance: Instance) => string
}

/** The embedder's looks. @see pages.md "Look" */
export interface Theme {
  readonly name?: string
  /** Path on the instance's own origin, or absent. */
  readonly logoPath?: string
  /** CSS colour. */
  readonly accent?: string
  /** CSS length. */
  readonly radius?: string
  readonly links?: readonly { readonly label: string; readonly href: string }[]
}
