import { DAY_MS } from '@svc/platform'
import type { DocumentSnapshot, FoundDocument } from '../clients/client-document.ts'
import type { TakenDocument } from '../clients/kept-snapshots.ts'
import { hasCommonKey } from './keys/key-set.ts'

/** What a document that was read anew changes. */
export interface ReadAnew extends TakenDocument {
  /** All grants end: who took over the address would otherwise need no key any more. */
  readonly isWeaker: boolean
  /** No key is left that was there before. */
  readonly areKeysReplaced: boolean
}

/** SPEC: assistants.md 2.8 - after how long a refresh looks at the document. */
const CHECK_MS = DAY_MS

/** The record of a client that is allowed for the first time. */
export function takeDocument({ document, digest, fetchedAt }: FoundDocument): TakenDocument {
  const { clientId: url, name, redirectUris, clientUri, policyUri, logoUri, ...rest } = document
  const { authentication, keys, keysUri, isKeyOptional, isRefreshing, tosUri } = rest
  return {
    metadata: {
      redirect_uris: redirectUris,
      client_name: name,
      software_id: '',
      ...(clientUri !== undefined && { client_uri: clientUri }),
      ...(logoUri !== undefined && { logo_uri: logoUri }),
      ...(policyUri !== undefined && { policy_uri: policyUri }),
    },
    snapshot: {
      url,
      digest,
      fetchedAt,
      checkedAt: fetchedAt,
      authentication,
      isRefreshing,
      ...(keys !== undefined && { keys }),
      ...(keysUri !== undefined && { keysUri }),
      ...(isKeyOptional !== undefined && { isKeyOptional }),
      ...(tosUri !== undefined && { tosUri }),
    },
  }
}

/** What becomes of a record when its document was read again. @see assistants.md 2.9 */
export function readAnew(found: FoundDocument, before: DocumentSnapshot, now: number): ReadAnew {
  const { metadata, snapshot } = takeDocument(found)
  const isWeaker = before.authentication === 'private_key_jwt' && snapshot.authentication === 'none'
  return {
    metadata,
    snapshot: { ...snapshot, checkedAt: now },
    isWeaker,
    areKeysReplaced: areKeysReplaced(before, snapshot),
  }
}

/** Where one of two sets is at an address, the addresses are compared: what is there was not looked at. */
function areKeysReplaced(before: DocumentSnapshot, after: DocumentSnapshot): boolean {
  if (before.authentication === 'none' || after.authentication === 'none') return false
  if (before.keys !== undefined && after.keys !== undefined) {
    return !hasCommonKey(before.keys, after.keys)
  }
  return before.keysUri !== after.keysUri
}

/** Whether a refresh has to look at the document. */
export function isToBeChecked({ checkedAt }: DocumentSnapshot, now: number): boolean {
  return now - checkedAt > CHECK_MS
}
