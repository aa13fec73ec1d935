import { createHash } from 'node:crypto'

/** A public key (RFC 7517), by member. */
export type PublicKey = { readonly [name: string]: string }

/** How a client of a document proves who it is. */
export type ClientAuthentication = 'none' | 'private_key_jwt'

/** What a document says of its client, cleaned: names of the wire, but for what they would not say. */
export interface ClientDocument {
  /** The address of the document. */
  readonly clientId: string
  readonly name: string
  /** Those that this instance may answer at. */
  readonly redirectUris: readonly string[]
  readonly authentication: ClientAuthentication
  /** With `private_key_jwt`, unless they have an address. */
  readonly keys?: readonly PublicKey[]
  readonly keysUri?: string
  /** With keys: whether it may also go without them. What was begun with one goes on with one. */
  readonly isKeyOptional?: true
  /** Whether it wants refresh tokens. */
  readonly isRefreshing: boolean
  readonly clientUri?: string
  readonly policyUri?: string
  readonly tosUri?: string
  /** Kept, never fetched. */
  readonly logoUri?: string
}

/** A document as an instance reads it. */
export interface FoundDocument {
  readonly document: ClientDocument
  /** SHA-256 of its bytes. */
  readonly digest: string
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number
  /** It could not be fetched now: a copy of the operator's. */
  readonly isKept?: true
}

/** What a client that is described by a document has beside its metadata: what was shown to the owner. */
export type DocumentSnapshot = {
  /** The identifier, as it came. */
  readonly url: string
  /** SHA-256 of the document. */
  readonly digest: string
  /** When it was read well last. Milliseconds since the epoch. */
  readonly fetchedAt: number
  /** When it was last tried to. */
  readonly checkedAt: number
  readonly authentication: ClientAuthentication
  readonly keys?: readonly PublicKey[]
  readonly keysUri?: string
  readonly isKeyOptional?: true
  /** Whether it gets refresh tokens. */
  readonly isRefreshing: boolean
  readonly tosUri?: string
  /** Of records from before decision D103, in the place of the client's own member. */
  readonly formerName?: { readonly name: string; readonly until: number }
}

/** What clients may sign with. @see assistants.md 1.3 */
export const ASSERTION_ALGORITHMS = ['ES256', 'EdDSA', 'PS256', 'RS256'] as const

const DIGEST_CHARACTERS = 32
const PREFIX = 'cimd-'

/** Whether an identifier is the address of a document. Identifiers made by the server never are. */
export function isUrlClientId(text: string): boolean {
  return text.startsWith('https://') || text.startsWith('http://')
}

/** Whether an identifier is the one that a document's client has in paths and records, and nowhere else. */
export function isDocumentClientId(text: string): boolean {
  return text.startsWith(PREFIX)
}

/** The identifier of a document's client in paths and records; in tokens it is the address. @see assistants.md 2.8 */
export function documentClientId(url: string): string {
  const digest = createHash('sha256').update(url).digest('base64url')
  return `${PREFIX}${digest.slice(0, DIGEST_CHARACTERS)}`
}
