import type { Instance } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { ChangePassphrase } from './change-passphrase.ts'
import { readNewPassphrase } from './new-passphrase.ts'
import type { PasswordHasher } from './password-hash.ts'

/** What {@link createHostReset} needs. */
export interface HostResetOptions {
  readonly owners: OwnerStore
  readonly changePassphrase: ChangePassphrase
  readonly hasher: PasswordHasher
  readonly clock: { now(): number }
}

/** A new raw passphrase on the operator's authority; the hint goes, and what the old one sealed is lost. */
export type HostReset = (instance: Instance, passphrase: string) => Promise<void>

/** @see login.md 7.1 "renew", 8 "Host API" */
export function createHostReset(options: HostResetOptions): HostReset {
  const { owners, changePassphrase, hasher, clock } = options
  return async function resetPassphrase(instance, passphrase) {
    const owner = (await owners.get(instance.id))?.owner
    if (owner?.onboardedAt === undefined) throw new AuthUiError('onboarding_needed')
    const fields = { passphrase, hint: '', iterations: '', key: '', publicKey: '', privateKey: '' }
    await changePassphrase(instance, {
      how: 'host',
      passphrase: await readNewPassphrase(fields, owner.salt, { hasher, allowRaw: true }),
      keepsHint: false,
      demand: () => {},
      facts: { time: clock.now(), address: '' },
    })
  }
}
