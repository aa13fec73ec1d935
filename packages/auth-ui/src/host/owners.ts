import {
  type Instance,
  type InstanceId,
  type Instances,
  type NewInstance,
  randomAlphanumeric,
} from '@svc/platform'
import type { Change, Store } from '@svc/store'
import { AuthUiError } from '../errors.ts'
import { DEFAULT_ITERATIONS, saltOf } from '../passphrase/derive.ts'
import { readNewPassphrase } from '../passphrase/new-passphrase.ts'
import type { HostReset } from '../passphrase/host-reset.ts'
import type { Onboard } from '../passphrase/onboard.ts'
import type { PasswordHasher } from '../passphrase/password-hash.ts'
import { parseText } from '../owner/stored-hash.ts'
import type { LoginMethod, Session, SessionKind } from '../session/session.ts'
import type { SessionCookies } from '../session/session-cookie.ts'
import type { SessionStore } from '../session/session-store.ts'
import {
  newRegisterToken,
  newSecurityStamp,
  type Owner,
  withRegisterToken,
} from '../owner/owner.ts'
import type { OwnerAccess } from './owner-access.ts'
import type { OwnerStore } from '../owner/owner-store.ts'

/** A new owner before its instance exists. */
export interface PreparedOwner {
  /** For the onboarding link; 32 hexadecimal characters, valid until the owner chose a passphrase. */
  readonly registerToken: string
  /** For `instances.create`: joins the write that creates the instance. */
  changes(id: InstanceId): readonly Change[]
}

/** Owners that come from elsewhere keep their passphrase. */
export interface ImportedPassphrase {
  /** `scrypt$N$r$p$<salt hex>$<dk hex>` over the login value; replaced by today's form at the next log-in. */
  readonly hash: string
  /** Of the browser's derivation. */
  readonly salt: string
  readonly iterations: number
  readonly hint?: string
}

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
  /** Onboards with a hash made elsewhere. @throws AuthUiError `already_onboarded`, TypeError for a malformed hash */
  importPassphrase(instance: Instance, imported: ImportedPassphrase): Promise<void>
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

/** What {@link createOwners} needs. */
export interface OwnersOptions {
  readonly store: Store
  readonly instances: Instances
  readonly owners: OwnerStore
  readonly onboard: Onboard
  readonly resetPassphrase: HostReset
  readonly hasher: PasswordHasher
  readonly sessions: SessionStore
  readonly cookies: SessionCookies
  readonly clock: { now(): number }
  readonly access: OwnerAccess
}

/** For the command line and the host; nothing here asks who calls. */
export function createOwners(options: OwnersOptions): Owners {
  const { store, instances, owners, onboard, hasher, sessions, cookies, clock } = options

  function newOwner(domain: string): Owner {
    const now = clock.now()
    return {
      salt: saltOf(domain),
      kdf: 0,
      iterations: DEFAULT_ITERATIONS,
      registerTokens: [],
      securityStamp: newSecurityStamp(now),
      createdAt: now,
      updatedAt: now,
    }
  }

  function prepare(domain: string): PreparedOwner {
    const registerToken = newRegisterToken()
    const owner = withRegisterToken(newOwner(domain), registerToken)
    return { registerToken, changes: (id) => [owners.create(id, owner)] }
  }

  /** For instances that were made without an owner record. */
  async function ensureOwner(instance: Instance): Promise<void> {
    if ((await owners.get(instance.id)) !== undefined) return
    // Lost to another creator: then there is one.
    await store.write([owners.create(instance.id, newOwner(instance.domain))])
  }

  async function setPassphrase(
    instance: Instance,
    passphrase: string,
    access?: Parameters<Onboard>[3],
  ): Promise<void> {
    await ensureOwner(instance)
    const stored = await owners.get(instance.id)
    const fields = { passphrase, hint: '', iterations: '', key: '', publicKey: '', privateKey: '' }
    const salt = stored?.owner.salt ?? saltOf(instance.domain)
    await onboard(
      instance,
      undefined,
      await readNewPassphrase(fields, salt, { hasher, allowRaw: true }),
      access,
    )
  }

  /** One write: an owner with a passphrase that nobody knows and no other way in must not be left. */
  async function onboardWithMagicLink(instance: Instance): Promise<void> {
    const access = { magicLink: true, passwordDefined: false }
    await setPassphrase(instance, randomAlphanumeric(32), access)
  }

  return {
    ...options.access,
    prepare,
    async createInstance(input, passphrase, { magicLink = false } = {}) {
      const { registerToken, changes } = prepare(input.domain)
      const instance = await instances.create(input, changes)
      if (passphrase !== undefined) {
        await setPassphrase(instance, passphrase)
        if (magicLink) await options.access.setMagicLink(instance, true)
        return { instance }
      }
      if (!magicLink) return { instance, onboardingUrl: onboardingUrl(instance, registerToken) }
      await onboardWithMagicLink(instance)
      return { instance }
    },
    async createOnboardingUrl(instance) {
      await ensureOwner(instance)
      const token = newRegisterToken()
      const written = await owners.update(instance.id, (owner) =>
        owner.onboardedAt === undefined ? withRegisterToken(owner, token) : undefined,
      )
      if (written === undefined) throw new AuthUiError('already_onboarded')
      return onboardingUrl(instance, token)
    },
    async isOnboarded(instance) {
      return (await owners.get(instance.id))?.owner.onboardedAt !== undefined
    },
    setPassphrase: (instance, passphrase) => setPassphrase(instance, passphrase),
    resetPassphrase: options.resetPassphrase,
    onboardWithMagicLink,
    async importPassphrase(instance, { hash, salt, iterations, hint }) {
      if (parseText(hash) === undefined) throw new TypeError('imported.hash is malformed')
      await ensureOwner(instance)
      const now = clock.now()
      const written = await owners.update(instance.id, (owner) =>
        owner.onboardedAt !== undefined
          ? undefined
          : {
              ...owner,
              passphraseHash: { algorithm: 'scrypt', value: hash },
              salt,
              iterations,
              ...(hint === undefined ? {} : { hint }),
              registerTokens: [],
              securityStamp: newSecurityStamp(now),
              onboardedAt: now,
              updatedAt: now,
            },
      )
      if (written === undefined) throw new AuthUiError('already_onboarded')
    },
    async createSession(instance, { kind = 'normal', method = 'session_code' } = {}) {
      const now = clock.now()
      const session = { id: sessions.newId(), kind, method, createdAt: now, lastSeen: now }
      await store.write([sessions.put(instance, session)])
      return { session, cookie: await cookies.seal(instance, session.id) }
    },
    listSessions: (instance) => sessions.list(instance),
    deleteAllSessions: (instance) => sessions.endAll(instance, 'revoked'),
  }
}

function onboardingUrl(instance: Instance, token: string): string {
  return `${instance.origin}/auth/passphrase?registerToken=${token}`
}
