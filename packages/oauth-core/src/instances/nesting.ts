import { createHash } from 'node:crypto'
import { type IndexKey, indexKey, type Key, secretKey, type Store } from '@svc/store'
import { shardOf, shardTag } from './host-shards.ts'
import type { InstanceId } from './instance.ts'

/**
 * Which hosts lie below which names. With nested subdomains the cookies of an instance reach every host below its
 * domain, so none of these may be somebody else's: `example.com` is not free while `alice.example.com` is taken.
 */
export interface Nesting {
  /** Notes the hosts below all names above them. To be called when they are claimed. */
  note(id: InstanceId, hosts: readonly string[]): Promise<void>
  /** Takes back what was noted for this instance. */
  forget(id: InstanceId, host: string): Promise<void>
  /**
   * A claimed host above or below this one that keeps the instance from having it: another instance's, or its own of
   * which it would be an app host. Of two that are claimed at the same time, whoever asks after noting its own sees
   * the other.
   */
  conflictOf(id: InstanceId, host: string): Promise<string | undefined>
}

interface NoteRecord {
  readonly [name: string]: string
  readonly id: InstanceId
  readonly host: string
}

const PAGE = 100

/** @param ownerOf - which instance holds a host */
export function createNesting(
  store: Store,
  ownerOf: (host: string) => Promise<InstanceId | undefined>,
): Nesting {
  async function takenAbove(id: InstanceId, host: string): Promise<string | undefined> {
    for (const [position, above] of namesAbove(host).entries()) {
      const owner = await ownerOf(above)
      if (owner !== undefined && (owner !== id || position === 0)) return above
    }
    return undefined
  }

  async function takenBelow(id: InstanceId, host: string): Promise<string | undefined> {
    let cursor: string | undefined
    do {
      const page = await store.list<NoteRecord>(belowIndex(host), {
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      })
      for (const { value } of page.records) {
        // A note that a dead process left behind names nobody's host.
        const owner = await ownerOf(value.host)
        if (owner !== undefined && owner !== id) return value.host
      }
      cursor = page.cursor
    } while (cursor !== undefined)
    return undefined
  }

  return {
    async note(id, hosts) {
      const notes = hosts.flatMap((host) => namesAbove(host).map((above) => ({ above, host })))
      await Promise.all(
        notes.map(({ above, host }) =>
          store.write([
            {
              op: 'put',
              key: noteKey(above, host),
              value: { id, host },
              indexes: [{ index: belowIndex(above), sort: host.slice(0, 253) }],
            },
          ]),
        ),
      )
    },

    async forget(id, host) {
      for (const above of namesAbove(host)) {
        const record = await store.get<NoteRecord>(noteKey(above, host))
        if (record?.value.id !== id) continue
        await store.write([{ op: 'delete', key: record.key, ifRevision: record.revision }])
      }
    },

    async conflictOf(id, host) {
      return (await takenAbove(id, host)) ?? takenBelow(id, host)
    },
  }
}

/** `example.com:8443` and `com:8443` of `alice.example.com:8443`. */
function namesAbove(host: string): string[] {
  const labels = host.split('.')
  return labels.slice(1).map((_, position) => labels.slice(position + 1).join('.'))
}

function noteKey(above: string, host: string): Key {
  return secretKey(shardTag(shardOf(above)), 'host-below', `${above} ${host}`)
}

function belowIndex(above: string): IndexKey {
  const digest = createHash('sha256').update(above).digest('base64url')
  return indexKey(shardTag(shardOf(above)), `below:${digest}`)
}
