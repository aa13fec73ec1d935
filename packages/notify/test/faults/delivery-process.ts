/*
 * Accepts notifications of an instance and delivers whatever is due, until it is killed. Arguments: the store (a Redis
 * URL, or the path of a SQLite file), the port of an SMTP server. Begins when it gets a message: how many to accept.
 * Says `ready`, then `accepted <id>` for each that it must not lose.
 */
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { scaledLimit, until } from '@svc/testkit'
import { createOAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { createNotify, smtpTransport } from '../../src/index.ts'
import { openStore } from './left-over.ts'

const [place = '', port = ''] = process.argv.slice(2)
const DOMAIN = 'alice.example.com'
/** Posts come in bursts, so that a kill finds some under way. */
const BURST = 5
const PAUSE_MS = 80

// What compiled so far helps the next one: this one gets no chance to save it at its end.
flushCompileCache()
const [count] = (await once(process, 'message')) as [number] // Sent by the test.
const store = await openStore(place)
const log = { info() {}, warn() {}, error: console.error }
const oauth = createOAuth({
  store,
  log,
  keys: [{ kid: 'test', key: Buffer.alloc(32, 7) }],
  apps: {
    installed: async () => undefined,
    listInstalled: async () => [],
    available: async () => undefined,
  },
})
const notify = createNotify({
  oauth,
  channels: {
    mail: {
      transport: smtpTransport({ host: '127.0.0.1', port: Number(port), disableTls: true }),
    },
  },
  // Long enough that the same notification is not under way at three of the kills: that would be poison.
  lifetimes: { lease: scaledLimit(12_000) },
  limits: { 'notify-mail': { limit: 100_000, windowMs: 3_600_000 } },
})
// Who comes second may do so while the first one is still making it.
const instance = (await findInstance()) ?? (await createInstance()) ?? (await until(findInstance))
await notify.start()
console.log('ready')
for (let posted = 0; posted < count; posted += BURST) {
  const posts = Array.from({ length: Math.min(BURST, count - posted) }, async () => {
    const { id } = await notify.post(instance, {
      originator: 'cli',
      category: 'kill',
      declaration: {},
      title: 'Still there',
    })
    console.log(`accepted ${id}`)
  })
  await Promise.all(posts)
  await sleep(PAUSE_MS)
}
// Due times alone keep no process alive.
setInterval(() => {}, 60_000)

function findInstance(): Promise<Instance | undefined> {
  return oauth.instances.byHost(DOMAIN)
}

/** Undefined when the other process was faster. */
async function createInstance(): Promise<Instance | undefined> {
  try {
    return await oauth.instances.create({ domain: DOMAIN, email: 'alice@mail.example' })
  } catch {
    return undefined
  }
}
