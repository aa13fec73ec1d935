import { type RecordKind, valueSchemas } from '@svc/platform'
import { CALL_KIND, CALLS, DAY_KIND, DAYS } from './call.ts'
import { NONE_MAY, PREFERENCES_KIND } from './preferences.ts'

const { count, instant, list, map, members, oneOf, text } = valueSchemas

/** What is kept of clients of a resource: what they did outlives the grant and the client. @see assistants.md 5.8, 7.5 */
export const ASSISTANT_RECORDS: readonly RecordKind[] = [
  {
    kind: CALL_KIND,
    version: 1,
    schema: members(
      { clientId: text, time: instant, documents: count, bytes: count, outcome: text },
      {
        grantId: text,
        tool: text,
        type: text,
        writes: list(members({ id: text, revision: text }, { before: text })),
        event: oneOf('keys_replaced'),
      },
    ),
    tags: 'instance',
    places: { by: 'index', index: CALLS },
    life: '7 days, then it is part of its day; at most 20 000 of a client, the oldest are part of their day earlier',
    export: 'yes',
    content:
      'one call of a tool: client, grant, when, tool, kind of data, number of documents, bytes, outcome; of a write the documents, their revisions, and those that they replaced; or that the keys of the client were replaced',
  },
  {
    kind: DAY_KIND,
    version: 1,
    schema: members({
      clientId: text,
      day: text,
      from: instant,
      until: instant,
      kinds: map(members({ calls: count, documents: count, bytes: count, refused: count })),
    }),
    tags: 'instance',
    places: { by: 'index', index: DAYS },
    life: '90 days after the first of its calls',
    export: 'yes',
    content:
      'client and day of the owner: how many calls, documents and bytes by kind of data, and how many calls were refused',
  },
  {
    kind: PREFERENCES_KIND,
    version: 1,
    schema: members({ since: instant }),
    tags: 'instance',
    places: { by: 'ids', ids: [NONE_MAY] },
    life: 'until the owner lets assistants connect again',
    export: 'yes',
    content: 'that the owner lets no assistant connect, and since when',
  },
]
