import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startRedisServer } from '@svc/store/testing'
import { dropShortLived, redisBytes, SHORT_MS } from './redis-bytes.ts'

export type EngineName = 'sqlite' | 'redis'

/** A store that is filled by processes that come and go, and weighed in between. */
export interface Engine {
  readonly name: EngineName
  /** For `SVC_DATA_DIR` and `SVC_STORE`. */
  readonly folder: string
  readonly place: string
  /** Of a Redis. */
  readonly port: number
  /** Of everything that stays for longer than some hours, while no process uses it. */
  weigh(): Promise<number>
  stop(): Promise<void>
}

/** What operators are told to set. */
const REDIS_CONF = path.resolve(import.meta.dirname, '../../deploy/redis/svc.conf')

export async function startEngine(name: EngineName): Promise<Engine> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-scale-'))
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true })
  if (name === 'sqlite') {
    const file = path.join(folder, 'store.db')
    const weigh = (): Promise<number> => fileBytes(file)
    return { name, folder, place: 'sqlite', port: 0, weigh, stop: removeFolder }
  }
  // What it holds in memory does not depend on its append-only file, which would make the filling slow.
  const server = await startRedisServer({ args: ['--include', REDIS_CONF, '--appendonly', 'no'] })
  return {
    name,
    folder,
    place: server.url,
    port: server.port,
    async weigh() {
      await dropShortLived(server.port)
      return redisBytes(server.port)
    },
    async stop() {
      await server.stop()
      await removeFolder()
    },
  }
}

/** Pages in use, and what waits in the log, without what dies soon. */
async function fileBytes(file: string): Promise<number> {
  const database = new DatabaseSync(file)
  try {
    const read = (name: string): number =>
      Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])
    const soon = Date.now() + SHORT_MS
    database.exec('DELETE FROM answers')
    database.prepare('DELETE FROM counters WHERE resets_at < ?').run(soon)
    database.prepare('DELETE FROM records WHERE expires_at < ?').run(soon)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const pages = read('page_count') - read('freelist_count')
    const log = await stat(`${file}-wal`).catch(() => ({ size: 0 }))
    return pages * read('page_size') + log.size
  } finally {
    database.close()
  }
}
