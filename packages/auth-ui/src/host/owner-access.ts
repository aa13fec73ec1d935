import type { Instance, Logger } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { isSecondFactorOn } from '../owner/factors.ts'
import type { TrustedDevices } from '../factors/bound.ts'
import type { MagicCodes } from '../magic-link/magic-codes.ts'
import { magicLinkUrl } from '../magic-link/magic-link-url.ts'
import type { EmailVerifiedCodes, OpenCodes } from '../session/open-codes.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'

/** Whether logging in takes a second step. @see decision D63 */
export type AuthMode = 'basic' | 'two_factor_mail'

/** How the owner logs in. */
export interface OwnerAccessFacts {
  readonly authMode: AuthMode
  /** Whether a mailed link logs in. */
  readonly magicLink: boolean
  /** False while nobody but the server knows the passphrase. */
  readonly passwordDefined: boolean
}

/** Codes and ways to log in, on the host's authority. Codes need an owner: else `onboarding_needed`. @see login.md 8 */
export interface OwnerAccess {
  access(instance: Instance): Promise<OwnerAccessFacts>
  /** Opens a session in a browser, once. @throws AuthUiError `rate_limited` */
  createSessionCode(instance: Instance): Promise<string>
  /** A link that nobody mails. @throws AuthUiError `magic_link_disabled` */
  createMagicLinkCode(instance: Instance): Promise<{ readonly code: string; readonly url: string }>
  /** Stands for the second factor, once: for a host that verified the owner's mail itself. */
  createEmailVerifiedCode(instance: Instance): Promise<string>
  /**
   * `two_factor_mail` switches passcodes by mail on unless some factor is on already; `basic` takes every factor,
   * recovery code and trusted browser away.
   * @throws AuthUiError `conflict` while nobody has chosen a passphrase: there would be no way in
   */
  setAuthMode(instance: Instance, mode: AuthMode): Promise<void>
  /**
   * Whether a mailed link logs in; codes that are under way mean nothing while it does not.
   * @throws AuthUiError `conflict` when it is the only way in
   */
  setMagicLink(instance: Instance, isOn: boolean): Promise<void>
}

/** What {@link createOwnerAccess} needs. */
export interface OwnerAccessOptions {
  readonly owners: OwnerStore
  readonly openCodes: OpenCodes
  readonly emailVerifiedCodes: EmailVerifiedCodes
  readonly magicCodes: MagicCodes
  readonly trustedDevices: TrustedDevices
  readonly clock: { now(): number }
  readonly log: Logger
}

/** Nothing here asks who calls. */
export function createOwnerAccess(options: OwnerAccessOptions): OwnerAccess {
  const { owners, openCodes, emailVerifiedCodes, magicCodes, trustedDevices, clock, log } = options

  async function demandOwner(instance: Instance): Promise<Owner> {
    const owner = (await owners.get(instance.id))?.owner
    if (owner?.onboardedAt === undefined) throw new AuthUiError('onboarding_needed')
    return owner
  }

  return {
    async access(instance) {
      const owner = (await owners.get(instance.id))?.owner
      return {
        authMode: isSecondFactorOn(owner?.factors) ? 'two_factor_mail' : 'basic',
        magicLink: owner?.magicLink === true,
        passwordDefined: owner?.onboardedAt !== undefined && owner.passwordDefined !== false,
      }
    },

    async createSessionCode(instance) {
      return openCodes.create(instance, await demandOwner(instance))
    },

    async createMagicLinkCode(instance) {
      const owner = await demandOwner(instance)
      if (owner.magicLink !== true) throw new AuthUiError('magic_link_disabled')
      const code = await magicCodes.create(instance, owner)
      return { code, url: magicLinkUrl(instance, code, '') }
    },

    async createEmailVerifiedCode(instance) {
      return emailVerifiedCodes.create(instance, await demandOwner(instance))
    },

    async setAuthMode(instance, mode) {
      const factors = (await owners.get(instance.id))?.owner.factors
      const isOn = mode === 'two_factor_mail'
      // Nothing trusted in an earlier time of the second factor is left when it is switched on again.
      if (isOn && !isSecondFactorOn(factors)) await trustedDevices.removeAll(instance)
      const written = await owners.update(instance.id, (owner) => {
        if (isSecondFactorOn(owner.factors) === isOn) return undefined
        if (isOn && owner.passwordDefined === false) {
          throw new AuthUiError('conflict', { description: 'a passphrase has to be chosen first' })
        }
        const now = clock.now()
        const { factors: _all, ...rest } = owner
        return {
          ...rest,
          ...(isOn ? { factors: { mail: { enabledAt: now } } } : {}),
          updatedAt: now,
        }
      })
      if (!isOn) await trustedDevices.removeAll(instance)
      if (written === undefined) return
      log.info(isOn ? 'two_factor.on' : 'two_factor.off', { instance: instance.domain, by: 'host' })
    },

    async setMagicLink(instance, isOn) {
      const written = await owners.update(instance.id, (owner) => {
        if ((owner.magicLink === true) === isOn) return undefined
        if (!isOn && owner.passwordDefined === false) {
          throw new AuthUiError('conflict', { description: 'a passphrase has to be chosen first' })
        }
        return { ...owner, magicLink: isOn, updatedAt: clock.now() }
      })
      if (written === undefined) return
      log.info(isOn ? 'magic_link.on' : 'magic_link.off', { instance: instance.domain })
    },
  }
}
