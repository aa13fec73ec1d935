import { createHash, randomBytes } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Activity, createActivity } from '@svc/activity'
import { type AuthorizePages, createOAuth, type OAuth } from '@svc/oauth-core'
import type { Store } from '@svc/store'
import Koa from 'koa'
import { answerRoute, routeMessages } from './bare-node.ts'
import {
  type BenchClient,
  type BenchServer,
  CLIENTS,
  exchangeForm,
  mintAll,
  notServed,
  PENDING,
  REDIRECT_URI,
  refreshForm,
  SCOPE,
  toRegistration,
  toTokenMessage,
  VERIFIER,
} from './bench-server.ts'

const HOST = 'alice.example.com'
const FORM = 'application/x-www-form-urlencoded'

export interface OursOptions {
  /** With the record of activity. */
  readonly isNoted?: boolean
  /** Behind its handler, which stands in front of a listener of Node, instead of in Koa. */
  readonly isMounted?: boolean
}

/** The package as a server embeds it, with an owner who is always logged in and allows everything. */
export async function startOurs(
  store: Store,
  { isNoted = false, isMounted = false }: OursOptions = {},
): Promise<BenchServer> {
  const pages: AuthorizePages = {
    checkCsrf: () => {},
    consent: async () => {},
    error: async (ctx, error) => {
      ctx.body = error.message
    },
    login: async () => {},
    certify: async () => {},
    deprecated: async () => {},
    limit: async () => {},
    sharing: async () => {},
    outOfBand: async () => {},
  }
  const oauth = createOAuth({
    store,
    keys: [{ kid: 'bench', key: randomBytes(32) }],
    apps: {
      available: async () => undefined,
      installed: async () => undefined,
      listInstalled: async () => [],
    },
    log: { info: () => {}, warn: () => {}, error: complain },
    limits: { 'oauth-client': { limit: 1_000_000, windowMs: 3_600_000 } },
  })
  oauth.useSessions({ current: async () => ({ id: 'bench', kind: 'normal', createdAt: 0 }) })
  const instance = await oauth.instances.create({ domain: HOST })
  const activity = isNoted ? await startRecord(oauth) : undefined
  const routes = oauth.routes({ pages })
  const app = new Koa()
  app.use(oauth.resolveInstance())
  app.use(routes)
  const listener = isMounted
    ? oauth.handler({ routes: [routes], next: answerRoute })
    : app.callback()
  const server = http.createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // A TCP server's address is an object.

  const send = (path: string, type: string, body: string) => post(port, path, type, body)
  const clients: BenchClient[] = []
  let made = 0

  async function register(): Promise<BenchClient> {
    const answer = await send(
      '/auth/register',
      'application/json',
      JSON.stringify({
        redirect_uris: [REDIRECT_URI],
        client_name: `Bench ${clients.length}`,
        software_id: 'github.com/example/bench',
      }),
    )
    const record = JSON.parse(answer.body) as { client_id: string; client_secret: string }
    return { id: record.client_id, secret: record.client_secret }
  }

  async function codeOf(client: BenchClient): Promise<string> {
    const form = new URLSearchParams({
      client_id: client.id,
      state: 'bench',
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: SCOPE,
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const answer = await send('/auth/authorize', FORM, form.toString())
    const code = new URL(answer.location).searchParams.get('code')
    if (code === null) throw new Error(`no code: ${answer.location}`)
    return code
  }

  /** On new instances, as no instance takes many that nobody allows. */
  async function registrations(count: number): Promise<readonly string[]> {
    const first = made
    made += Math.ceil(count / PENDING)
    for (let place = first; place < made; place += 1) {
      await oauth.instances.create({ domain: `i${place}.example.com` })
    }
    const needed = made - first
    return Array.from({ length: count }, (_, i) =>
      toRegistration(`i${first + (i % needed)}.example.com`),
    )
  }

  return {
    port,
    async prepare(job, count) {
      if (job === 'registration') return registrations(count)
      if (job === 'route' && isMounted) return routeMessages(HOST, count)
      if (job !== 'exchange' && job !== 'refresh') throw notServed(job)
      while (clients.length < CLIENTS) clients.push(await register())
      const bodies = await mintAll(count, async (i) => {
        const client = clients[i % CLIENTS] as BenchClient // The remainder is an index.
        const exchange = exchangeForm(client, await codeOf(client))
        if (job === 'exchange') return toTokenMessage(HOST, exchange)
        const { body } = await send('/auth/access_token', FORM, exchange)
        const tokens = JSON.parse(body) as { refresh_token: string } // What the endpoint answers.
        return toTokenMessage(HOST, refreshForm(client, tokens.refresh_token))
      })
      // What was noted to get here is no part of what is measured.
      await activity?.chain(instance)
      return bodies
    },
  }
}

async function startRecord(platform: OAuth): Promise<Activity> {
  const activity = createActivity({
    platform,
    owners: {
      requireSettingsApp: async () => {},
      isConfirmed: async () => false,
      rightsInWords: async () => [],
      kindInWords: () => '',
    },
  })
  await activity.start()
  return activity
}

function complain(event: string, fields?: Readonly<Record<string, unknown>>): void {
  process.stderr.write(`${event} ${JSON.stringify(fields)}\n`)
}

const agent = new http.Agent({ keepAlive: true })

function post(
  port: number,
  path: string,
  type: string,
  body: string,
): Promise<{ body: string; location: string }> {
  return new Promise((resolve, reject) => {
    const headers = { Host: HOST, 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }
    const request = http.request({ port, path, method: 'POST', headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if ((response.statusCode ?? 500) >= 400) reject(new Error(`${path}: ${text}`))
        else resolve({ body: text, location: response.headers.location ?? '' })
      })
    })
    request.once('error', reject)
    request.end(body)
  })
}
