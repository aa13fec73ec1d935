import { after, before } from 'mocha'
import { hasRedisServer, type RedisServer, startRedisServer } from '../src/testing/index.ts'
import { skipUnless } from './skip-unless.ts'

/** A Redis for the suite that calls this, which is skipped where there is none. */
export function redisForSuite(args: readonly string[] = []): () => RedisServer {
  let server: RedisServer | undefined
  before(async function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    server = await startRedisServer({ args: [...args] })
  })
  after(() => server?.stop())
  return () => {
    if (server === undefined) throw new Error('the server is not there yet')
    return server
  }
}
