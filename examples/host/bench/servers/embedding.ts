import { mkdtempSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createAuthUi } from '@svc/auth-ui'
import { createConnectors } from '@svc/connectors'
import { createNotify, smtpTransport } from '@svc/notify'
import { createOAuth } from '@svc/oauth-core'
import { createRealtime } from '@svc/realtime'
import { sqliteStore } from '@svc/store/sqlite'
import Koa from 'koa'
import { ROUTE_BODY, ROUTE_PATH } from './bare-koa.ts'
import {
  type BenchServer,
  CLIENTS,
  mintAll,
  notServed,
  REDIRECT_URI,
  toMessage,
} from './bench-server.ts'
import { send } from './ask.ts'

const DOMAIN = 'i0.example.com'
const SCOPE = 'io.svc.files:GET'

/** The lines of the README, built, with a route of their server behind all packages and the guard. */
export async function startEmbedding(folder: string): Promise<BenchServer> {
  const store = sqliteStore({
    file: path.join(mkdtempSync(path.join(folder, 'embedding-')), 'store.db'),
  })
  const keys = [{ kid: '1', key: Buffer.alloc(32, 7) }]
  const limits = { 'oauth-client': { limit: 1_000_000, windowMs: 3_600_000 } }
  const oauth = createOAuth({ store, keys, limits })
  const mail = { transport: smtpTransport({ port: 25, disableTls: true }) }
  const realtime = createRealtime({ oauth })
  const notify = createNotify({ oauth, channels: { mail }, events: realtime })
  const ui = createAuthUi({ oauth, mailer: notify.mailer, events: realtime })
  oauth.useSessions(ui.sessions)
  const connectors = createConnectors({ oauth, sessions: ui.sessions, events: realtime })

  const app = new Koa()
  app.use(oauth.resolveInstance())
  app.use(ui.routes())
  app.use(oauth.routes({ pages: ui.pages }))
  app.use(realtime.routes())
  app.use(notify.routes({ pages: ui.notices }))
  app.use(connectors.routes({ pages: ui.pages }))
  app.use(oauth.guard({ verb: 'GET', type: 'io.svc.files' }))
  app.use((ctx) => {
    if (ctx.path === ROUTE_PATH) ctx.body = ROUTE_BODY
  })

  await Promise.all([oauth.start(), ui.start(), notify.start(), connectors.start()])
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  realtime.attach(server)
  const { port } = server.address() as AddressInfo // A TCP server's address is an object.
  const { instance } = await ui.owners.createInstance({ domain: DOMAIN })

  const ids: string[] = []
  async function register(): Promise<void> {
    const json = {
      redirect_uris: [REDIRECT_URI],
      client_name: `Bench ${ids.length}`,
      software_id: 'github.com/example/bench',
    }
    const { body } = await send(port, DOMAIN, 'POST', '/auth/register', { json })
    ids.push((JSON.parse(body) as { client_id: string }).client_id) // What the endpoint answers.
  }

  return {
    port,
    async prepare(job, count) {
      if (job !== 'route') throw notServed(job)
      while (ids.length < CLIENTS) await register()
      return mintAll(count, async (i) => {
        const id = ids[i % CLIENTS] ?? ''
        const issued = await oauth.clients.issueTokens(instance, id, SCOPE)
        const headers = { Authorization: `Bearer ${issued?.access_token}` }
        return toMessage({ method: 'GET', path: ROUTE_PATH, host: DOMAIN, headers })
      })
    },
  }
}
