import { randomBytes } from 'node:crypto'
import http from 'node:http'
import type { Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { afterTest, type FakeClock, fakeClock, listen, recordStatuses } from '@svc/testkit'
import { expect } from 'chai'
import Koa, { type Context } from 'koa'
import {
  type AppManifest,
  type AppRegistry,
  type AssistantView,
  type AuthorizePages,
  createOAuth,
  type OAuth,
  OAuthError,
  type OAuthOptions,
  type OwnerSession,
  type OwnerSessions,
} from '../src/index.ts'
import { type Instance, type NewInstance } from '@svc/platform'
import { clientSteps } from './client-steps.ts'

/** A request, its target byte for byte. */
export interface Send {
  /** @defaultValue `alice.example.com` */
  readonly host?: string
  readonly headers?: http.OutgoingHttpHeaders
  /** Sent as JSON with `Content-Type: application/json`. */
  readonly json?: unknown
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  /** The JSON body; `{}` when there is none. */
  readonly body: Record<string, unknown>
}

export type SendRequest = (method: string, target: string, request?: Send) => Promise<Answer>

/** What a registration answered. */
export interface Registered {
  readonly id: string
  readonly secret: string
  /** The registration access token. */
  readonly token: string
  readonly body: Record<string, unknown>
}

export type OAuthServer = Awaited<ReturnType<typeof oauthServer>>

export const HOST = 'alice.example.com'

export const METADATA = {
  redirect_uris: ['https://client.example/callback'],
  client_name: 'Client',
  software_id: 'github.com/example/client',
} as const

/** The session every request with `Cookie: session=owner` has. */
export const SESSION: OwnerSession = { id: 'owner', kind: 'normal', createdAt: 0 }

export function testApp(slug: string, fields: Partial<AppManifest> = {}): AppManifest {
  return { slug, name: slug, permissions: {}, routes: {}, ...fields }
}

/** The whole package on a real server, with stand-ins for pages and sessions. */
export async function oauthServer(
  options: Partial<OAuthOptions> & {
    readonly newInstance?: Partial<NewInstance>
    /** Left out: a store in memory of its own. */
    readonly openStore?: (clock: FakeClock) => Promise<Store>
    readonly clock?: FakeClock
    readonly start?: boolean
    readonly mayCrash?: boolean
    /** Instances exist already. */
    readonly isSecondProcess?: boolean
    readonly mount?: (app: Koa, oauth: OAuth) => void
    /** Left out: `Cookie: session=owner` is one. `null`: nobody says, and there are no routes. */
    readonly sessions?: OwnerSessions | null
    /** Closed by its caller; else after the test. */
    readonly isKept?: boolean
    /** Instead of single stand-ins. */
    readonly pages?: Partial<AuthorizePages>
  } = {},
) {
  const { newInstance, openStore, start, mayCrash, isSecondProcess, mount, isKept, ...rest } =
    options
  const { pages, sessions, ...given } = rest
  const clock = given.clock ?? fakeClock()
  const store =
    (await openStore?.(clock)) ?? given.store ?? sqliteStore({ file: ':memory:', clock })
  const isOwnStore = openStore === undefined && given.store === undefined
  const apps = new Map(['home', 'settings'].map((slug) => [slug, testApp(slug)]))
  const logged: string[] = []
  const write = (level: string) => (event: string, fields?: unknown) => {
    logged.push(`${level} ${event} ${JSON.stringify(fields)}`)
  }
  const oauth = createOAuth({
    apps: registryOf(apps),
    keys: [{ kid: 'test', key: randomBytes(32) }],
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    ...given,
    store,
    clock,
  })
  const owner: OwnerSessions = {
    current: async ({ headers }) => (headers.cookie === 'session=owner' ? SESSION : undefined),
  }
  if (sessions !== null) oauth.useSessions(sessions ?? owner)
  const events: { name: string; event: unknown }[] = []
  for (const name of [
    'client.certified',
    'client.created',
    'client.deleted',
    'client.updated',
  ] as const) {
    oauth.on(name, (event) => events.push({ name, event }))
  }
  const mailedCodes: string[] = []
  const shown: AssistantView[] = []
  const statuses = recordStatuses()
  const app = new Koa()
  app.silent = true
  app.use(statuses.middleware as Koa.Middleware)
  app.use(oauth.resolveInstance())
  if (sessions !== null)
    app.use(oauth.routes({ pages: { ...testPages(mailedCodes, shown), ...pages } }))
  mount?.(app, oauth)
  const listening = await listen(app)
  const domain = newInstance?.domain ?? HOST
  const instance =
    isSecondProcess === true
      ? ((await oauth.instances.byHost(domain)) as Instance) // Made by the first process.
      : await oauth.instances.create({ ...newInstance, domain })
  if (start === true) await oauth.start()

  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await listening.close()
    await oauth.close()
    if (isOwnStore) await store.close()
  }
  const send = sendTo(listening.port)
  const self = {
    ...clientSteps(send),
    oauth,
    store,
    clock,
    /** alice.example.com */
    instance,
    logged,
    events,
    /** Codes that certify clients, as they were to be mailed. */
    mailedCodes,
    /** What the pages of assistants were to show. */
    shown,
    statuses,
    port: listening.port,
    /** Apps that are installed and available, by slug. */
    apps,
    send,
    /** POST /auth/register with what is mandatory, and more. @throws when it is not answered 201 */
    async register(
      metadata: Readonly<Record<string, unknown>> = {},
      host: string = HOST,
    ): Promise<Registered> {
      const json = { ...METADATA, ...metadata }
      const answer = await send('POST', '/auth/register', { host, json })
      if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
      const { client_id: id, client_secret: secret, registration_access_token: token } = answer.body
      return { id: String(id), secret: String(secret), token: String(token), body: answer.body }
    },
    /** Headers of the registration access token. */
    bearer: (token: string) => ({ authorization: `Bearer ${token}` }),
    /** Headers of a logged-in owner's app: its cookie and a fresh app token. */
    async appHeaders(slug: string) {
      const manifest = apps.get(slug) ?? testApp(slug)
      const token = await oauth.appTokens.issue(instance, manifest, SESSION.id)
      return { cookie: 'session=owner', authorization: `Bearer ${token}` }
    },
    close: (): Promise<void> => (closing ??= close()),
  }
  if (isKept === true) return self
  afterTest(async () => {
    await self.close()
    expect(statuses.undeclared()).to.deep.equal([])
    if (mayCrash !== true)
      expect(logged.filter((line) => line.startsWith('error'))).to.deep.equal([])
  })
  return self
}

