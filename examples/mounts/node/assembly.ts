// The packages, put together: the same file in every example.
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createAuthUi } from '@svc/auth-ui'
import { createNotify, smtpTransport } from '@svc/notify'
import { createOAuth } from '@svc/oauth-core'
import { limitConnections } from '@svc/platform'
import { createRealtime, type UpgradeListener } from '@svc/realtime'
import { sqliteStore } from '@svc/store/sqlite'
import { WebSocketServer } from 'ws'

const {
  DOMAIN = 'alice.localhost:8080',
  PORT = '8080',
  SMTP_PORT = '25',
  SEALING_KEY = '',
} = process.env
const store = sqliteStore({ file: 'data/store.db' })
export const oauth = createOAuth({
  store,
  keys: [{ kid: '1', key: Buffer.from(SEALING_KEY, 'base64') }],
  log: console,
})
const realtime = createRealtime({ oauth })
const mail = { transport: smtpTransport({ port: Number(SMTP_PORT), disableTls: true }) }
const notify = createNotify({ oauth, channels: { mail }, events: realtime })
const ui = createAuthUi({ oauth, mailer: notify.mailer, events: realtime })
oauth.useSessions(ui.sessions)

/** What the handler answers. */
export const routes = [
  ui.routes(),
  oauth.routes({ pages: ui.pages }),
  realtime.routes(),
  notify.routes({ pages: ui.notices }),
]
/** What a client must be allowed to read the recipes of this server. */
export const RECIPES = { verb: 'GET', type: 'io.example.recipes' } as const

interface Framework {
  /** What of it ends once nothing comes in any more. */
  readonly stop?: () => unknown
  /** Gets the upgrades that nobody here takes. */
  readonly next?: UpgradeListener
}

/** A websocket of this server's own: it says back what it hears. */
const echo = new WebSocketServer({ noServer: true, maxPayload: 1000 })
echo.on('connection', (socket) => {
  socket.on('message', (text) => socket.send(String(text)))
  socket.on('error', () => socket.terminate())
})

/** Serves, and prints what to do next. */
export async function serve(server: Server, { stop, next }: Framework = {}): Promise<void> {
  limitConnections(server)
  realtime.attach(server, {
    next: (request, socket, head) => {
      if (request.url === '/echo') {
        echo.handleUpgrade(request, socket, head, (one) => echo.emit('connection', one))
      } else if (next === undefined) socket.destroy()
      else next(request, socket, head)
    },
  })
  await Promise.all([oauth.start(), ui.start(), notify.start()])
  await once(server.listen(Number(PORT), '127.0.0.1'), 'listening')
  process.once('SIGTERM', () => void close(server, stop))
  const known = await oauth.instances.byHost(DOMAIN)
  if (known !== undefined) return void process.stdout.write(`${await ui.describe(known)}\n`)
  const made = await ui.owners.createInstance({ domain: DOMAIN, email: 'alice@example.com' })
  process.stdout.write(`Open ${made.onboardingUrl}
It works once: choose a passphrase there, and you are on the home page.\n`)
}

/** In this order: nothing new comes in, sockets end, what was begun is finished, the store is last. */
async function close(server: Server, stop?: () => unknown): Promise<void> {
  const ended = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  for (const socket of echo.clients) socket.terminate()
  await Promise.all([ended, realtime.close()])
  await stop?.()
  await notify.close()
  await ui.close()
  await oauth.close()
  await store.close()
}
