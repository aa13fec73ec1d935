import { createHash } from 'node:crypto'
import { equalSecrets, type Instance, type InstanceUpdate, randomHex } from '@svc/platform'
import { type Change, type Json, type Key, recordKey } from '@svc/store'
import { AuthUiError } from '../errors.ts'
import type { AuthUiServices } from '../services.ts'

/** What changes of the owner's mail address leave behind, and the phone number. Times are milliseconds since the epoch. @see owner.md 1.1 */
export interface Profile {
  readonly emailPending?: PendingEmail
  readonly emailPrevious?: PreviousEmail
  readonly phone?: ProvenPhone
  readonly phonePending?: PendingPhone
}

/** The number whose texts the owner read. The host keeps the one that texts go to. */
export interface ProvenPhone {
  /** E.164. */
  readonly number: string
  readonly verifiedAt: number
}

/** The number that is to become the owner's, once the code of the text to it was given. */
export interface PendingPhone {
  /** E.164. */
  readonly number: string
  /** HMAC-SHA-256 of number and code under the session key, hexadecimal. */
  readonly codeHash: string
  readonly expiresAt: number
  /** Wrong codes so far. */
  readonly tries: number
  /** Somebody is confirming it this moment: of parallel confirmations one goes on. */
  readonly proof?: { readonly id: string; readonly until: number }
}

/** The address that is to become the owner's, once the owner proves to read it. */
export interface PendingEmail {
  readonly address: string
  /** SHA-256 of the token in the mail, hexadecimal. */
  readonly tokenHash: string
  readonly requestedAt: number
  /** When the newest mail went out. */
  readonly sentAt: number
  readonly expiresAt: number
  readonly sends: number
  /** Whether the address of before may take the change back (owner.md 1.7). */
  readonly canUndo: boolean
  /** Somebody is proving it this moment: of parallel proofs one goes on. */
  readonly proof?: { readonly undoHash: string; readonly until: number }
}

/** The address of before, for as long as it can take the change back or is told of. */
export interface PreviousEmail {
  readonly address: string
  /** SHA-256 of the token in the mail, hexadecimal. */
  readonly undoHash: string
  readonly changedAt: number
  readonly until: number
  readonly canUndo: boolean
}

/** A profile as it is now, to be changed. */
export interface FoundProfile {
  readonly profile: Profile
  readonly instance: Instance
  readonly now: number
  /** Changes whenever the profile or the instance's record does. */
  readonly rev: string
}

/** What is to become of it, in one write. Asked again after a lost race; what it throws ends the change. */
export type ProfileRule = (found: FoundProfile) => ProfileChange | Promise<ProfileChange>

interface ProfileChange {
  readonly profile: Profile
  /** Of the instance's own record. */
  readonly update?: InstanceUpdate
  /** Other records of the instance. */
  readonly also?: readonly Change[]
}

type Services = Pick<AuthUiServices, 'clock' | 'oauth' | 'store'>

const TOKEN = /^[0-9a-f]{32}$/

/** A fresh token for a mail: 32 hexadecimal characters of 128 random bits. */
export function newEmailToken(): string {
  return randomHex(16)
}

/** What is kept of a token. */
export function emailTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Whether this is the token that was mailed. */
export function isEmailToken(hash: string | undefined, token: string): boolean {
  return TOKEN.test(token) && equalSecrets(hash ?? '', emailTokenHash(token))
}

/** The profile as it is stored; an empty one where nothing ever changed. */
export async function readProfile(
  { store }: Pick<AuthUiServices, 'store'>,
  instance: Pick<Instance, 'id'>,
): Promise<Profile> {
  return (await find(store, instance)).profile
}

/** The same with the instance as it is stored now. */
export async function findProfile(services: Services, instance: Instance): Promise<FoundProfile> {
  const fresh = (await services.oauth.instances.byId(instance.id)) ?? instance
  const { profile, revision } = await find(services.store, instance)
  const rev = revOf(fresh, revision)
  return { profile, instance: fresh, now: services.clock.now(), rev }
}

/** Changes profile and instance in one conditional write. @returns the instance as it is then */
export function changeProfile(
  services: Services,
  instance: Instance,
  rule: ProfileRule,
): Promise<Instance> {
  return services.oauth.instances.changeWith(instance.id, async (current) => {
    const { profile, revision } = await find(services.store, instance)
    const now = services.clock.now()
    const wanted = await rule({ profile, instance: current, now, rev: revOf(current, revision) })
    const key = profileKey(instance)
    const isEmpty = Object.keys(wanted.profile).length === 0
    const written: Change = isEmpty
      ? { op: 'delete', key }
      : // Interfaces have no index signature, so the compiler cannot see that a profile is plain JSON.
        { op: 'put', key, value: wanted.profile as unknown as Json }
    return {
      update: wanted.update ?? {},
      // The instance's own record is written with every change, on condition that nothing came between.
      also: [written, ...(wanted.also ?? [])],
    }
  })
}

/** The key of the one record. */
export function profileKey({ id }: Pick<Instance, 'id'>): Key {
  return recordKey(id, 'profile', 'profile')
}

/** The pending address, unless its time is over. */
export function livePending({ emailPending }: Profile, now: number): PendingEmail | undefined {
  return emailPending !== undefined && emailPending.expiresAt > now ? emailPending : undefined
}

/** The address of before, while the change can be taken back. @see owner.md 1.5 */
export function undoablePrevious(
  { emailPrevious }: Profile,
  now: number,
): PreviousEmail | undefined {
  if (emailPrevious === undefined || !emailPrevious.canUndo) return undefined
  return emailPrevious.until > now ? emailPrevious : undefined
}

/** @throws AuthUiError `held` while a change of the mail address can be taken back. @see owner.md 1.6 */
export function requireNotHeld(profile: Profile, now: number): void {
  const previous = undoablePrevious(profile, now)
  if (previous === undefined) return
  throw new AuthUiError('held', {
    description: `the mail address was changed: held until ${new Date(previous.until).toISOString()}`,
    retryAfterS: Math.ceil((previous.until - now) / 1000),
  })
}

/** Enough of an address to recognise it by: `a…@example.com`. */
export function masked(address: string): string {
  const at = address.lastIndexOf('@')
  return `${[...address][0] ?? ''}…${address.slice(at)}`
}

async function find(
  store: AuthUiServices['store'],
  instance: Pick<Instance, 'id'>,
): Promise<{ readonly profile: Profile; readonly revision: string }> {
  const record = await store.get(profileKey(instance))
  // Only this file writes these records.
  const profile = (record?.value ?? {}) as unknown as Profile
  return { profile, revision: String(record?.revision ?? '') }
}

function revOf({ revision }: Instance, profileRevision: string): string {
  return createHash('sha256').update(`${revision} ${profileRevision}`).digest('hex').slice(0, 16)
}
