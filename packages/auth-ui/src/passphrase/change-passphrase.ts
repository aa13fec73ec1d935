import type { ClientService } from '@svc/oauth-core'
import type { Instance, Logger } from '@svc/platform'
import type { Background } from '../background.ts'
import { AuthUiError } from '../errors.ts'
import type { Owner, VaultKeys } from '../owner/owner.ts'
import type { HostHooks, Mailer, RequestFacts } from '../ports.ts'
import type { SecurityUrl } from '../web/security-url.ts'
import { tellHost } from '../tell-host.ts'
import type { NewPassphrase } from './new-passphrase.ts'
import type { ReplacePassphrase } from './replace-passphrase.ts'

/** Whose tokens end when the passphrase is reset without knowing the old one. @see login.md 7.1 */
export type RevokeOAuthOnReset = 'none' | 'flagship' | 'all'

/** A new passphrase for an owner who has one. */
export interface PassphraseChange {
  /** `settings`: who asks knows the old one; `reset`: has the mailed link; `host`: is the operator. */
  readonly how: 'settings' | 'reset' | 'host'
  readonly passphrase: NewPassphrase
  /** Whether a hint that the new passphrase does not bring along stays. */
  readonly keepsHint: boolean
  /** Throws when the change may not happen to this owner; asked again after a lost race. */
  readonly demand: (owner: Owner) => void
  /** For the owner's mail. */
  readonly facts: RequestFacts
}

/** The one place where a passphrase is replaced by another. @see login.md 7.1 */
export interface ChangePassphrase {
  /** @throws AuthUiError `busy`, `onboarding_needed`, and what `demand` throws */
  (instance: Instance, change: PassphraseChange): Promise<Owner>
}

/** What {@link createChangePassphrase} needs. */
export interface ChangePassphraseOptions {
  readonly replacePassphrase: ReplacePassphrase
  /** Browsers that skip the second factor: they die with the stamp, and their records go. */
  readonly trustedDevices?: { removeAll(instance: Instance): Promise<unknown> }
  readonly clients: Pick<ClientService, 'revokeGrants'>
  readonly revokeOAuthOnReset: RevokeOAuthOnReset
  readonly mailer: Mailer
  readonly background: Background
  readonly securityUrl: SecurityUrl
  readonly hooks: HostHooks
  readonly log: Logger
}

/** One atomic write, then everything that hangs on the old passphrase, each as well as it goes. */
export function createChangePassphrase(options: ChangePassphraseOptions): ChangePassphrase {
  const { replacePassphrase, trustedDevices, clients, revokeOAuthOnReset } = options
  const { mailer, background, securityUrl, hooks, log } = options

  /** The passphrase is changed already: what fails here is told to the operator, not to the caller. */
  async function attempt(
    instance: Instance,
    what: string,
    work: () => Promise<unknown>,
  ): Promise<void> {
    await work().catch((cause: unknown) => {
      log.error('passphrase.change_unfinished', {
        instance: instance.domain,
        what,
        cause: String(cause),
      })
    })
  }

  async function revokeTokens(instance: Instance): Promise<void> {
    if (revokeOAuthOnReset === 'none') return
    // SPEC: decision D41 - a token of scope `*` must not outlive a reset.
    const filter = revokeOAuthOnReset === 'flagship' ? { flagship: true } : {}
    await clients.revokeGrants(instance, 'passphrase reset', filter)
  }

  function mailOwner(instance: Instance, facts: RequestFacts): void {
    background.run('mail.passphrase_changed', async () => {
      await mailer.send(instance, {
        template: 'passphrase_changed',
        variables: { ...facts, url: await securityUrl(instance) },
      })
    })
  }

  return async function changePassphrase(instance, change) {
    const { how, passphrase, keepsHint, demand, facts } = change
    const knowsOld = how === 'settings'
    const { before, after } = await replacePassphrase(instance, passphrase, (owner) => {
      if (owner?.onboardedAt === undefined) throw new AuthUiError('onboarding_needed')
      demand(owner)
      const { hint: oldHint, keys: oldKeys, ...kept } = owner
      const hint = passphrase.hint ?? (keepsHint ? oldHint : undefined)
      const keys = nextKeys(oldKeys, passphrase.keys, knowsOld)
      return {
        ...kept,
        ...(hint === undefined ? {} : { hint }),
        ...(keys === undefined ? {} : { keys }),
      }
    })
    log.info('passphrase.changed', { instance: instance.domain, how })
    mailOwner(instance, facts)
    if (trustedDevices !== undefined) {
      await attempt(instance, 'trusted devices', () => trustedDevices.removeAll(instance))
    }
    if (!knowsOld) await attempt(instance, 'tokens', () => revokeTokens(instance))
    const { keys } = passphrase
    if (keys !== undefined) {
      await tellHost(log, 'onVaultKeys', () => hooks.onVaultKeys?.({ instance, ...keys }))
    }
    if (before.keys !== undefined && after.keys === undefined) {
      await tellHost(log, 'onUnrecoverableVault', () => hooks.onUnrecoverableVault?.({ instance }))
    }
    await tellHost(log, 'onPassphraseChanged', () => hooks.onPassphraseChanged?.({ instance, how }))
    return after
  }
}

/** Sealed with a passphrase that is gone, old keys are of no use; who knew it has sealed them anew. */
function nextKeys(
  old: VaultKeys | undefined,
  given: VaultKeys | undefined,
  knowsOld: boolean,
): VaultKeys | undefined {
  if (!knowsOld) return given
  return given === undefined ? old : { ...old, ...given }
}

/** SPEC: login.md 7.1 - a vault needs its key sealed with the new passphrase. @throws AuthUiError `invalid_parameter` */
export function demandVaultKey(owner: Owner, { keys }: NewPassphrase): void {
  if (owner.keys === undefined || keys?.key !== undefined) return
  throw new AuthUiError('invalid_parameter', { description: 'the vault needs a new key' })
}
