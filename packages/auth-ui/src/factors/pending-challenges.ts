import { HOUR_MS, type Instance, type Keyring, MINUTE_MS } from '@svc/platform'
import { type Change, type Json, type Key, type Revision, secretKey, type Store } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import type { Owner } from '../owner/owner.ts'
import { passcodeOf } from './passcode.ts'
import type { ChallengeRequest } from './second-factor.ts'

/** A challenge as it is kept. */
export interface PendingChallenge {
  /** Security stamp of its time: a passphrase change ends it. */
  readonly stamp: string
  /** `replaced`: a newer passcode was asked for. */
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

/** Records of challenges, keyed by the hash of their token. */
export interface PendingChallenges {
  /** The record of a token, dead or alive. */
  read(instance: Instance, token: string): Promise<StoredChallenge | undefined>
  /** The challenge when it is within its life, of this passphrase and genuine, whatever its status. */
  live(instance: Instance, owner: Owner, token: string): Promise<LiveChallenge | undefined>
  /** The change that stores a new challenge. */
  create(instance: Instance, token: string, pending: PendingChallenge): Change
  /** The change that replaces a challenge, if it is still the one that was read. */
  replace(instance: Instance, stored: StoredChallenge, pending: PendingChallenge): Change
  /** The change that forgets a challenge. */
  remove(instance: Instance, token: string): Change
}

/** What {@link createPendingChallenges} needs. */
export interface PendingChallengesOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly lifetimes: Lifetimes
  readonly keyring: Keyring
}

const TOKEN = /^[A-Za-z0-9_-]{96}$/
/** Between the clocks of two processes. */
const CLOCK_SKEW_MS = MINUTE_MS
/** OPEN(0088): a dead challenge still tells where its browser wanted to go. */
const RECALL_MS = HOUR_MS

/** A used challenge stays as a record marked used until it expires: a doubled click is told from a guess. */
export function createPendingChallenges(options: PendingChallengesOptions): PendingChallenges {
  const { store, clock, lifetimes, keyring } = options

  async function read(instance: Instance, token: string): Promise<StoredChallenge | undefined> {
    if (!TOKEN.test(token)) return undefined
    const record = await store.get(keyOf(instance, token))
    if (record === undefined) return undefined
    // Only this file writes these records.
    const pending = record.value as unknown as PendingChallenge
    return { token, pending, revision: record.revision }
  }

  return {
    read,
    async live(instance, owner, token) {
      const stored = await read(instance, token)
      if (stored === undefined || stored.pending.stamp !== owner.securityStamp) return undefined
      const now = clock.now()
      if (stored.pending.expiresAt <= now) return undefined
      const { secret } = await keyring.current(instance, 'session')
      const passcode = passcodeOf(secret, token)
      if (passcode === undefined) return undefined
      const age = now - passcode.timeS * 1000
      // Seconds are cut off the token's time, so its age is up to a second too high.
      const isInTime = age < lifetimes.twoFactor + 1000 && age >= -CLOCK_SKEW_MS
      return isInTime ? { ...stored, passcode: passcode.code } : undefined
    },
    create: (instance, token, pending) => ({ ...put(instance, token, pending), ifAbsent: true }),
    replace: (instance, { token, revision }, pending) => ({
      ...put(instance, token, pending),
      ifRevision: revision,
    }),
    remove: (instance, token) => ({ op: 'delete', key: keyOf(instance, token) }),
  }
}

function put(instance: Instance, token: string, pending: PendingChallenge) {
  // Interfaces have no index signature, so the compiler cannot see that a challenge is plain JSON.
  const value = pending as unknown as Json
  const expiresAt = pending.expiresAt + RECALL_MS
  return { op: 'put', key: keyOf(instance, token), value, expiresAt } as const
}

function keyOf(instance: Instance, token: string): Key {
  return secretKey(instance.id, 'two-factor', token)
}
