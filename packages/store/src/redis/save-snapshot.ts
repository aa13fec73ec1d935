import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Cluster, type Redis } from 'ioredis'
import { connected, createClient, failFast } from './client.ts'
import { settledWithin } from '../settled-within.ts'
import { redisOptionsFromUrl } from './redis-url.ts'

/** Between two questions whether it is written. Milliseconds. */
const ASK_MS = 100
const ANSWER_MS = 10_000

/**
 * Has Redis write a snapshot, and waits until it did.
 * @returns where the file is on the machine of Redis; undefined where Redis does not tell
 * @throws Error when it cannot be written, and for a Cluster, where each master writes its own
 */
export async function saveRedisSnapshot(url: string): Promise<string | undefined> {
  const client = createClient(redisOptionsFromUrl(url), 'backup', failFast(ANSWER_MS))
  try {
    if (client instanceof Cluster) {
      throw new Error(
        'Of a Cluster each master writes a snapshot of its own: it cannot be made at one moment.',
      )
    }
    // It queues nothing; what keeps it from connecting is told by the first command.
    await settledWithin(connected(client), ANSWER_MS)
    const before = await client.lastsave()
    // Another one may be under way: then this one follows it.
    await client.call('BGSAVE', 'SCHEDULE')
    for (;;) {
      const facts = await persistence(client)
      const isWriting = facts.get('rdb_bgsave_in_progress') === '1'
      if (!isWriting && facts.get('rdb_last_bgsave_status') === 'err') {
        throw new Error('Redis could not write the snapshot. Its log says why.')
      }
      // Its clock has whole seconds: one of this second counts when it began after the question.
      if (
        !isWriting &&
        ((await client.lastsave()) > before || facts.get('rdb_changes_since_last_save') === '0')
      )
        break
      await setTimeout(ASK_MS)
    }
    return await placeOf(client)
  } finally {
    client.disconnect()
  }
}

async function persistence(client: Redis): Promise<ReadonlyMap<string, string>> {
  const lines = (await client.info('persistence')).split('\r\n')
  return new Map(lines.map((line) => line.split(':', 2) as [string, string])) // `name:value`
}

/** Managed services do not tell. */
async function placeOf(client: Redis): Promise<string | undefined> {
  const read = async (name: string): Promise<string | undefined> => {
    const answer = await client.config('GET', name).catch(() => [])
    return (answer as string[])[1] // A list of a name and its value.
  }
  const [folder, name] = [await read('dir'), await read('dbfilename')]
  return folder === undefined || name === undefined ? undefined : join(folder, name)
}
