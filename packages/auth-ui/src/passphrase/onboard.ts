import type { Instance, Keyring, Logger } from '@svc/oauth-core'
import type { Store } from '@svc/store'
import { AuthUiError } from '../errors.ts'
import { acceptsRegisterToken, newSecurityStamp, type Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { HostHooks } from '../ports.ts'
import type { SessionStore } from '../session/session-store.ts'
import { tellHost } from '../tell-host.ts'
import type { NewPassphrase } from './new-passphrase.ts'
import type { PasswordHasher } from './password-hash.ts'

/** Makes an instance somebody's: first passphrase, new keys, once. */
export interface Onboard {
  /**
   * @param token - a register token, or undefined on the host's own authority
   * @throws AuthUiError `invalid_token`, `already_onboarded`, `busy`
   */
  (instance: Instance, token: string | undefined, passphrase: NewPassphrase): Promise<Owner>
}

/** What {@link createOnboard} needs. */
export interface OnboardOptions {
  readonly owners: OwnerStore
  readonly store: Store
  readonly keyring: Keyring
  readonly hasher: PasswordHasher
  readonly sessions: SessionStore
  readonly hooks: HostHooks
  readonly clock: { now(): number }
  readonly log: Logger
}

/** Owner and session key change in one write. @see login.md 7.1 "onboarding" */
export function createOnboard(options: OnboardOptions): Onboard {
  const { owners, store, keyring, hasher, sessions, hooks, clock, log } = options

  return async function onboard(instance, token, passphrase) {
    const passphraseHash = await hasher.hash(passphrase.loginValue)
    for (;;) {
      const stored = await owners.get(instance.id)
      if (stored === undefined) throw invalidRegisterToken()
      if (stored.owner.onboardedAt !== undefined) throw new AuthUiError('already_onboarded')
      if (token !== undefined && !acceptsRegisterToken(stored.owner, token)) {
        throw invalidRegisterToken()
      }
      const now = clock.now()
      const owner: Owner = {
        ...stored.owner,
        passphraseHash,
        iterations: passphrase.iterations,
        ...(passphrase.hint === undefined ? {} : { hint: passphrase.hint }),
        ...(passphrase.keys === undefined ? {} : { keys: passphrase.keys }),
        registerTokens: [],
        securityStamp: newSecurityStamp(now),
        onboardedAt: now,
        updatedAt: now,
      }
      const result = await store.write([
        owners.replace(instance.id, stored, owner),
        ...(await keyring.replaceSessionKey(instance)),
      ])
      // A lost race re-reads and re-checks the token, so that it cannot be used twice.
      if (!result.written) continue
      await keyring.replaced(instance)
      log.info('owner.onboarded', { instance: instance.domain })
      // Their cookies died with the key: no dead record stays in the list.
      await sessions.endAll(instance, 'passphrase')
      const { keys } = passphrase
      if (keys !== undefined) {
        await tellHost(log, 'onVaultKeys', () => hooks.onVaultKeys?.({ instance, ...keys }))
      }
      await tellHost(log, 'onOnboarded', () => hooks.onOnboarded?.({ instance }))
      return owner
    }
  }
}

/** One answer for a wrong, a used and a replaced token. */
export function invalidRegisterToken(): AuthUiError {
  return new AuthUiError('invalid_token', { description: 'invalid register token' })
}
