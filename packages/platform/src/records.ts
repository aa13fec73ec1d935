import { SHARDS, shardTag } from './instances/host-shards.ts'
import type { InstanceId } from './instances/instance.ts'
import { KEY_KINDS, keyContext } from './keys/keyring-values.ts'
import type { KeyKind } from './keys/keyring.ts'
import { checkContext } from './keys/sealing-keys.ts'
import type { RecordKind } from './records/record-kind.ts'
import { valueSchemas } from './records/value-schemas.ts'

const { any, boolean, count, instant, list, members, membersAndOthers, oneOf, text } = valueSchemas

/** Pieces of work over everything; a host that adds one declares a kind of its own for it. */
const WORKS: readonly string[] = ['reseal', 'key-count', 'rotate-keys']

/** The parts of the directory of hosts. */
const HOST_TAGS: readonly string[] = Array.from({ length: SHARDS }, (_, shard) => shardTag(shard))

/** What the ground floor keeps. */
export const PLATFORM_RECORDS: readonly RecordKind[] = [
  {
    kind: 'host',
    version: 1,
    schema: members({ id: text, isDomain: boolean, claimedAt: instant }),
    tags: HOST_TAGS,
    places: { by: 'indexes', indexes: ['instances', 'aliases'] },
    life: 'until removed',
    export: { no: 'The host that takes the instance in claims its hosts anew.' },
    content: 'domain or alias: instance id, whether it is the domain, when it was claimed',
  },
  {
    kind: 'host-below',
    version: 1,
    schema: members({ id: text, host: text }),
    tags: HOST_TAGS,
    places: { by: 'index', index: 'host-notes' },
    life: 'with the host',
    export: { no: 'It is made with the host.' },
    content:
      'a name and a host of that name or below it: instance id and host, so that cookies of one instance never reach another’s host',
  },
  {
    kind: 'external-id',
    version: 1,
    schema: members({ id: text, claimedAt: instant }),
    tags: HOST_TAGS,
    places: { by: 'index', index: 'external-ids' },
    life: 'until removed',
    export: { no: 'It ties the instance to the records of this host.' },
    content: 'digest of what the host calls an owner: instance id, when it was claimed',
  },
  {
    kind: 'instance',
    version: 1,
    schema: members(
      {
        id: text,
        domain: text,
        aliases: list(text),
        locale: text,
        status: oneOf('active', 'blocked', 'deleting', 'importing'),
        settings: membersAndOthers({}, { oauthClientsMax: { type: 'number' } }),
        createdAt: instant,
        updatedAt: instant,
      },
      {
        context: text,
        timeZone: text,
        email: text,
        publicName: text,
        defaultRedirection: text,
        externalId: text,
        frozen: members({}, { until: instant, exportedAt: instant }),
        importedFrom: text,
      },
    ),
    tags: 'instance',
    places: { by: 'ids', ids: ['record'] },
    life: 'until removed',
    export: 'yes',
    content:
      'domain, aliases, context, locale, time zone, mail address, public name, external id, status, settings; while it is exported or moved: until when it takes no changes',
  },
  {
    kind: 'keys',
    version: 1,
    schema: members({
      keys: list(
        members({ n: count, sealed: text }, { createdAt: instant, verifiesUntil: instant }),
      ),
    }),
    tags: 'instance',
    places: { by: 'ids', ids: KEY_KINDS },
    sealed: [
      {
        path: ['keys', '*', 'sealed'],
        context: ({ tag, id, value }, [, at]) => ({
          // Tag and id of a key that `keySetKey` made.
          context: keyContext(tag as InstanceId, id as KeyKind, numberOf(value, at)),
        }),
      },
    ],
    life: 'rotated; an older access or refresh key goes when the last that it made is dead, an older key of another kind at once',
    export: 'yes',
    content:
      '`access`, `session`, `mail`, `refresh`: keys that sign access tokens, what belongs to sessions, links of mails, and make rotating refresh tokens (the last when it is first needed); 64 bytes each, when each was made; the newest signs',
  },
  {
    kind: 'sealing-key',
    version: 1,
    schema: members(
      { kid: text, check: text, firstUsedAt: instant, state: oneOf('active', 'empty') },
      { startedAt: instant, values: count, sealedLinksUntil: instant },
    ),
    tags: ['host'],
    places: { by: 'index', index: 'sealing-keys' },
    sealed: [
      { path: ['check'], context: ({ id }) => ({ context: checkContext(id) }), provesKey: true },
    ],
    life: 'for good',
    export: { no: 'Sealing keys are the host’s.' },
    content:
      'name of a key: a constant sealed with it, when it was first used, `active` or `empty`, how many values it had sealed when they were last counted',
  },
  {
    kind: 'work',
    version: 1,
    schema: membersAndOthers({ status: text, leaseUntil: instant, startedAt: instant }),
    tags: ['host'],
    places: { by: 'ids', ids: WORKS },
    life: 'for good',
    export: { no: 'It is the host’s.' },
    content:
      'name of a piece of work over everything: how far it is, which process does it, until when others leave it to that one',
  },
  {
    kind: 'rate',
    version: 1,
    schema: any,
    tags: 'instance',
    places: { by: 'nobody' },
    isCounter: true,
    life: 'its window',
    export: { no: 'It is a counter.' },
    content: 'bucket and subject: how often',
  },
]

function numberOf(value: unknown, at: string | undefined): number {
  const { keys = [] } = value as { readonly keys?: readonly { readonly n: number }[] }
  return keys[Number(at)]?.n ?? 0
}
