import type { Instance } from '@svc/platform'
import type { StoredHash } from '../owner/stored-hash.ts'

/** Something shared by a link, as far as its password goes. */
export interface SharedLink {
  /** As `hashSharePassword` made it; absent: the link alone is enough. */
  readonly password?: StoredHash
}

/** Links that the host gives out. @see oauth.md 9 */
export interface Shares {
  /** @param permId - of the request, checked for its form only. Undefined: unknown, revoked or expired. */
  find(instance: Instance, permId: string): Promise<SharedLink | undefined>
}

/** For a host without links. */
export const NO_SHARES: Shares = { find: async () => undefined }

const PERM_ID = /^[A-Za-z0-9_-]{1,128}$/

/** Whether a text can name a link at all. */
export function isPermId(text: string): boolean {
  return PERM_ID.test(text)
}
