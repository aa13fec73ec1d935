import { type FoundRecord, type RecordKind, type SealContext, valueSchemas } from '@svc/platform'
import { ENTRIES, PENDING, REFUSALS, SEGMENTS, USES } from './chain/keys.ts'
import { type Head, headText, sealContext, type Segment, segmentText } from './chain/head.ts'

const { boolean, count, instant, map, members, object, oneOf, text } = valueSchemas

const NOTED = {
  time: instant,
  event: text,
  group: text,
  actor: map(text),
  outcome: oneOf('ok', 'refused'),
}
const PERHAPS = {
  device: text,
  ip: text,
  country: text,
  browser: text,
  os: text,
  target: map(text),
  reason: text,
  detail: object,
  count,
  until: instant,
}
const SEAL = 'until a record of the next entry takes its place'

/** What is kept of activity. */
export const ACTIVITY_RECORDS: readonly RecordKind[] = [
  {
    kind: 'activity',
    version: 1,
    schema: members(
      { ...NOTED, chain: text, seq: count, prev: text, hash: text },
      // The version of an entry is that of its record, which schemas leave out.
      { ...PERHAPS, v: count },
    ),
    tags: 'instance',
    places: { by: 'index', index: ENTRIES },
    life: '365 days (`retentionDays`), and at most 50 000 of them',
    export: 'yes',
    content: 'number of the entry: what happened, by whom, and the hash that chains it',
  },
  {
    kind: 'activity-pending',
    version: 1,
    schema: members(NOTED, PERHAPS),
    tags: 'instance',
    places: { by: 'index', index: PENDING },
    life: 'until it is chained, usually within a second',
    export: 'yes',
    content: 'what happened, written with the action itself',
  },
  {
    kind: 'activity-head',
    version: 1,
    schema: members({
      chain: text,
      seq: count,
      hash: text,
      time: instant,
      seal: text,
      segment: members({ first: count, firstPrev: text, count, since: instant }),
    }),
    tags: 'instance',
    places: { by: 'ids', ids: ['head'] },
    sealed: [{ path: ['seal'], context: ofHead }],
    life: SEAL,
    export: 'yes',
    content: 'where the chain ends, with a seal of this server',
  },
  {
    kind: 'activity-segment',
    version: 1,
    schema: members({
      chain: text,
      first: count,
      last: count,
      firstPrev: text,
      lastHash: text,
      count,
      time: instant,
      seal: text,
      state: oneOf('kept', 'going', 'pruned'),
    }),
    tags: 'instance',
    places: { by: 'index', index: SEGMENTS },
    sealed: [{ path: ['seal'], context: ofSegment }],
    life: 'as long as the instance',
    export: 'yes',
    content: 'first entry: bounds and hashes of up to 1 000 entries; those may be gone',
  },
  {
    kind: 'activity-check',
    version: 1,
    schema: members(
      { at: instant, seq: count, unbroken: boolean, count },
      {
        since: instant,
        chain: text,
        fault: members({ seq: count, reason: text }, { after: instant }),
      },
    ),
    tags: 'instance',
    places: { by: 'ids', ids: ['last'] },
    life: 'as long as the instance',
    export: { no: 'The importing server verifies by itself.' },
    content: 'what the last verification found',
  },
  {
    kind: 'activity-refusals',
    version: 1,
    schema: members({ count }),
    tags: 'instance',
    places: { by: 'index', index: REFUSALS },
    life: '2 days',
    export: { no: 'It is a note for the day.' },
    content: 'event and day: that the refusals without an entry of their own have one together',
  },
  {
    kind: 'activity-use',
    version: 1,
    schema: members({
      event: oneOf('account.used', 'client.used'),
      of: map(text),
      day: text,
      endsAt: instant,
      counts: map(count),
    }),
    tags: 'instance',
    places: { by: 'index', index: USES },
    life: 'until the owner’s day has ended',
    export: 'yes',
    content:
      'day and SHA-256 of client or account: how often it refreshed, read and changed, by kind of data',
  },
]

function ofHead({ tag, value }: FoundRecord): SealContext {
  return sealContext(tag, headText(value as Head)) // As the schema has it.
}

function ofSegment({ tag, value }: FoundRecord): SealContext {
  return sealContext(tag, segmentText(value as Segment)) // As the schema has it.
}
