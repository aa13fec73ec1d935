import type { RouteRow } from '@svc/platform'
import { type ConfirmOptions, createConfirm } from './confirm/confirm.ts'
import { confirmRows } from './confirm/rows.ts'
import { type ActivationCodesOptions, createActivationCodes } from './factors/activation-codes.ts'
import { createFactorChanges, type FactorChangesOptions } from './factors/factor-changes.ts'
import { createFreshConfirmation } from './confirm/fresh-confirmation.ts'
import { createPasskeyPage, type PasskeyPageOptions } from './settings/passkey-page.ts'
import { passkeyRows } from './settings/passkey-rows.ts'
import { createAuthMode } from './settings/auth-mode.ts'
import type { Callers } from './web/caller.ts'
import { createActivateMail, createMailSettings } from './settings/factor-mail.ts'
import { factorRows } from './settings/factor-rows.ts'
import { createTotpSettings, type TotpSettingsOptions } from './settings/factor-totp.ts'
import { createFactorSettings } from './settings/factors.ts'
import { createTrustedDeviceSettings } from './settings/trusted-devices.ts'

/** What {@link assembleFactors} needs. */
export type FactorParts = ActivationCodesOptions &
  ConfirmOptions &
  FactorChangesOptions &
  Omit<PasskeyPageOptions, 'factorChanges' | 'freshConfirmation'> &
  Omit<TotpSettingsOptions, 'factorChanges' | 'freshConfirmation'> & {
    readonly namespace: string
    readonly callers: Callers
  }

/** Confirmation, and how factors are added and removed. */
export function assembleFactors(given: FactorParts): readonly RouteRow[] {
  const changing = {
    ...given,
    activationCodes: createActivationCodes(given),
    factorChanges: createFactorChanges(given),
    freshConfirmation: createFreshConfirmation(given.confirmations, given.settingsSlug),
  }
  const parts = { ...changing, activateMail: createActivateMail(changing) }
  return [
    ...confirmRows(createConfirm(parts)),
    ...passkeyRows(createPasskeyPage(parts)),
    ...factorRows({
      authMode: createAuthMode(parts),
      callers: parts.callers,
      factorSettings: createFactorSettings(parts),
      mailSettings: createMailSettings(parts),
      totpSettings: createTotpSettings(parts),
      trustedDeviceSettings: createTrustedDeviceSettings(parts),
    }),
  ]
}
