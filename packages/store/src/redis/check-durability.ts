import { Cluster } from 'ioredis'
import type { StoreEventLog } from '../log/store-log.ts'
import type { RedisClient } from './client.ts'

/** Warns when Redis is set up to lose acknowledged writes: no append-only file, or eviction. */
export async function checkDurability(client: RedisClient, log: StoreEventLog): Promise<void> {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client]
  const infos = await Promise.all(nodes.map(readInfo))
  if (infos.some((info) => info.get('aof_enabled') === '0')) {
    log.warn(
      { event: 'store.appendonly_off' },
      'Redis runs with appendonly off: acknowledged writes are lost when it stops',
    )
  }
  const policy = infos
    .map((info) => info.get('maxmemory_policy'))
    .find((name) => name !== undefined && name !== 'noeviction')
  if (policy !== undefined) {
    log.warn(
      { event: 'store.eviction_on', policy },
      `Redis runs with maxmemory-policy ${policy}: records vanish when memory is short`,
    )
  }
}

async function readInfo(client: {
  info(section: string): Promise<string>
}): Promise<Map<string, string>> {
  const texts = [await client.info('persistence'), await client.info('memory')]
  const lines = texts.flatMap((text) => text.split('\r\n')).map((line) => line.split(':'))
  return new Map(lines.map(([name = '', value = '']) => [name, value]))
}
