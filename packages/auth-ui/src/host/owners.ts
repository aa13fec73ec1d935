import { bindOwnerAccess, type OwnerAccess, setMagicLink } from './owner-access.ts'
import {
  type Instance,
  type InstanceUpdate,
  type NewInstance,
  randomAlphanumeric,
} from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import {
  type ImportAllOptions,
  type ImportedOwners,
  importOwners,
  ofImported,
} from './import-owners.ts'
import { type ImportedPassphrase, readImported } from './imported-passphrase.ts'
import type { OwnerLine } from './owner-line.ts'
import { resetPassphrase } from '../passphrase/change-passphrase.ts'
import { saltOf } from '../passphrase/derive.ts'
import {
  createOnboardingUrl,
  ensureOwner,
  onboardingUrl,
  type PreparedOwner,
  prepareOwner,
} from '../passphrase/new-owner.ts'
import { readNewPassphrase } from '../passphrase/new-passphrase.ts'
import { onboard } from '../passphrase/onboarding.ts'
import { updateByHost } from '../profile/operator-email.ts'
import type { AuthUiServices } from '../services.ts'
import type { LoginMethod, Session, SessionKind } from '../session/session.ts'

/** The host's side of owners: no HTTP. @see login.md 8 */
export interface Owners extends OwnerAccess {
  /** @param domain - of the instance to be */
  prepare(domain: string): PreparedOwner
  /**
   * Creates an instance together with its owner.
   * @param passphrase - raw; then the owner is onboarded at once
   * @param options - `magicLink`: mailed links log in; without a passphrase they are the only way, and the owner is
   * onboarded at once
   * @returns the instance and the link that onboards it
   */
  createInstance(
    input: NewInstance,
    passphrase?: string,
    options?: { readonly magicLink?: boolean },
  ): Promise<{ readonly instance: Instance; readonly onboardingUrl?: string }>
  /** A fresh onboarding link; the three latest stay valid. @throws AuthUiError `already_onboarded` */
  createOnboardingUrl(instance: Instance): Promise<string>
  /** Whether somebody chose a passphrase. */
  isOnboarded(instance: Instance): Promise<boolean>
  /** Onboards with a raw passphrase. @throws AuthUiError `already_onboarded`, `invalid_parameter` */
  setPassphrase(instance: Instance, passphrase: string): Promise<void>
  /**
   * Onboards an owner who logs in with mailed links only: nobody knows the passphrase.
   * @throws AuthUiError `already_onboarded`
   */
  onboardWithMagicLink(instance: Instance): Promise<void>
  /**
   * A new raw passphrase for an owner who lost it: everything that hangs on the old one ends, and what the old one
   * sealed is lost.
   * @throws AuthUiError `onboarding_needed`, `invalid_parameter`
   */
  resetPassphrase(instance: Instance, passphrase: string): Promise<void>
  /**
   * Onboards with a hash made elsewhere.
   * @throws AuthUiError `already_onboarded`, TypeError for a hash that is unknown, malformed or costs too much
   */
  importPassphrase(instance: Instance, imported: ImportedPassphrase): Promise<void>
  /**
   * Creates instances together with their owners, who come from elsewhere: hash, authenticator app and passkeys go over,
   * no hash is computed, nobody is mailed. All lines are read and checked before the first is written. An owner whose
   * `externalId` and `domain` are there is left as it is, so that an import that was cut short is simply repeated.
   * @param lines - an {@link OwnerLine} each, or its JSON text; empty texts are skipped. At most 100 000
   * @throws OwnerImportError with every fault
   */
  importAll(
    lines: AsyncIterable<OwnerLine | string> | Iterable<OwnerLine | string>,
    options?: ImportAllOptions,
  ): Promise<ImportedOwners>
  /**
   * Changes an instance as `instances.update` does; both mail addresses are told of another one, and nothing can be taken
   * back.
   * @throws TypeError for malformed members, InstanceError `instance_not_found`, `domain_taken`
   */
  updateInstance(instance: Instance, update: InstanceUpdate): Promise<Instance>
  /** Opens a session without a browser: for `svc token app` and tests. */
  createSession(
    instance: Instance,
    options?: { readonly kind?: SessionKind; readonly method?: LoginMethod },
  ): Promise<{
    readonly session: Session
    /** Of the instance's own host. */
    readonly cookie: { readonly name: string; readonly value: string }
  }>
  listSessions(instance: Instance): Promise<readonly Session[]>
  /** @returns how many were ended */
  deleteAllSessions(instance: Instance): Promise<number>
}

