import { createHash } from 'node:crypto'
import { DAY_MS } from '../durations.ts'
import type { InstanceId } from '../instances/instance.ts'

/**
 * How old the key that signs access tokens may become. Milliseconds.
 * @see operation.md 3.9
 * @example
 * const replacedAt = clock.now() + SIGNING_KEY_MS
 */
export const SIGNING_KEY_MS: number = 90 * DAY_MS

/** The part of its life in which a key is replaced: instances that were made together do not write together. */
const SPREAD = 0.1

/**
 * Whether a key is to be replaced by one who signs with it now.
 * @param lifetimeMs - 0: never
 */
export function isDue(id: InstanceId, createdAt: number, lifetimeMs: number, now: number): boolean {
  // Asked for every token that is signed: the hash is for the last part of a key's life only.
  if (lifetimeMs === 0 || now - createdAt < lifetimeMs * (1 - SPREAD)) return false
  const share = createHash('sha256').update(id).digest().readUInt32BE() / 2 ** 32
  return now - createdAt >= lifetimeMs * (1 - SPREAD * share)
}
