import { randomBytes } from 'node:crypto'
import http from 'node:http'
import { sqliteStore } from '@svc/store/sqlite'
import { listen } from '@svc/testkit'
import Koa from 'koa'
import { createOAuth, type OAuth } from '../src/index.ts'

/**
 * A program: makes instances on the SQLite file named by its argument, sends requests to the first of them, then to
 * all, and tells its parent how much memory it held each time. Run with `--expose-gc`, and with `--optimize-for-size`:
 * otherwise V8 keeps pages that nothing is in.
 */
const COUNT = 10_000
const SOME = 1000
const PARALLEL = 50

const domainOf = (n: number): string => `user${n}.example.com`

async function inBatches(from: number, to: number, work: (n: number) => Promise<unknown>) {
  for (let n = from; n < to; n += PARALLEL) {
    const batch = Array.from({ length: Math.min(PARALLEL, to - n) }, (_, k) => n + k)
    await Promise.all(batch.map(work))
  }
}

/** Goes through the host resolver, the registration and the engine of the instance. */
async function touch(oauth: OAuth, port: number, agent: http.Agent, n: number): Promise<void> {
  const host = domainOf(n)
  const request = (method: string, path: string, type: string, body: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { host, 'content-type': type, 'content-length': body.length }
      http
        .request({ host: '127.0.0.1', port, method, path, agent, headers }, (response) => {
          response.resume()
          response.once('end', () => resolve(response.statusCode ?? 0))
        })
        .once('error', reject)
        .end(body)
    })
  const client = {
    redirect_uris: ['https://client.example/callback'],
    client_name: 'Client',
    software_id: 'github.com/example/client',
  }
  const json = JSON.stringify(client)
  const registered = await request('POST', '/auth/register', 'application/json', json)
  if (registered !== 201) throw new Error(`registration at ${host}: ${registered}`)
  const instance = await oauth.instances.byHost(host)
  if (instance === undefined) throw new Error(`${host} is gone`)
  await oauth.keyring.current(instance, 'access')
}

function memoryOf(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().rss
}

async function main(file: string): Promise<void> {
  const store = sqliteStore({ file })
  const oauth = createOAuth({
    store,
    apps: {
      installed: async () => undefined,
      available: async () => undefined,
      listInstalled: async () => [],
    },
    keys: [{ kid: 'k', key: randomBytes(32) }],
  })
  const app = new Koa()
  oauth.useSessions({ current: async () => undefined })
  app.use(oauth.resolveInstance())
  // Pages are not asked for.
  app.use(oauth.routes({ pages: { checkCsrf: () => {} } as never }))
  const server = await listen(app)
  const agent = new http.Agent({ keepAlive: true, maxSockets: PARALLEL })

  await inBatches(0, COUNT, (n) => oauth.instances.create({ domain: domainOf(n) }))
  await inBatches(0, SOME, (n) => touch(oauth, server.port, agent, n))
  const some = memoryOf()
  await inBatches(SOME, COUNT, (n) => touch(oauth, server.port, agent, n))
  const all = memoryOf()
  process.send?.({ some, all })

  agent.destroy()
  await server.close()
  await oauth.close()
  await store.close()
}

await main(process.argv[2] ?? ':memory:')
