import type { RouteRow } from '@svc/platform'
import { createOwnerMails, type OwnerMailsOptions } from './passphrase/owner-mails.ts'
import { createRenew, type RenewOptions } from './passphrase/reset/renew.ts'
import { createRequestReset, type RequestResetOptions } from './passphrase/reset/request-reset.ts'
import { createResetMails, type ResetMailsOptions } from './passphrase/reset/reset-mails.ts'
import { createFindSettings } from './web/settings-link.ts'
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
    PutPassphraseOptions,
    CheckPassphraseOptions,
    HintSettingsOptions,
    Pick<PassphraseHandlers, 'callers' | 'namespace'> {
  readonly apps: Parameters<typeof createFindSettings>[0]
  readonly settingsSlug: string
}

/** The endpoints of `passphrase/`. */
export function assemblePassphrase(given: PassphraseParts): readonly RouteRow[] {
  const parts = { ...given, findSettings: createFindSettings(given.apps, given.settingsSlug) }
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
