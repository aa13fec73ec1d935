import { noteOperator } from '../web/activity.ts'
import type { AuthUiServices } from '../services.ts'
import { removeTrustedDevices } from '../factors/trusted-devices.ts'
import { createEmailVerifiedCode } from '../session/email-verified-code.ts'
import { createMagicCode } from '../magic-link/magic-code.ts'
import { createOpenCode } from '../session/open-code.ts'
import type { Instance } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { hasFactor, isSecondFactorOn, withoutSecondStep } from '../owner/factors.ts'
import { magicLinkUrl } from '../magic-link/request-link.ts'
import type { Owner } from '../owner/owner.ts'

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

/** Nothing here asks who calls. */
export function bindOwnerAccess(services: AuthUiServices): OwnerAccess {
  return {
    access: (instance) => readAccess(services, instance),
    createSessionCode: async (instance) =>
      createOpenCode(
        services,
        instance,
        await requireOnboarded(services, instance),
        noteOperator(services, instance, { event: 'session_code.made' }),
      ),
    createMagicLinkCode: (instance) => createMagicLinkCode(services, instance),
    createEmailVerifiedCode: async (instance) =>
      createEmailVerifiedCode(services, instance, await requireOnboarded(services, instance)),
    setAuthMode: (instance, mode) => setAuthMode(services, instance, mode),
    setMagicLink: (instance, isOn) => setMagicLink(services, instance, isOn),
  }
}

async function readAccess(services: AuthUiServices, instance: Instance): Promise<OwnerAccessFacts> {
  const owner = (await services.owners.get(instance.id))?.owner
  return {
    authMode: isSecondFactorOn(owner?.factors) ? 'two_factor_mail' : 'basic',
    magicLink: owner?.magicLink === true,
    passwordDefined: owner?.onboardedAt !== undefined && owner.passwordDefined !== false,
  }
}

async function createMagicLinkCode(
  services: AuthUiServices,
  instance: Instance,
): Promise<{ readonly code: string; readonly url: string }> {
  const owner = await requireOnboarded(services, instance)
  if (owner.magicLink !== true) throw new AuthUiError('magic_link_disabled')
  const code = await createMagicCode(
    services,
    instance,
    owner,
    noteOperator(services, instance, { event: 'magic_link.sent' }),
  )
  return { code, url: magicLinkUrl(instance, code, '') }
}

async function setAuthMode(
  services: AuthUiServices,
  instance: Instance,
  mode: AuthMode,
): Promise<void> {
  const factors = (await services.owners.get(instance.id))?.owner.factors
  const isOn = mode === 'two_factor_mail'
  // Nothing trusted in an earlier time of the second factor is left when it is switched on again.
  if (isOn && !isSecondFactorOn(factors)) await removeTrustedDevices(services, instance)
  const event = isOn ? 'factor.added' : 'factor.removed'
  const note = noteOperator(services, instance, { event })
  const written = await services.owners.update(
    instance.id,
    (owner) => {
      if (isSecondFactorOn(owner.factors) === isOn) return undefined
      if (isOn && owner.passwordDefined === false) {
        throw new AuthUiError('conflict', { description: 'a passphrase has to be chosen first' })
      }
      const now = services.clock.now()
      const { factors: before = {}, ...rest } = owner
      const factors = isOn ? { ...before, mail: { enabledAt: now } } : withoutSecondStep(before)
      return { ...rest, ...(hasFactor(factors) ? { factors } : {}), updatedAt: now }
    },
    note,
  )
  if (!isOn) await removeTrustedDevices(services, instance)
  if (written === undefined) return
  services.log.info(isOn ? 'two_factor.on' : 'two_factor.off', {
    domain: instance.domain,
    by: 'host',
  })
}

/**
 * Whether a mailed link logs in; codes that are under way mean nothing while it does not.
 * @throws AuthUiError `conflict` when it is the only way in
 */
export async function setMagicLink(
  services: AuthUiServices,
  instance: Instance,
  isOn: boolean,
): Promise<void> {
  const note = noteOperator(services, instance, {
    event: isOn ? 'magic_link.on' : 'magic_link.off',
  })
  const written = await services.owners.update(
    instance.id,
    (owner) => {
      if ((owner.magicLink === true) === isOn) return undefined
      if (!isOn && owner.passwordDefined === false) {
        throw new AuthUiError('conflict', { description: 'a passphrase has to be chosen first' })
      }
      return { ...owner, magicLink: isOn, updatedAt: services.clock.now() }
    },
    note,
  )
  if (written === undefined) return
  services.log.info(isOn ? 'magic_link.on' : 'magic_link.off', { domain: instance.domain })
}

async function requireOnboarded(services: AuthUiServices, instance: Instance): Promise<Owner> {
  const owner = (await services.owners.get(instance.id))?.owner
  if (owner?.onboardedAt === undefined) throw new AuthUiError('onboarding_needed')
  return owner
}
