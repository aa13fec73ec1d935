import { homeRoutes } from './passphrase/home.ts'
import { loginRoutes } from './login/login.ts'
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
import { settingsRoutes } from './settings/settings-routes.ts'
import { bindRoutes, type Route, type RouteRow } from '@svc/platform'
import { flagshipLoginRoutes } from './flagship/flagship-login.ts'
import { flagshipMagicLinkRoutes } from './flagship/flagship-magic-link.ts'
import { flagshipOnboardingRoutes } from './flagship/flagship-onboarding.ts'
import { moveRoutes } from './move/move.ts'
import { sharePasswordRoutes } from './share-by-link/share-password.ts'
import type { AuthUiServices } from './services.ts'

/** Every endpoint of this package, in the order of paths. */
export const authUiRoutes: readonly Route<AuthUiServices>[] = [
  ...homeRoutes,
  ...loginRoutes,
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
  ...settingsRoutes,
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
