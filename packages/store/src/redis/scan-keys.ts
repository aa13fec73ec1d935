import { Cluster } from 'ioredis'
import type { Connection } from './connection.ts'

/** Keys of one step of a scan, about. */
const STEP = 1000

/** Names of all keys that begin like this, in batches, of every node of a Cluster; a name may come twice. */
export async function* scanKeys(
  { client, send }: Connection,
  prefix: string,
): AsyncGenerator<readonly string[]> {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client]
  for (const node of nodes) {
    let cursor = '0'
    do {
      const at = cursor
      const [next, keys] = await send(() => node.scan(at, 'MATCH', `${prefix}*`, 'COUNT', STEP))
      yield keys
      cursor = next
    } while (cursor !== '0')
  }
}
