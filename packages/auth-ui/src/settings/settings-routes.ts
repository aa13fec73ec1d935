import type { Route } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { accessRoutes } from './access.ts'
import { authModeRoutes } from './auth-mode.ts'
import { clientRoutes } from './clients.ts'
import { mailFactorRoutes } from './factor-mail.ts'
import { totpRoutes } from './factor-totp.ts'
import { factorRoutes } from './factors.ts'
import { passkeyRoutes } from './passkey-page.ts'
import { derivationRoutes } from './passphrase.ts'
import { sessionRoutes } from './sessions.ts'
import { trustedDeviceRoutes } from './trusted-devices.ts'

/** What the owner sees and changes, for the settings app. */
export const settingsRoutes: readonly Route<AuthUiServices>[] = [
  ...passkeyRoutes,
  ...accessRoutes,
  ...clientRoutes,
  ...factorRoutes,
  ...mailFactorRoutes,
  ...totpRoutes,
  ...authModeRoutes,
  ...derivationRoutes,
  ...sessionRoutes,
  ...trustedDeviceRoutes,
]
