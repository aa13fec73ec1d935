import { createHash } from 'node:crypto'
import { equalSecrets, randomHex } from '@svc/platform'
import type { Owner } from '../owner/owner.ts'

const RESET_TOKEN = /^[0-9a-f]{32}$/

/** A fresh token for the link to a new passphrase: 32 hexadecimal characters. */
export function newResetToken(): string {
  return randomHex(16)
}

/** Makes the token the one that can choose a new passphrase, until `expiresAt` (milliseconds since the epoch). */
export function withResetToken(owner: Owner, token: string, expiresAt: number): Owner {
  return { ...owner, reset: { hash: digest(token), expiresAt } }
}

/** Takes the token back, if it is still the one; undefined when there is nothing to do. */
export function withoutResetToken(owner: Owner, token: string): Owner | undefined {
  if (owner.reset?.hash !== digest(token)) return undefined
  const { reset: _reset, ...kept } = owner
  return kept
}

/** Whether a link is under way: there is never a second one beside it (login.md 4.7). */
export function hasLiveReset(owner: Owner, now: number): boolean {
  return owner.reset !== undefined && owner.reset.expiresAt > now
}

/** Whether the token can choose a new passphrase now. */
export function acceptsResetToken(owner: Owner | undefined, token: string, now: number): boolean {
  const known = owner !== undefined && hasLiveReset(owner, now) ? (owner.reset?.hash ?? '') : ''
  return equalSecrets(known, digest(token)) && RESET_TOKEN.test(token)
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
