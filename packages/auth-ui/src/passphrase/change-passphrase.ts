import type { AuthUiServices } from '../services.ts'
import type { Instance } from '@svc/platform'
import type { Change } from '@svc/store'
import { sendNews } from '../owner/news.ts'
import { isFirstWay } from '../owner/factors.ts'
import { newSecurityStamp, type Owner, type VaultKeys } from '../owner/owner.ts'
import type { StoredOwner } from '../owner/owner-store.ts'
import { type NewPassphrase, readNewPassphrase } from './new-passphrase.ts'
import { securityUrl } from '../web/settings-app.ts'
import { removeTrustedDevices } from '../factors/trusted-devices.ts'
import { AuthUiError } from '../errors.ts'
import type { RequestFacts } from '../ports.ts'
import { notifyHost } from '../background.ts'

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

/**
 * Stores a new passphrase, and ends what hangs on the old one. Owner and session key change in one write.
 * @param options - whether passkeys that log in alone still do; more changes of the same write
 * @throws AuthUiError `busy`, and what the rule throws
 * @see login.md 7.1, decision D9
 */
export async function replacePassphrase(
  services: AuthUiServices,
  instance: Instance,
  passphrase: NewPassphrase,
  rule: PassphraseRule,
  {
    keepsPasskeys = false,
    also = [],
  }: { readonly keepsPasskeys?: boolean; readonly also?: readonly Change[] } = {},
): Promise<Replaced> {
  const passphraseHash = await services.hasher.hash(passphrase.loginValue)
  for (;;) {
    const stored = await services.owners.get(instance.id)
    const now = services.clock.now()
    // "Nobody knows the passphrase" goes, unless the rule says so of the new one; a pending link to one goes too.
    const { reset: _reset, ...kept } = rule(withoutUnknown(stored?.owner), now)
    if (stored === undefined) throw new TypeError('the rule let an absent owner pass')
    const securityStamp = newSecurityStamp(now)
    const owner: Owner = {
      ...(keepsPasskeys ? withTrustedPasskeys(kept, securityStamp) : kept),
      passphraseHash,
      iterations: passphrase.iterations,
      securityStamp,
      updatedAt: now,
    }
    const replaced = await write(services, instance, stored, owner, also)
    // A lost race re-reads and asks the rule again, so that a token cannot be used twice.
    if (replaced === undefined) continue
    await tidy(services, instance)
    return replaced
  }
}

async function write(
  services: AuthUiServices,
  instance: Instance,
  stored: StoredOwner,
  owner: Owner,
  also: readonly Change[],
): Promise<Replaced | undefined> {
  const result = await services.store.write([
    services.owners.replace(instance.id, stored, owner),
    ...(await services.keyring.replaceSessionKey(instance)),
    ...also,
  ])
  return result.written ? { before: stored.owner, after: owner } : undefined
}

/** Whoever knows the old passphrase keeps the passkeys that logged in until now. */
function withTrustedPasskeys(owner: Owner, stamp: string): Owner {
  const { factors, securityStamp: before } = owner
  if (factors?.passkeys === undefined) return owner
  const passkeys = factors.passkeys.map((passkey) =>
    isFirstWay(passkey, before) ? { ...passkey, stamp } : passkey,
  )
  return { ...owner, factors: { ...factors, passkeys } }
}

/** The passphrase is replaced already: what fails here must not look as if it were not. */
async function tidy(services: AuthUiServices, instance: Instance): Promise<void> {
  type Left = 'passphrase.key_untold' | 'passphrase.sessions_left'
  const left = (event: Left) => (cause: unknown) => {
    services.log.error(event, { domain: instance.domain, cause: String(cause) })
  }
  // Other processes look again within a second by themselves.
  await services.keyring.replaced(instance).catch(left('passphrase.key_untold'))
  // Their cookies died with the key: only dead records would be left.
  await services.sessions.endAll(instance, 'passphrase').catch(left('passphrase.sessions_left'))
}

function withoutUnknown(owner: Owner | undefined): Owner | undefined {
  if (owner === undefined) return undefined
  const { passwordDefined: _defined, ...known } = owner
  return known
}

/** A new passphrase for an owner who has one. */
export interface PassphraseChange {
  /** `settings`: who asks knows the old one; `reset`: has the mailed link; `host`: is the operator. */
  readonly how: 'settings' | 'reset' | 'host'
  readonly passphrase: NewPassphrase
  /** Whether a hint that the new passphrase does not bring along stays. */
  readonly keepsHint: boolean
  /** Throws when the change may not happen to this owner; asked again after a lost race. */
  readonly require: (owner: Owner) => void
  /** For the owner's mail. */
  readonly facts: RequestFacts
}

/**
 * The one place where a passphrase is replaced by another: one atomic write, then everything that hangs on the old
 * passphrase, each as well as it goes.
 * @throws AuthUiError `busy`, `onboarding_needed`, and what `require` throws
 * @see login.md 7.1
 */
