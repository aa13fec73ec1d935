import type { Client, Permission } from '@svc/oauth-core'
import type { Instance, RouteContext, RouteRow } from '@svc/platform'
import type { EmailPageModel } from './email-model.ts'
import type { PermissionTexts } from '../consent/permission-texts.ts'
import type { AuthUiLog } from '../log/log-events.ts'
import type { Slots } from './slots.ts'
import type { ThemeOption } from './theme-option.ts'
import type { OwnViews } from './view-option.ts'
import type {
  NoticePageModel,
  LoginPageModel,
  PasscodePageModel,
  MagicLinkOpenPageModel,
  MagicLinkPassphrasePageModel,
  MailSentPageModel,
  ResetPageModel,
  RenewPageModel,
  ConfirmPageModel,
  PasskeyPageModel,
  PasskeyOfferPageModel,
  ActivationPageModel,
  ChoosePassphrasePageModel,
  AssistantPageModel,
  ConsentPageModel,
  CertifyPageModel,
  MovePageModel,
  SharingPageModel,
  LimitPageModel,
  DeprecatedPageModel,
  OutOfBandPageModel,
  ErrorPageModel,
} from './page-models.ts'

/**
 * What handlers ask of the pages. Each method writes the body, its content type and the page headers (CSP, COOP,
 * `X-Frame-Options`); the status is the caller's, set before the call or after it. The instance, its name and its
 * address are in `ctx.state.instance`. `createPages` of `pages/create-pages.ts` implements it.
 * @see login.md 4.3, 5; decisions D48, D55, D60
 */
export interface PageRenderer {
  /** `GET /auth/login`, and `POST /auth/login` that failed. */
  loginPage(ctx: RouteContext, model: LoginPageModel): Promise<void>
  /** The instance has no owner yet. @see login.md 4.8 */
  activationPage(ctx: RouteContext, model: ActivationPageModel): Promise<void>
  /** `GET /auth/passphrase`, and `POST /settings/passphrase` that failed. */
  choosePassphrasePage(ctx: RouteContext, model: ChoosePassphrasePageModel): Promise<void>
  /** The second step. @see login.md 5.1 */
  passcodePage(ctx: RouteContext, model: PasscodePageModel): Promise<void>
  /** `GET /auth/magic_link` in another browser than the one that asked. @see login.md 5.3 */
  magicLinkOpenPage(ctx: RouteContext, model: MagicLinkOpenPageModel): Promise<void>
  /** `GET /auth/magic_link` with the second factor on. @see login.md 5.3 */
  magicLinkPassphrasePage(ctx: RouteContext, model: MagicLinkPassphrasePageModel): Promise<void>
  /** Something was mailed, perhaps: the same page whether it was or not. @see login.md 5.3, 5.5 */
  mailSentPage(ctx: RouteContext, model: MailSentPageModel): Promise<void>
  /** `GET /auth/passphrase_reset`. @see login.md 5.5 */
  resetPage(ctx: RouteContext, model: ResetPageModel): Promise<void>
  /** `GET /auth/passphrase_renew`, and `POST` that failed. @see login.md 5.5 */
  renewPage(ctx: RouteContext, model: RenewPageModel): Promise<void>
  /** `GET /auth/confirm`, and `POST` that failed. @see login.md 6 */
  confirmPage(ctx: RouteContext, model: ConfirmPageModel): Promise<void>
  /** `GET /auth/email` and `GET /auth/email/undo`. @see owner.md 1.4, 1.5 */
  emailPage(ctx: RouteContext, model: EmailPageModel): Promise<void>
  /** `GET /auth/passkey`: the browser makes a passkey. */
  passkeyPage(ctx: RouteContext, model: PasskeyPageModel): Promise<void>
  /** `GET /auth/passkey/offer`: would a passkey be faster next time? */
  passkeyOfferPage(ctx: RouteContext, model: PasskeyOfferPageModel): Promise<void>
  /** `GET /auth/authorize`. @see oauth.md 5.3 */
  consentPage(ctx: RouteContext, model: ConsentPageModel): Promise<void>
  /** The same for an assistant. @see assistants.md 5 */
  assistantPage(ctx: RouteContext, model: AssistantPageModel): Promise<void>
  /** An app asks for everything and is not certified. @see oauth.md 5.5 */
  certifyPage(ctx: RouteContext, model: CertifyPageModel): Promise<void>
  /** `GET /auth/authorize/move`. @see oauth.md 5.10 */
  movePage(ctx: RouteContext, model: MovePageModel): Promise<void>
  /** `GET /auth/authorize/sharing`. @see oauth.md 5.9 */
  sharingPage(ctx: RouteContext, model: SharingPageModel): Promise<void>
  /** Too many clients are connected. @see oauth.md 5.4 */
  limitPage(ctx: RouteContext, model: LimitPageModel): Promise<void>
  /** An app that is no longer supported. @see oauth.md 5.6 */
  deprecatedPage(ctx: RouteContext, model: DeprecatedPageModel): Promise<void>
  /** The code for out-of-band targets, in the title. @see oauth.md 5.7 */
  outOfBandPage(ctx: RouteContext, model: OutOfBandPageModel): Promise<void>
  /** What another package asks or says. */
  noticePage(ctx: RouteContext, model: NoticePageModel): Promise<void>
  /** Anything that went wrong and has no form to go back to. */
  errorPage(ctx: RouteContext, model: ErrorPageModel): Promise<void>
  /** One permission in words, for lists of connected apps. `locale` is a BCP 47 tag. */
  permissionWords(locale: string, permission: Permission): string
  /** What its kind of data is called. */
  kindWords(locale: string, permission: Pick<Permission, 'type'>): string
  /** What a client is called in lists: its name, or words where it has none. */
  clientName(locale: string, client: Pick<Client, 'metadata' | 'unnamed'>): string
  /** Names that no app of others may wear. @param appNames - of the apps that are installed */
  ownNames(instance: Instance, appNames: readonly string[]): readonly string[]
  /** BCP 47 tags of the languages that pages are served in. */
  readonly locales: readonly string[]
  /** The pages' own files (style, scripts); mounted with the package's routes. */
  readonly rows: readonly RouteRow[]
}

/** What `createPages` needs. */
export interface PagesContext {
  /** Prefix of doctypes, for permission texts. */
  readonly namespace: string
  /** Words of the host for kinds of data, before those of the package. */
  readonly permissionTexts?: PermissionTexts
  /** What it says about the embedding product, when given. */
  readonly theme?: ThemeOption
  /** A client by its id, for the sheet of a theme that is made for it. @defaultValue none is known */
  readonly findClient?: (instance: Instance, id: string) => Promise<Client | undefined>
  /** Paragraphs of the host. @defaultValue none */
  readonly slots?: Slots
  /** Templates of the host. @defaultValue none */
  readonly views?: OwnViews
  /** Takes lines for the operator. @defaultValue nobody does */
  readonly log?: Pick<AuthUiLog, 'error'>
  /** Language of a page: the instance's locale unless the host says otherwise. */
  readonly localeOf?: (ctx: RouteContext, instance: Instance) => string
}
