import '@svc/store/node-version'
export { appFolders, KIT_PATH } from './app-folders.ts'
export type { AppPages, AppRequest, AppVisit } from './apps/app-pages.ts'
export type { BuiltInApp, BuiltInAppsOption } from './apps/built-in-option.ts'
export { inNamespace } from './apps/built-in-apps.ts'
export type { AppFolder } from './apps/app-files.ts'
export { serveAppFolder } from './apps/serve-app.ts'
export type { OwnForm } from './authorize/own-form.ts'
export type { AppConfirmation, IsConfirmed } from './confirm/confirmation.ts'
export type { PermissionText, PermissionTexts } from './consent/permission-texts.ts'
export {
  type AuthUi,
  createAuthUi,
  type Hashing,
  type Notices,
  type UiSessions,
} from './create-auth-ui.ts'
export { AuthUiError, type AuthUiErrorCode, ERRORS } from './errors.ts'
export { DEFAULT_LIFETIMES, type Lifetimes } from './lifetimes.ts'
export type { AuthUiOptions } from './options.ts'
export type {
  HostField,
  HostFieldChange,
  HostFieldLink,
  HostProfile,
} from './profile/host-profile-option.ts'
export type { AuthMode, OwnerAccess, OwnerAccessFacts } from './host/owner-access.ts'
export type { ImportedPassphrase } from './host/imported-passphrase.ts'
export {
  type ImportAllOptions,
  type ImportedOwner,
  type ImportedOwners,
  OwnerImportError,
} from './host/import-owners.ts'
export type { OwnerLine, OwnerLineFault, PasskeyLine } from './host/owner-line.ts'
export type { Owners } from './host/owners.ts'
export type { NewOwnFactor, OwnFactor, OwnFactorResult } from './factors/own-factor.ts'
export type { PassphraseVerifier } from './passphrase/passphrase-verifier.ts'
export type { DescribedRule } from './host/describe-scope.ts'
export type { HashFigures } from './passphrase/hash-queue.ts'
export type { PreparedOwner } from './passphrase/new-owner.ts'
export type { NoticePageModel } from './pages/page-models.ts'
export type { Slot, SlotContext, Slots } from './pages/slots.ts'
export type { SlotParagraph, SlotPart } from '@svc/platform'
export type { FormPages, PageForm } from './pages/page-forms.ts'
export { MODEL_NUMBERS, type OwnViews } from './pages/view-option.ts'
export type { PageData } from './pages/page-json.ts'
export type { Theme, ThemeLink } from './pages/theme.ts'
export type { ThemeOf, ThemeOption } from './pages/theme-option.ts'
export type { RevokeOAuthOnReset } from './ports.ts'
export { deriveLoginValue } from './passphrase/derive.ts'
export type { ScryptCost, StoredHash } from './owner/stored-hash.ts'
export type {
  DiskUsage,
  EventSink,
  FactorChange,
  BuiltInFactorKind,
  FactorKind,
  HostHooks,
  LoginAttempt,
  Mailer,
  OwnerContacts,
  OwnerEvent,
  Place,
  RaiseLimitUrl,
  RequestFacts,
  SessionEnd,
  SystemMail,
  SystemText,
  Texter,
  TwoFactorPurpose,
} from './ports.ts'
export { AUTH_UI_RECORDS } from './records.ts'
export { type Bucket, DEFAULT_LIMITS } from './rate-limits.ts'
export type { HasShareCookie } from './share-by-link/share-password.ts'
export type {
  AssistantChange,
  AssistantChanges,
  RestoredSpace,
  RestoredSpaces,
} from './ports.ts'
export type { SharedLink, Shares } from './share-by-link/shares.ts'
export type { LoginMethod, Session, SessionId, SessionKind } from './session/session.ts'
export type { Language, Languages, Texts } from './words/word-options.ts'
export { AUTH_UI_LOG_EVENTS } from './log/log-events.ts'
