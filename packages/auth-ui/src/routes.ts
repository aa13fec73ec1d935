import { homeRoutes } from './passphrase/home.ts'
import { loginRoutes } from './login/login.ts'
import { passkeyLoginRoutes } from './login/passkey-login.ts'
import { logoutRoutes } from './login/logout.ts'
import { twoFactorRoutes } from './two-factor/two-factor.ts'
import { magicLinkRoutes } from './magic-link/magic-link.ts'
import { requestLinkRoutes } from './magic-link/request-link.ts'
import { checkBearer, SESSION_CODE_PATH, sessionCodeRoutes } from './session-code/session-code.ts'
import { confirmRoutes } from './confirm/confirm.ts'
import { onboardingRoutes } from './passphrase/onboarding.ts'
import { resetRoutes } from './passphrase/reset.ts'
import { renewRoutes } from './passphrase/renew.ts'
import { ownerMailRoutes } from './passphrase/owner-mails.ts'
import { hintRoutes } from './passphrase/hint.ts'
import { putPassphraseRoutes } from './passphrase/put-passphrase.ts'
import { checkPassphraseRoutes } from './passphrase/check-passphrase.ts'
import { preloginRoutes } from './passphrase/prelogin.ts'
import { accessRoutes } from './settings/access.ts'
import { assistantActivityRoutes } from './settings/assistant-activity.ts'
import { assistantChangeRoutes } from './settings/assistant-changes.ts'
import { assistantRoutes } from './settings/assistants.ts'
import { restoredRoutes } from './settings/restored.ts'
import { checkupRoutes } from './settings/checkup.ts'
import { deviceRoutes } from './settings/devices.ts'
import { authModeRoutes } from './settings/auth-mode.ts'
import { changeClientRoutes } from './settings/change-client.ts'
import { clientRoutes } from './settings/clients.ts'
import { diskUsageRoutes } from './settings/disk-usage.ts'
import { mailFactorRoutes } from './settings/factor-mail.ts'
import { ownFactorRoutes } from './settings/factor-own.ts'
import { totpRoutes } from './settings/factor-totp.ts'
import { factorRoutes } from './settings/factors.ts'
import { passkeyOfferRoutes } from './passkeys/passkey-offer.ts'
import { passkeyRoutes } from './passkeys/passkey-page.ts'
import { passkeySettingsRoutes } from './passkeys/passkey-settings.ts'
import { derivationRoutes } from './settings/passphrase.ts'
import { sessionRoutes } from './settings/sessions.ts'
import { trustedDeviceRoutes } from './settings/trusted-devices.ts'
import { bindRoutes, type Route, type RouteRow } from '@svc/platform'
import { flagshipLoginRoutes } from './flagship/flagship-login.ts'
import { flagshipMagicLinkRoutes } from './flagship/flagship-magic-link.ts'
import { flagshipOnboardingRoutes } from './flagship/flagship-onboarding.ts'
import { emailChangeRoutes } from './profile/email-change.ts'
import { emailProofRoutes } from './profile/email-proof.ts'
import { emailUndoRoutes } from './profile/email-undo.ts'
import { loginHistoryRoutes } from './profile/logins.ts'
import { magicLinkSettingRoutes } from './profile/magic-link-setting.ts'
import { phoneRoutes } from './profile/phone-change.ts'
import { profileRoutes } from './profile/profile-document.ts'
import { moveRoutes } from './move/move.ts'
import { sharePasswordRoutes } from './share-by-link/share-password.ts'
import type { AuthUiServices } from './services.ts'

/** Every endpoint of this package, in the order of paths. */
export const authUiRoutes: readonly Route<AuthUiServices>[] = [
  ...homeRoutes,
  ...loginRoutes,
  ...passkeyLoginRoutes,
  ...logoutRoutes,
  ...twoFactorRoutes,
  ...magicLinkRoutes,
  ...requestLinkRoutes,
  ...sessionCodeRoutes,
  ...confirmRoutes,
  ...onboardingRoutes,
  ...resetRoutes,
  ...renewRoutes,
  ...ownerMailRoutes,
  ...hintRoutes,
  ...putPassphraseRoutes,
  ...checkPassphraseRoutes,
  ...preloginRoutes,
  ...accessRoutes,
  ...assistantRoutes,
  ...assistantActivityRoutes,
  ...assistantChangeRoutes,
  ...restoredRoutes,
  ...authModeRoutes,
  ...clientRoutes,
  ...changeClientRoutes,
  ...checkupRoutes,
  ...deviceRoutes,
  ...diskUsageRoutes,
  ...mailFactorRoutes,
  ...totpRoutes,
  ...ownFactorRoutes,
  ...factorRoutes,
  ...passkeyRoutes,
  ...passkeyOfferRoutes,
  ...passkeySettingsRoutes,
  ...derivationRoutes,
  ...sessionRoutes,
  ...trustedDeviceRoutes,
  ...profileRoutes,
  ...emailChangeRoutes,
  ...emailProofRoutes,
  ...emailUndoRoutes,
  ...phoneRoutes,
  ...magicLinkSettingRoutes,
  ...loginHistoryRoutes,
  ...moveRoutes,
  ...sharePasswordRoutes,
  ...flagshipLoginRoutes,
  ...flagshipMagicLinkRoutes,
  ...flagshipOnboardingRoutes,
].toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0))

/** The rows that the router mounts. */
export function bindAuthUiRoutes(services: AuthUiServices): readonly RouteRow[] {
  return bindRoutes(authUiRoutes, services).map((row) =>
    row.path === SESSION_CODE_PATH
      ? { ...row, use: [(ctx, next) => checkBearer(services, ctx, next)] }
      : row,
  )
}