function registryOf(apps: ReadonlyMap<string, AppManifest>): AppRegistry {
  return {
    installed: async (_instance, slug) => apps.get(slug),
    available: async (_instance, slug) => apps.get(slug),
    listInstalled: async () => [...apps.values()],
  }
}

/** Pages as short as can be. */
export const testPages = (mailedCodes: string[], shown: AssistantView[] = []): AuthorizePages => ({
  async certify(ctx, { token = '', code }) {
    if (code !== undefined) mailedCodes.push(code)
    ctx.type = 'html'
    ctx.body = `<input name="token" value="${token}">`
  },
  async consent(ctx, view) {
    ctx.type = 'html'
    ctx.body = `<p>consent ${view.client.id}`
  },
  async assistant(ctx, view) {
    shown.push(view)
    ctx.type = 'html'
    ctx.body = `<p>assistant ${view.client.id}`
  },
  async login(ctx: Context) {
    ctx.status = 302
    ctx.set('Location', '/auth/login')
    ctx.body = ''
  },
  async limit(ctx, { count, limit }) {
    ctx.type = 'html'
    ctx.body = `<p>limit ${count} of ${limit}`
  },
  async sharing(ctx, { sharer }) {
    ctx.type = 'html'
    ctx.body = `<p>sharing of ${sharer.domain}`
  },
  async deprecated(ctx, { storeUrl }) {
    ctx.type = 'html'
    ctx.body = `<p>deprecated ${storeUrl}`
  },
  async outOfBand(ctx, { code }) {
    ctx.type = 'html'
    ctx.body = `<title>Success code=${code}</title>`
  },
  async error(ctx, error, client) {
    ctx.type = 'html'
    ctx.body = `<p>${error.expose ? (error.description ?? error.code) : error.code}`
    if (client !== undefined) ctx.set('X-Test-Client', `${client.host} ${client.href}`)
  },
  checkCsrf(ctx) {
    if (ctx.get('X-Test-Csrf') !== '') throw new OAuthError('cross_origin')
  },
})

/** Sends to the server of a port. */
export const sendTo =
  (port: number): SendRequest =>
  (method, target, request = {}) =>
    exchange(port, method, target, request)

function exchange(port: number, method: string, path: string, send: Send): Promise<Answer> {
  const { host = HOST, headers = {}, json, form, body } = send
  const content =
    json === undefined
      ? form === undefined
        ? { body, headers: {} }
        : {
            body: new URLSearchParams(form).toString(),
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
          }
      : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: false,
        headers: { host, ...lengthOf(content.body), ...content.headers, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', reject)
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: parse(text),
          })
        })
      },
    )
    request.once('error', reject)
    request.end(content.body)
  })
}

/** Node frames the body of a DELETE only when it is told its length. */
function lengthOf(body: string | Buffer | undefined): http.OutgoingHttpHeaders {
  return body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
