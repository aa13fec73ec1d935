import { HOUR_MS, type Instance, MINUTE_MS } from '@svc/platform'
import { type Change, indexKey, type Json, type Key, type Revision, secretKey } from '@svc/store'
import { enrolledKinds } from '../owner/factors.ts'
import type { Owner } from '../owner/owner.ts'
import type { FactorKind, TwoFactorPurpose } from '../ports.ts'
import type { AuthUiServices } from '../services.ts'
import { passcodeOf } from './passcode.ts'

/** What step 1 was about; lives in the pending record, never in the browser. @see login.md 3.4 */
export interface ChallengeRequest {
  readonly purpose: TwoFactorPurpose
  /** Normalised address to go to afterwards; absent: home. */
  readonly redirect?: string
  /** Of a confirmation. */
  readonly state?: string
  readonly isLongRun?: boolean
  readonly clientId?: string
  /** A mailed code in the place of the passphrase, which nobody knows: nothing else answers it. @see owner.md 1.8 */
  readonly isFirst?: true
  /** What came before it was no passphrase. */
  readonly withoutPassphrase?: true
}

/** The second step, as it waits for its code. */
export interface Challenge extends ChallengeRequest {
  /** The two-factor token: 96 characters, base64url. */
  readonly token: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** What can answer it. */
  readonly factors: readonly FactorKind[]
}

/** A challenge as it is kept. */
export interface PendingChallenge {
  /** Security stamp of its time: a passphrase change ends it. */
  readonly stamp: string
  /** `replaced`: a newer passcode was asked for. `used`: kept until it expires, to tell a doubled click from a guess. */
  readonly status: 'open' | 'replaced' | 'used'
  /** A passcode was mailed for it. */
  readonly isMailed: boolean
  /** End of its life; milliseconds since the epoch. The record stays longer. */
  readonly expiresAt: number
  readonly request: ChallengeRequest
}

/** A challenge as read, with what a conditional write needs. */
export interface StoredChallenge {
  readonly token: string
  readonly pending: PendingChallenge
  readonly revision: Revision
}

/** A genuine challenge within its life, and the passcode that was mailed for it. */
export interface LiveChallenge extends StoredChallenge {
  readonly passcode: string
}

const TOKEN = /^[A-Za-z0-9_-]{96}$/
/** Between the clocks of two processes. */
const CLOCK_SKEW_MS = MINUTE_MS
/** OPEN(0088): a dead challenge still tells where its browser wanted to go. */
const RECALL_MS = HOUR_MS

/** What others may know of a challenge. */
export function toChallenge(
  owner: Owner,
  { token, pending }: Pick<StoredChallenge, 'token' | 'pending'>,
): Challenge {
  const { isMailed, expiresAt, request } = pending
  const factors: readonly FactorKind[] =
    request.isFirst === true
      ? ['mail']
      : enrolledKinds(owner.factors).filter((kind) => kind !== 'mail' || isMailed)
  return { ...request, token, expiresAt, factors }
}

/** The record of a token, dead or alive. */
export async function readChallenge(
  { store }: Pick<AuthUiServices, 'store'>,
  instance: Instance,
  token: string,
): Promise<StoredChallenge | undefined> {
  if (!TOKEN.test(token)) return undefined
  const record = await store.get(keyOf(instance, token))
  if (record === undefined) return undefined
  // Only this file writes these records.
  const pending = record.value as unknown as PendingChallenge
  return { token, pending, revision: record.revision }
}

/** The challenge when it is within its life, of this passphrase and genuine, whatever its status. */
export async function findLiveChallenge(
  services: Pick<AuthUiServices, 'clock' | 'keyring' | 'lifetimes' | 'store'>,
  instance: Instance,
  owner: Owner,
  token: string,
): Promise<LiveChallenge | undefined> {
  const stored = await readChallenge(services, instance, token)
  if (stored === undefined || stored.pending.stamp !== owner.securityStamp) return undefined
  const now = services.clock.now()
  if (stored.pending.expiresAt <= now) return undefined
  const { messageKey } = await services.keyring.current(instance, 'session')
  const passcode = passcodeOf(messageKey, token)
  if (passcode === undefined) return undefined
  const age = now - passcode.timeS * 1000
  // Seconds are cut off the token's time, so its age is up to a second too high.
  const isInTime = age < services.lifetimes.twoFactor + 1000 && age >= -CLOCK_SKEW_MS
  return isInTime ? { ...stored, passcode: passcode.code } : undefined
}

/** The change that stores a new challenge, keyed by the hash of its token. */
export function createChallenge(
  instance: Instance,
  token: string,
  pending: PendingChallenge,
): Change {
  return { ...put(instance, token, pending), ifAbsent: true }
}

/** The change that replaces a challenge, if it is still the one that was read. */
export function replaceChallenge(
  instance: Instance,
  { token, revision }: StoredChallenge,
  pending: PendingChallenge,
): Change {
  return { ...put(instance, token, pending), ifRevision: revision }
}

/** The change that forgets a challenge. */
export function removeChallenge(instance: Instance, token: string): Change {
  return { op: 'delete', key: keyOf(instance, token) }
}

function put(instance: Instance, token: string, pending: PendingChallenge) {
  // Interfaces have no index signature, so the compiler cannot see that a challenge is plain JSON.
  const value = pending as unknown as Json
  const expiresAt = pending.expiresAt + RECALL_MS
  const indexes = [{ index: indexKey(instance.id, 'two-factors'), sort: '' }]
  return { op: 'put', key: keyOf(instance, token), value, expiresAt, indexes } as const
}

function keyOf(instance: Instance, token: string): Key {
  return secretKey(instance.id, 'two-factor', token)
}
