import { randomBytes } from 'node:crypto'
import type { SessionId } from '@svc/auth-ui'
import type { Instance } from '@svc/platform'
import { systemClock } from '@svc/store'
import { DEFAULT_LIFETIMES } from '../../../packages/auth-ui/src/lifetimes.ts'
import { loginChanges } from '../../../packages/auth-ui/src/session/login-history.ts'
import { loadConfig } from '../src/config/config.ts'
import { createInstance } from '../src/create-instance.ts'
import { startHost } from '../src/host.ts'
import { SILENT } from './scale/silent-log.ts'
import { send } from './servers/ask.ts'

/** What the instances are given more of: onboarded instances themselves, or one of these for each of them. */
export type Made = 'instance' | 'client' | 'session' | 'login' | 'notification'

/** Answers `true` when everything is stored, and finished where it is to be finished. */
export interface ScaleRequest {
  /** `rest`: nothing is made, but wake-ups of the instances are waited for. */
  readonly ask: Made | 'rest'
  readonly hosts: readonly string[]
}

/** Under way at a time. */
const PARALLEL = 64
const UNLIMITED = '1000000000'
const NOTIFICATION_MS = 300_000

// The host in a process of its own: `scale-server.ts <folder> <store> <key> <url of an SMTP server>`.
const [dataDir = '', place = '', key = '', smtpUrl = ''] = process.argv.slice(2)
const host = await startHost({
  config: loadConfig({
    SVC_ADMIN_PORT: '0',
    SVC_DATA_DIR: dataDir,
    SVC_DEMO: 'off',
    SVC_DRAIN: '0s',
    SVC_KEYS: key,
    SVC_LIMITS_OAUTH_CLIENT: UNLIMITED,
    SVC_LIMITS_REQUESTS_PER_MINUTE: '0',
    SVC_MAIL_FROM: 'server@mail.example',
    SVC_PORT: '0',
    SVC_SMTP_URL: `${smtpUrl}?tls=off`,
    SVC_STORE: place,
    SVC_TRUST_PROXY: '1',
  }),
  log: SILENT,
  notice: () => {},
})
const { app, store } = host
// The link of the onboarding is not mailed: the owners have a passphrase at once.
const mailer = { ...app.notify.mailer, send: async () => {} }
const quiet = { ...app, notify: { ...app.notify, mailer } }

process.on('message', (request: ScaleRequest) => {
  answer(request).then(
    (value) => process.send?.(value),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.once('disconnect', () => void host.stop().then(() => process.exit()))
process.send?.({ port: host.port })

async function answer({ ask, hosts }: ScaleRequest): Promise<true> {
  if (ask !== 'rest') await make(ask, hosts)
  else for (const domain of hosts) await untilRest(domain)
  return true
}

async function make(ask: Made, hosts: readonly string[]): Promise<void> {
  const waiting = [...hosts].reverse()
  async function worker(): Promise<void> {
    for (let domain = waiting.pop(); domain !== undefined; domain = waiting.pop()) {
      if (ask === 'instance') await makeInstance(domain)
      else await MAKERS[ask](await instanceOf(domain))
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  if (ask === 'notification') await untilDelivered()
}

const MAKERS: Readonly<Record<Exclude<Made, 'instance'>, (of: Instance) => Promise<unknown>>> = {
  client: makeClient,
  session: (instance) => app.ui.owners.createSession(instance, { kind: 'long' }),
  login: makeLogin,
  notification: (instance) =>
    app.notify.post(instance, {
      originator: 'cli',
      category: 'operator',
      title: 'Down from 22:00 to 23:00',
      message: 'The server gets more memory. Nothing that you have stored is touched by it.',
    }),
}

async function makeInstance(domain: string): Promise<void> {
  const { instance } = await createInstance(quiet, {
    domain,
    email: 'owner@mail.example',
    publicName: 'Alice Martin',
  })
  // What a real one has, of a passphrase that nobody knows.
  await app.ui.owners.importPassphrase(instance, {
    over: 'login-value',
    hash: `scrypt$32768$8$3$${'0'.repeat(64)}$${'0'.repeat(128)}`,
    salt: 'me@alice',
    iterations: 650_000,
  })
}

/** Registered, allowed, with tokens; what reminds of a pending client has done so. */
async function makeClient(instance: Instance): Promise<void> {
  const answer = await send(host.port, instance.domain, 'POST', '/auth/register', {
    headers: { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' },
    json: {
      redirect_uris: ['https://notes.example/callback'],
      client_name: `Notes ${randomBytes(2).toString('hex')}`,
      client_uri: 'https://notes.example',
      software_id: 'github.com/example/notes',
      software_version: '1.0.0',
    },
  })
  const { client_id: id } = JSON.parse(answer.body) as { readonly client_id: string } // RFC 7591
  await app.oauth.clients.issueTokens(instance, id, 'io.svc.notes io.svc.contacts:GET')
  await store.scheduler.cancel('oauth-clients', `${instance.id}:${id}`)
}

async function makeLogin(instance: Instance): Promise<void> {
  const changes = loginChanges({ clock: systemClock, lifetimes: DEFAULT_LIFETIMES }, instance, {
    sessionId: randomBytes(16).toString('hex') as SessionId,
    method: 'password',
    ip: '192.0.2.1',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    os: 'Linux',
    browser: 'Firefox',
    city: 'Paris',
    country: 'FR',
    clientRegistration: false,
    createdAt: systemClock.now(),
  })
  await store.write([...changes])
}

async function instanceOf(domain: string): Promise<Instance> {
  const instance = await app.oauth.instances.byHost(domain)
  if (instance === undefined) throw new Error(`nobody created ${domain}`)
  return instance
}

/** Each write of a notification leaves a wake-up for the case that its process dies: they come some seconds later. */
async function untilRest(domain: string): Promise<void> {
  const { id } = await instanceOf(domain)
  const selection = { instance: id, records: false, queues: ['notifications'] }
  const deadline = performance.now() + NOTIFICATION_MS
  for (;;) {
    const next = await store.dump(selection)[Symbol.asyncIterator]().next()
    if (next.done === true) return
    if (performance.now() > deadline) throw new Error(`wake-ups of ${domain} still wait`)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** A notification that waits is larger than one that is kept. */
async function untilDelivered(): Promise<void> {
  const deadline = performance.now() + NOTIFICATION_MS
  for (;;) {
    const { accepted, finished } = app.notify.figures()
    const waiting = accepted - Object.values(finished).reduce((sum, count) => sum + count, 0)
    if (waiting === 0) return
    if (performance.now() > deadline) throw new Error(`${waiting} notifications still wait`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