export async function changePassphrase(
  services: AuthUiServices,
  instance: Instance,
  change: PassphraseChange,
): Promise<Owner> {
  const { how, passphrase, keepsHint, require, facts } = change
  const knowsOld = how === 'settings'
  const rule: PassphraseRule = (owner) => {
    if (owner?.onboardedAt === undefined) throw new AuthUiError('onboarding_needed')
    require(owner)
    const { hint: oldHint, keys: oldKeys, ...kept } = owner
    const hint = passphrase.hint ?? (keepsHint ? oldHint : undefined)
    const keys = nextKeys(oldKeys, passphrase.keys, knowsOld)
    return {
      ...kept,
      ...(hint === undefined ? {} : { hint }),
      ...(keys === undefined ? {} : { keys }),
    }
  }
  const also = noteChange(services, instance, how, facts)
  const { before, after } = await replacePassphrase(services, instance, passphrase, rule, {
    keepsPasskeys: knowsOld,
    also,
  })
  services.log.info('passphrase.changed', { domain: instance.domain, how })
  mailOwner(services, instance, after, facts)
  // They died with the stamp: only dead records would be left.
  await attempt(services, instance, 'trusted devices', () =>
    removeTrustedDevices(services, instance),
  )
  if (!knowsOld) await attempt(services, instance, 'tokens', () => revokeTokens(services, instance))
  const { keys } = passphrase
  if (keys !== undefined) {
    await notifyHost(services.log, 'onVaultKeys', () =>
      services.hooks.onVaultKeys?.({ instance, ...keys }),
    )
  }
  if (before.keys !== undefined && after.keys === undefined) {
    await notifyHost(services.log, 'onUnrecoverableVault', () =>
      services.hooks.onUnrecoverableVault?.({ instance }),
    )
  }
  await notifyHost(services.log, 'onPassphraseChanged', () =>
    services.hooks.onPassphraseChanged?.({ instance, how }),
  )
  return after
}

function noteChange(
  { oauth }: AuthUiServices,
  instance: Instance,
  how: PassphraseChange['how'],
  { address, browser = '', os = '' }: RequestFacts,
): readonly Change[] {
  return oauth.activity.pending(instance, {
    event: how === 'reset' ? 'reset.done' : 'passphrase.changed',
    actor: { kind: how === 'host' ? 'operator' : 'owner' },
    origin: { ip: address, browser, os },
  })
}

/** The passphrase is changed already: what fails here is told to the operator, not to the caller. */
async function attempt(
  services: AuthUiServices,
  instance: Instance,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  await work().catch((cause: unknown) => {
    services.log.error('passphrase.change_unfinished', {
      domain: instance.domain,
      what,
      cause: String(cause),
    })
  })
}

async function revokeTokens(services: AuthUiServices, instance: Instance): Promise<void> {
  const { revokeOAuthOnReset } = services.options.passphrase
  if (revokeOAuthOnReset === 'none') return
  // SPEC: decision D41 - a token of scope `*` must not outlive a reset.
  const filter = revokeOAuthOnReset === 'flagship' ? { flagship: true } : {}
  await services.oauth.clients.revokeGrants(instance, 'passphrase reset', filter)
}

function mailOwner(
  services: AuthUiServices,
  instance: Instance,
  { factors, securityStamp }: Owner,
  facts: RequestFacts,
): void {
  const kept = (factors?.passkeys ?? []).filter((passkey) => isFirstWay(passkey, securityStamp))
  const passkeys = kept.map(({ label }) => label)
  services.background.run('mail.passphrase_changed', async () => {
    await sendNews(services, instance, {
      template: 'passphrase_changed',
      variables: {
        ...facts,
        ...(passkeys.length === 0 ? {} : { passkeys }),
        url: await securityUrl(services, instance),
      },
    })
  })
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
export function requireVaultKey(owner: Owner, { keys }: NewPassphrase): void {
  if (owner.keys === undefined || keys?.key !== undefined) return
  throw new AuthUiError('invalid_parameter', { description: 'the vault needs a new key' })
}

/**
 * A new raw passphrase on the operator's authority; the hint goes, and what the old one sealed is lost.
 * @see login.md 7.1 "renew", 8 "Host API"
 */
export async function resetPassphrase(
  services: AuthUiServices,
  instance: Instance,
  passphrase: string,
): Promise<void> {
  const owner = (await services.owners.get(instance.id))?.owner
  if (owner?.onboardedAt === undefined) throw new AuthUiError('onboarding_needed')
  const fields = { passphrase, hint: '', iterations: '', key: '', publicKey: '', privateKey: '' }
  await changePassphrase(services, instance, {
    how: 'host',
    passphrase: await readNewPassphrase(fields, owner.salt, {
      hasher: services.hasher,
      allowRaw: true,
    }),
    keepsHint: false,
    require: () => {},
    facts: { time: services.clock.now(), address: '' },
  })
}
