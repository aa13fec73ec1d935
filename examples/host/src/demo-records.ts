import { type RecordKind, valueSchemas } from '@svc/platform'

const { any, instant, list, members, object, oneOf, text } = valueSchemas

const KEPT = members({ id: text, keptAt: instant, item: object })
const DEVELOPMENT = { no: 'It is for development.' } as const

/** What the demo keeps. Known while the demo is off, too: its records stay in the store. */
export const DEMO_RECORDS: readonly RecordKind[] = [
  {
    kind: 'share-link',
    version: 1,
    schema: members(
      { id: text, owner: text, type: text, ids: list(text) },
      { password: members({ algorithm: oneOf('scrypt-kdf', 'scrypt'), value: text }) },
    ),
    tags: 'instance',
    places: { by: 'index', index: 'share-links' },
    life: 'until removed, by who shares or with the app',
    export: 'yes',
    content:
      'id of the link: the app or client that shares, type and ids of documents, hash of a password',
  },
  {
    kind: 'sharing-offer',
    version: 1,
    schema: members({
      id: text,
      from: text,
      sharer: object,
      description: text,
      type: text,
      documents: list(any),
      state: text,
    }),
    tags: 'instance',
    places: { by: 'index', index: 'sharing-offers' },
    life: '90 days; until accepted',
    export: 'yes',
    content: 'id of the sharing: who offers, the documents as they were (64 KiB at most), state',
  },
  {
    kind: 'sharing-offers',
    version: 1,
    schema: list(members({ id: text, from: text, expiresAt: instant })),
    tags: 'instance',
    places: { by: 'ids', ids: ['pending'] },
    life: 'with the last of them',
    export: 'yes',
    content: 'which offers wait, of whom, until when: 100 at most, 10 of one sharer',
  },
  {
    kind: 'demo-instance',
    version: 1,
    schema: members({ domain: text }),
    tags: ['host'],
    places: { by: 'index', index: 'demo-instances' },
    life: 'for good',
    export: DEVELOPMENT,
    content: 'domain: that the demo instance was made once',
  },
  {
    kind: 'dev-pages',
    version: 1,
    schema: members({ host: text }),
    tags: ['host'],
    places: { by: 'ids', ids: ['off'] },
    life: 'for good',
    export: DEVELOPMENT,
    content: 'the first host from outside, which turned `/dev/mails` and `/dev/outbox` off',
  },
  {
    kind: 'dev-mail',
    version: 1,
    schema: KEPT,
    tags: 'instance',
    places: { by: 'index', index: 'dev-mails' },
    life: '7 days, the last 50',
    export: DEVELOPMENT,
    content: 'a mail that was not sent',
  },
  {
    kind: 'dev-outbox-entry',
    version: 1,
    schema: KEPT,
    tags: 'instance',
    places: { by: 'index', index: 'dev-outbox' },
    life: '7 days, the last 50',
    export: DEVELOPMENT,
    content: 'a push or text that was not sent',
  },
]
