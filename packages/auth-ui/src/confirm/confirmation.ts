import { DAY_MS, type Instance } from '@svc/platform'
import type { Change } from '@svc/store'
import { createValue, findValue, type ValueKind } from '../owner/one-time-values.ts'
import type { Owner } from '../owner/owner.ts'
import type { FactorKind } from '../ports.ts'
import type { AuthUiServices } from '../services.ts'
import { AuthUiError } from '../errors.ts'

/** What the owner confirmed. A type, for the index signature that JSON needs. */
export type Confirmation = {
  /** Chosen by whoever asked. */
  readonly state: string
  /** App the browser was sent back to. */
  readonly slug?: string
  /** Host of the operator's list the browser was sent back to; absent with no slug either: the instance's own host. */
  readonly host?: string
  /** The factor that was given beside the passphrase, or in its place. */
  readonly by?: FactorKind
  /** Since when the owner has that factor, milliseconds since the epoch. */
  readonly since?: number
  /** A passkey was given in place of the passphrase. */
  readonly withoutPassphrase?: true
}

const CONFIRMATION: ValueKind = { kind: 'confirmation', form: 'hex', lifetime: 'confirmCode' }

/**
 * Proof that the owner gave the passphrase (and second factor) a moment ago.
 * @param also - more changes of the same write
 * @returns the code, 32 hexadecimal characters
 * @see login.md 6
 */
export function createConfirmation(
  services: Pick<AuthUiServices, 'clock' | 'lifetimes' | 'store'>,
  instance: Instance,
  owner: Owner,
  confirmation: Confirmation,
  also: readonly Change[],
): Promise<string> {
  return createValue(services, CONFIRMATION, instance, owner, confirmation, also)
}

/**
 * The confirmation of a code, as often as asked within its life (login.md 6.3); undefined when it is not (or no longer)
 * good.
 */
export async function findConfirmation(
  services: Pick<AuthUiServices, 'store'>,
  instance: Instance,
  owner: Owner,
  code: string,
): Promise<Confirmation | undefined> {
  return (await findValue<Confirmation>(services, CONFIRMATION, instance, owner, code))?.value
}

/** What an app brings along after the owner confirmed for it. */
export interface AppConfirmation {
  /** Of the address the browser was sent back to. */
  readonly code: string
  /** The app's own, as it asked for it. */
  readonly state: string
  /** The app whose token makes the request. */
  readonly slug: string
}

/** For servers of resources that want more than a token. @see login.md 6.3 */
export type IsConfirmed = (instance: Instance, presented: AppConfirmation) => Promise<boolean>

/**
 * Whether the owner confirmed a moment ago, for this app and with this state. Uses nothing up; never throws for what
 * comes from outside.
 */
export async function isConfirmed(
  services: Pick<AuthUiServices, 'owners' | 'store'>,
  instance: Instance,
  { code, state, slug }: AppConfirmation,
): Promise<boolean> {
  const owner = (await services.owners.get(instance.id))?.owner
  if (owner === undefined) return false
  const found = await findConfirmation(services, instance, owner, code)
  // A code that another app was given, or for another question, is good for nothing here.
  return found !== undefined && found.state === state && found.slug === slug
}

/** Code and state of a confirmation, as a request carries them. */
export interface PresentedConfirmation {
  readonly code: string
  readonly state: string
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

/**
 * Whether the owner confirmed a moment ago, to the settings app or on the instance's own pages. Uses nothing up: one
 * confirmation is good for several changes within its life. What must come with every change of the second factor.
 * @see security.md 37
 */
export async function isFreshlyConfirmed(
  services: Pick<AuthUiServices, 'options' | 'store'>,
  instance: Instance,
  owner: Owner,
  presented: PresentedConfirmation,
): Promise<boolean> {
  return (await findFresh(services, instance, owner, presented)) !== undefined
}

async function findFresh(
  services: Pick<AuthUiServices, 'options' | 'store'>,
  instance: Instance,
  owner: Owner,
  { code, state }: PresentedConfirmation,
): Promise<Confirmation | undefined> {
  const confirmation = await findConfirmation(services, instance, owner, code)
  if (confirmation?.state !== state) return undefined
  return allowsFactorChanges(confirmation, services.options.settingsSlug) ? confirmation : undefined
}

/** How long a factor has to be there before it outweighs the mailbox. */
const OLD_FACTOR_MS = 3 * DAY_MS

/**
 * Whether a confirmation outweighs the present mailbox: given with an authenticator app, a passkey or a recovery code
 * that nobody added a moment ago.
 * @see owner.md 1.7
 */
export function isStrongConfirmation({ by, since }: Confirmation, now: number): boolean {
  if (by === undefined || by === 'mail' || since === undefined) return false
  return now - since >= OLD_FACTOR_MS
}

/** @throws AuthUiError `confirmation_required` */
export async function requireFreshConfirmation(
  services: Pick<AuthUiServices, 'options' | 'store'>,
  instance: Instance,
  owner: Owner,
  presented: PresentedConfirmation,
): Promise<Confirmation> {
  const confirmation = await findFresh(services, instance, owner, presented)
  if (confirmation !== undefined) return confirmation
  throw new AuthUiError('confirmation_required')
}
