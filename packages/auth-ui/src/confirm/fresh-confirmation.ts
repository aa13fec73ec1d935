import type { Instance } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import type { Confirmation } from './confirmations.ts'
import { createConfirmations } from './create-confirmations.ts'

/** Code and state of a confirmation, as a request carries them. */
export interface PresentedConfirmation {
  readonly code: string
  readonly state: string
}

type Services = Pick<AuthUiServices, 'clock' | 'lifetimes' | 'options' | 'store'>

/**
 * Whether a confirmation that leads there can allow changes of the second factor. Such a one never skips the second
 * factor by a trusted device, and what another app or host was given is good for nothing here.
 */
export function allowsFactorChanges(
  { slug, host }: Pick<Confirmation, 'slug' | 'host'>,
  settingsSlug: string,
): boolean {
  return host === undefined && (slug === undefined || slug === settingsSlug)
}

/**
 * Whether the owner confirmed a moment ago, to the settings app or on the instance's own pages. Uses nothing up: one
 * confirmation is good for several changes within its life.
 * @see security.md 37
 */
export async function isFreshlyConfirmed(
  services: Services,
  instance: Instance,
  owner: Owner,
  { code, state }: PresentedConfirmation,
): Promise<boolean> {
  const confirmation = await createConfirmations(services).find(instance, owner, code)
  return (
    confirmation !== undefined &&
    confirmation.state === state &&
    allowsFactorChanges(confirmation, services.options.settingsSlug)
  )
}

/** What must come with every change of the second factor. @throws AuthUiError `confirmation_required` */
export async function requireFreshConfirmation(
  services: Services,
  instance: Instance,
  owner: Owner,
  presented: PresentedConfirmation,
): Promise<void> {
  if (await isFreshlyConfirmed(services, instance, owner, presented)) return
  throw new AuthUiError('confirmation_required')
}
