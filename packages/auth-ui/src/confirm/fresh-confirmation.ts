import type { Instance } from '@svc/platform'
import type { Confirmation, Confirmations } from './confirmations.ts'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'

/** Code and state of a confirmation, as a request carries them. */
export interface PresentedConfirmation {
  readonly code: string
  readonly state: string
}

/** What must come with every change of the second factor. @see security.md 37 */
export interface FreshConfirmation {
  /** Whether the owner confirmed a moment ago, to the settings app or on the instance's own pages. */
  isGood(instance: Instance, owner: Owner, presented: PresentedConfirmation): Promise<boolean>
  /** @throws AuthUiError `confirmation_required` */
  demand(instance: Instance, owner: Owner, presented: PresentedConfirmation): Promise<void>
}

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

/** Uses nothing up: one confirmation is good for several changes within its life. */
export function createFreshConfirmation(
  confirmations: Confirmations,
  settingsSlug: string,
): FreshConfirmation {
  async function isGood(
    instance: Instance,
    owner: Owner,
    { code, state }: PresentedConfirmation,
  ): Promise<boolean> {
    const confirmation = await confirmations.find(instance, owner, code)
    return (
      confirmation !== undefined &&
      confirmation.state === state &&
      allowsFactorChanges(confirmation, settingsSlug)
    )
  }

  return {
    isGood,
    async demand(instance, owner, presented) {
      if (await isGood(instance, owner, presented)) return
      throw new AuthUiError('confirmation_required')
    },
  }
}
