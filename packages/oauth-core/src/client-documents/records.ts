import { type JsonSchema, type RecordKind, valueSchemas } from '@svc/platform'
import { DOCUMENT_INDEX, DOCUMENT_KIND, DOCUMENT_TAGS } from './document-cache.ts'
import { COPY_INDEX, COPY_KIND, COPY_TAGS } from './document-copies.ts'
import { ASSERTION_KIND } from './keys/client-assertion.ts'
import { KEY_SET_INDEX, KEY_SET_KIND } from './keys/client-keys.ts'
import { KEPT_INDEX, KEPT_KIND } from '../clients/kept-snapshots.ts'

const { any, boolean, digest, instant, list, map, members, oneOf, text } = valueSchemas

const PUBLIC_KEY = map(text)

/** Of a client's record: what its document said. */
export const DOCUMENT_SNAPSHOT: JsonSchema = members(
  {
    url: text,
    digest,
    fetchedAt: instant,
    checkedAt: instant,
    authentication: oneOf('none', 'private_key_jwt'),
    isRefreshing: boolean,
  },
  {
    keys: list(PUBLIC_KEY, 10),
    keysUri: text,
    isKeyOptional: boolean,
    tosUri: text,
    formerName: members({ name: text, until: instant }),
  },
)

/** What is kept of documents that describe clients. @see assistants.md 7.5 */
export const DOCUMENT_RECORDS: readonly RecordKind[] = [
  {
    kind: DOCUMENT_KIND,
    version: 1,
    schema: members({ text, fetchedAt: instant, freshUntil: instant }),
    tags: DOCUMENT_TAGS,
    places: { by: 'index', index: DOCUMENT_INDEX },
    life: 'until it is no longer fresh, 60 s to 24 h; at most 78 of a part, the oldest out',
    export: { no: 'It is fetched again.' },
    content:
      'SHA-256 of an address: the document that is there, when it was fetched, until when it is fresh',
  },
  {
    kind: COPY_KIND,
    version: 1,
    schema: members({ url: text, text, fetchedAt: instant }),
    tags: COPY_TAGS,
    places: { by: 'index', index: COPY_INDEX },
    life: 'until the operator removes it; replaced by each good fetch',
    export: { no: 'It is of no instance.' },
    content:
      'SHA-256 of an address: the address, the document that the operator gave or that was fetched since, and when',
  },
  {
    kind: KEPT_KIND,
    version: 1,
    schema: members({ metadata: any, snapshot: DOCUMENT_SNAPSHOT }),
    tags: 'instance',
    places: { by: 'index', index: KEPT_INDEX },
    life: '14 days after the document was read well last; at most 200, the oldest out',
    export: { no: 'It is fetched again.' },
    content:
      'of a client that a document describes and whose access is over: what the document said, as in the client’s record',
  },
  {
    kind: KEY_SET_KIND,
    version: 1,
    schema: members({ keys: list(PUBLIC_KEY, 10), fetchedAt: instant }),
    tags: DOCUMENT_TAGS,
    places: { by: 'index', index: KEY_SET_INDEX },
    life: '1 h',
    export: { no: 'It is fetched again.' },
    content: 'SHA-256 of an address: the public keys that are there, when they were fetched',
  },
  {
    kind: ASSERTION_KIND,
    version: 1,
    schema: members({}),
    tags: 'instance',
    places: { by: 'nobody' },
    life: 'as long as the assertion, at most 7 min',
    export: { no: 'It is short-lived.' },
    content:
      'SHA-256 of a client’s address and the `jti` of an assertion: nothing; that it is there says that the assertion was used',
  },
]
