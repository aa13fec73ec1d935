import { createAuthUi } from '@svc/auth-ui'
import { createConnectors } from '@svc/connectors'
import { createNotify, smtpTransport, verifySmtp } from '@svc/notify'
import { createOAuth, sealingKeys } from '@svc/oauth-core'
import { createRealtime } from '@svc/realtime'
import { sqliteStore } from '@svc/store/sqlite'
import Koa from 'koa'

const { NODE_ENV, PORT = '8080', SMTP_PORT = '25' } = process.env
const { DOMAIN = `alice.localhost:${PORT}` } = process.env
const file = process.argv.includes('--memory') ? ':memory:' : 'data/store.db'
const store = sqliteStore({ file })
const keys = sealingKeys({ file: 'data/keys', create: NODE_ENV !== 'production' })
const oauth = createOAuth({ store, keys })
const relay = { port: Number(SMTP_PORT), disableTls: true }
const mail = { transport: smtpTransport(relay) }
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
app.use((ctx) => { ctx.body = { files: [`notes of ${ctx['state'].instance.domain}`] } })

await Promise.all([oauth.start(), ui.start(), notify.start(), connectors.start()])
const server = app.listen(Number(PORT), '127.0.0.1')
server.on('error', ({ message }) => { throw new Error(`${message}; choose another: PORT=8081`) })
realtime.attach(server)
await verifySmtp(relay).catch(() => console.warn(`Mails wait: no server on port ${SMTP_PORT}; set SMTP_PORT`))
const owner = { domain: DOMAIN, email: 'alice@example.com' }
const known = await oauth.instances.byHost(DOMAIN)
console.log(await ui.describe(known ?? (await ui.owners.createInstance(owner)).instance))
