import type { Instance } from '@svc/platform'
import type { Owner } from '../owner/owner.ts'

/** What the owner confirmed. */
export interface Confirmation {
  /** Chosen by whoever asked. */
  readonly state: string
  /** App the browser was sent back to. */
  readonly slug?: string
  /** Host of the operator's list the browser was sent back to; absent with no slug either: the instance's own host. */
  readonly host?: string
}

/** Proofs that the owner gave the passphrase (and second factor) a moment ago. @see login.md 6 */
export interface Confirmations {
  /** @returns the code, 32 hexadecimal characters */
  create(instance: Instance, owner: Owner, confirmation: Confirmation): Promise<string>
  /** The confirmation of a code, as often as asked within its life; undefined when it is not (or no longer) good. */
  find(instance: Instance, owner: Owner, code: string): Promise<Confirmation | undefined>
}
