import { randomBytes } from 'node:crypto'
import type { Revision } from '../store.ts'

/**
 * Makes revisions that no other write ever gets: 72 random bits per store object, then a counter.
 * They need no state in the store, and a deleted and re-created record never meets an old one.
 */
export function revisionSource(): () => Revision {
  const prefix = randomBytes(9).toString('base64url')
  let count = 0
  // The one place that makes revisions.
  return () => `${prefix}${(count++).toString(36)}` as Revision
}
