import type { Instance } from '@svc/platform'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { Confirmations } from './confirmations.ts'

/** What an app brings along after the owner confirmed for it. */
export interface AppConfirmation {
  /** Of the address the browser was sent back to. */
  readonly code: string
  /** The app's own, as it asked for it. */
  readonly state: string
  /** The app whose token makes the request. */
  readonly slug: string
}

/**
 * Whether the owner confirmed a moment ago, for this app and with this state: for servers of resources that want more
 * than a token. Uses nothing up; never throws for what comes from outside.
 * @see login.md 6.3
 */
export type IsConfirmed = (instance: Instance, presented: AppConfirmation) => Promise<boolean>

export function createIsConfirmed(
  owners: Pick<OwnerStore, 'get'>,
  confirmations: Pick<Confirmations, 'find'>,
): IsConfirmed {
  return async function isConfirmed(instance, { code, state, slug }) {
    const owner = (await owners.get(instance.id))?.owner
    if (owner === undefined) return false
    const found = await confirmations.find(instance, owner, code)
    // A code that another app was given, or for another question, is good for nothing here.
    return found !== undefined && found.state === state && found.slug === slug
  }
}