/** For the command line and the host; nothing here asks who calls. */
export function bindOwners(services: AuthUiServices): Owners {
  const { owners, sessions } = services
  return {
    ...bindOwnerAccess(services),
    prepare: (domain) => prepareOwner(services, domain),
    createInstance: (input, passphrase, options) =>
      createInstance(services, input, passphrase, options),
    createOnboardingUrl: (instance) => createOnboardingUrl(services, instance),
    isOnboarded: async (instance) => (await onboardedOwner({ owners }, instance)) !== undefined,
    setPassphrase: (instance, passphrase) => setPassphrase(services, instance, passphrase),
    onboardWithMagicLink: (instance) => onboardWithMagicLink(services, instance),
    resetPassphrase: (instance, passphrase) => resetPassphrase(services, instance, passphrase),
    importPassphrase: (instance, imported) => importPassphrase(services, instance, imported),
    importAll: (lines, options) => importOwners(services, lines, options),
    updateInstance: (instance, update) => updateByHost(services, instance, update),
    createSession: (instance, options) => createSession(services, instance, options),
    listSessions: (instance) => sessions.list(instance),
    deleteAllSessions: (instance) => sessions.endAll(instance, 'revoked'),
  }
}

/** One write: an owner with a passphrase that nobody knows and no other way in must not be left. */
async function onboardWithMagicLink(services: AuthUiServices, instance: Instance): Promise<void> {
  const access = { magicLink: true, passwordDefined: false }
  await setPassphrase(services, instance, randomAlphanumeric(32), access)
}

async function createInstance(
  services: AuthUiServices,
  input: NewInstance,
  passphrase?: string,
  { magicLink = false }: { readonly magicLink?: boolean } = {},
): Promise<{ readonly instance: Instance; readonly onboardingUrl?: string }> {
  const { registerToken, changes } = prepareOwner(services, input.domain)
  const instance = await services.oauth.instances.create(input, changes)
  if (passphrase !== undefined) {
    await setPassphrase(services, instance, passphrase)
    if (magicLink) await setMagicLink(services, instance, true)
    return { instance }
  }
  if (!magicLink) return { instance, onboardingUrl: onboardingUrl(instance, registerToken) }
  await onboardWithMagicLink(services, instance)
  return { instance }
}

async function importPassphrase(
  services: AuthUiServices,
  instance: Instance,
  imported: ImportedPassphrase,
): Promise<void> {
  const passphrase = readImported(services, instance, imported)
  await ensureOwner(services, instance)
  const now = services.clock.now()
  const written = await services.owners.update(instance.id, (owner) => {
    if (owner.onboardedAt !== undefined) return undefined
    const { invitation: _spent, ...invited } = owner
    return { ...invited, ...ofImported(passphrase, now) }
  })
  if (written === undefined) throw new AuthUiError('already_onboarded')
}

async function createSession(
  services: AuthUiServices,
  instance: Instance,
  {
    kind = 'normal',
    method = 'session_code',
  }: { readonly kind?: SessionKind; readonly method?: LoginMethod } = {},
): Promise<{
  readonly session: Session
  /** Of the instance's own host. */
  readonly cookie: { readonly name: string; readonly value: string }
}> {
  const now = services.clock.now()
  const session = { id: services.sessions.newId(), kind, method, createdAt: now, lastSeen: now }
  await services.store.write([services.sessions.put(instance, session)])
  await services.sessions.bound(instance, session.id)
  return { session, cookie: await services.cookies.seal(instance, session.id) }
}

/** Onboards with a raw passphrase. */
async function setPassphrase(
  services: AuthUiServices,
  instance: Instance,
  passphrase: string,
  access?: Pick<Owner, 'magicLink' | 'passwordDefined'>,
): Promise<void> {
  await ensureOwner(services, instance)
  const stored = await services.owners.get(instance.id)
  const fields = { passphrase, hint: '', iterations: '', key: '', publicKey: '', privateKey: '' }
  const salt = stored?.owner.salt ?? saltOf(instance.domain)
  await onboard(
    services,
    instance,
    undefined,
    await readNewPassphrase(fields, salt, { hasher: services.hasher, allowRaw: true }),
    access,
  )
}
