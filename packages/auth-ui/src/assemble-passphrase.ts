import type { RouteRow } from '@svc/oauth-core'
import { AuthUiError } from './errors.ts'
import { isSecondFactorOn } from './factors/factors.ts'
import type { SecondFactor } from './factors/second-factor.ts'
import { createOwnerMails, type OwnerMailsOptions } from './passphrase/owner-mails.ts'
import { createRenew, type RenewOptions } from './passphrase/reset/renew.ts'
import { createRequestReset, type RequestResetOptions } from './passphrase/reset/request-reset.ts'
import { createResetMails, type ResetMailsOptions } from './passphrase/reset/reset-mails.ts'
import { createFindSettings } from './passphrase/reset/settings-link.ts'
import { type PassphraseHandlers, passphraseRows } from './passphrase/rows.ts'
import {
  type CheckPassphraseOptions,
  createCheckPassphrase,
} from './passphrase/settings/check-passphrase.ts'
import { createHintSettings, type HintSettingsOptions } from './passphrase/settings/hint.ts'
import {
  createPutPassphrase,
  type PutPassphraseOptions,
} from './passphrase/settings/put-passphrase.ts'

/** What {@link assemblePassphrase} needs: the parts of `createAuthUi`. */
export interface PassphraseParts
  extends ResetMailsOptions,
    Omit<RequestResetOptions, 'findSettings' | 'resetMails'>,
    Omit<RenewOptions, 'findSettings'>,
    OwnerMailsOptions,
    Omit<PutPassphraseOptions, 'secondFactor'>,
    CheckPassphraseOptions,
    HintSettingsOptions,
    Pick<PassphraseHandlers, 'callers' | 'namespace'> {
  readonly apps: Parameters<typeof createFindSettings>[0]
  readonly settingsSlug: string
  readonly secondFactor?: SecondFactor
}

/** The endpoints of `passphrase/`. */
export function assemblePassphrase(given: PassphraseParts): readonly RouteRow[] {
  const { apps, settingsSlug, secondFactor = REFUSING } = given
  const parts = { ...given, secondFactor, findSettings: createFindSettings(apps, settingsSlug) }
  return passphraseRows({
    reset: createRequestReset({ ...parts, resetMails: createResetMails(parts) }),
    renew: createRenew(parts),
    ownerMails: createOwnerMails(parts),
    putPassphrase: createPutPassphrase(parts),
    checkPassphrase: createCheckPassphrase(parts),
    hintSettings: createHintSettings(parts),
    callers: parts.callers,
    namespace: parts.namespace,
  })
}

/** Until there is one: who has a second factor changes nothing. */
const refuse = async (): Promise<never> => {
  throw new AuthUiError('two_factor_expired')
}
const REFUSING: SecondFactor = {
  isOn: (owner) => isSecondFactorOn(owner.factors),
  begin: refuse,
  find: async () => undefined,
  findUsed: async () => undefined,
  recall: async () => {},
  complete: refuse,
  resend: refuse,
}
