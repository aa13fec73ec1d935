import type { Instance } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import type { StoredHash } from '../owner/stored-hash.ts'

/** An owner whose imported hash is over the passphrase itself, until the first login. */
export type ImportedOwner = Owner & { readonly passphraseHash: StoredHash }

export function isImportPending(owner: Owner): owner is ImportedOwner {
  return owner.passphraseHash?.algorithm === 'foreign-passphrase'
}

/**
 * Whether the passphrase itself may come over this connection: only while it is needed, and only where nobody on the way
 * can read it.
 */
export function takesRaw(owner: Owner, { domain, isHttps }: Instance): boolean {
  if (!isImportPending(owner)) return false
  const name = URL.parse(`http://${domain}`)?.hostname ?? ''
  return isHttps || name === 'localhost' || name.endsWith('.localhost')
}

/** What is answered to a login value while nobody can say whether it is right. It costs no try. */
export function importPending({ origin }: Instance): AuthUiError {
  const error = new AuthUiError('passphrase_import_pending')
  return Object.assign(error, { extra: { url: `${origin}/auth/login` } })
}
