import type { Instance, Keyring, Logger } from '@svc/platform'
import type { Store } from '@svc/store'
import { newSecurityStamp, type Owner } from '../owner/owner.ts'
import type { OwnerStore, StoredOwner } from '../owner/owner-store.ts'
import type { SessionStore } from '../session/session-store.ts'
import type { NewPassphrase } from './new-passphrase.ts'
import type { PasswordHasher } from './password-hash.ts'

/** What a write of a new passphrase found, and what it left. */
export interface Replaced {
  readonly before: Owner
  readonly after: Owner
}

/**
 * The owner as it shall be, apart from what every new passphrase brings. Asked again after a lost race, with the owner
 * as it is then; throws when the change may not happen (any more).
 */
export type PassphraseRule = (owner: Owner | undefined, now: number) => Owner

/** Stores a new passphrase, and ends what hangs on the old one. */
export interface ReplacePassphrase {
  /** @throws AuthUiError `busy`, and what the rule throws */
  (instance: Instance, passphrase: NewPassphrase, rule: PassphraseRule): Promise<Replaced>
}

/** What {@link createReplacePassphrase} needs. */
export interface ReplacePassphraseOptions {
  readonly owners: OwnerStore
  readonly store: Store
  readonly keyring: Keyring
  readonly hasher: PasswordHasher
  readonly sessions: SessionStore
  readonly clock: { now(): number }
  readonly log: Logger
}

/** Owner and session key change in one write. @see login.md 7.1, decision D9 */
export function createReplacePassphrase(options: ReplacePassphraseOptions): ReplacePassphrase {
  const { owners, store, keyring, hasher, sessions, clock, log } = options

  async function write(
    instance: Instance,
    stored: StoredOwner,
    owner: Owner,
  ): Promise<Replaced | undefined> {
    const result = await store.write([
      owners.replace(instance.id, stored, owner),
      ...(await keyring.replaceSessionKey(instance)),
    ])
    return result.written ? { before: stored.owner, after: owner } : undefined
  }

  /** The passphrase is replaced already: what fails here must not look as if it were not. */
  async function tidy(instance: Instance): Promise<void> {
    const left = (event: string) => (cause: unknown) => {
      log.error(event, { instance: instance.domain, cause: String(cause) })
    }
    // Other processes look again within a second by themselves.
    await keyring.replaced(instance).catch(left('passphrase.key_untold'))
    // Their cookies died with the key: only dead records would be left.
    await sessions.endAll(instance, 'passphrase').catch(left('passphrase.sessions_left'))
  }

  return async function replacePassphrase(instance, passphrase, rule) {
    const passphraseHash = await hasher.hash(passphrase.loginValue)
    for (;;) {
      const stored = await owners.get(instance.id)
      const now = clock.now()
      // "Nobody knows the passphrase" goes, unless the rule says so of the new one; a pending link to one goes too.
      const { reset: _reset, ...kept } = rule(withoutUnknown(stored?.owner), now)
      if (stored === undefined) throw new TypeError('the rule let an absent owner pass')
      const owner: Owner = {
        ...kept,
        passphraseHash,
        iterations: passphrase.iterations,
        securityStamp: newSecurityStamp(now),
        updatedAt: now,
      }
      const replaced = await write(instance, stored, owner)
      // A lost race re-reads and asks the rule again, so that a token cannot be used twice.
      if (replaced === undefined) continue
      await tidy(instance)
      return replaced
    }
  }
}

function withoutUnknown(owner: Owner | undefined): Owner | undefined {
  if (owner === undefined) return undefined
  const { passwordDefined: _defined, ...known } = owner
  return known
}
