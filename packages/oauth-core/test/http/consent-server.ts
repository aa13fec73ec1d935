import { createHash } from 'node:crypto'
import type { Store } from '@svc/store'
import {
  type BrowserClient,
  browserClient,
  type BrowserResponse,
  type FakeClock,
  listen,
  type RelyingParty,
  relyingParty,
} from '@svc/testkit'
import Koa from 'koa'
import type { DeprecatedApp } from '../../src/authorize/deprecated-apps.ts'
import type { Sharings } from '../../src/authorize/sharings.ts'
import { createOAuth, insufficientScope } from '../../src/index.ts'
import type { Instance, RouteContext } from '@svc/platform'
import type { OAuth } from '../../src/oauth.ts'
import type { AppManifest } from '../../src/ports.ts'
import type { ScopePolicy } from '../../src/consent-ports.ts'
import { type FakePages, fakePages } from './fake-pages.ts'

export const REDIRECT_URI = 'https://client.example/callback?kept=%20as+is'
export const VERIFIER = 'v'.repeat(43)
export const CHALLENGE: string = createHash('sha256').update(VERIFIER).digest('base64url')

/** Apps that exist in the registry of the test; those installed are the server's to change. */
export const DRIVE: AppManifest = {
  slug: 'drive',
  name: 'Drive',
  permissions: { files: { type: 'io.svc.files' }, apps: { type: 'io.svc.apps' } },
  routes: {},
}

export interface ConsentServer {
  readonly oauth: OAuth
  readonly alice: Instance
  readonly bob: Instance
  readonly pages: FakePages
  readonly installed: Map<string, AppManifest>
  readonly available: Map<string, AppManifest>
  readonly events: { readonly name: string; readonly event: Readonly<Record<string, unknown>> }[]
  readonly logged: string[]
  readonly port: number
  /** A browser on an instance's host; logged in unless told otherwise. */
  browser(options?: { readonly loggedIn?: boolean; readonly instance?: Instance }): BrowserClient
  /** A registered outside client. */
  client(metadata?: Readonly<Record<string, unknown>>): Promise<RelyingParty>
  /** Calls a resource of the embedding server. */
  call(path: string, options?: CallOptions): Promise<BrowserResponse>
  close(): Promise<void>
}

export interface CallOptions {
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly instance?: Instance
  readonly session?: string
  readonly json?: unknown
}

export interface ConsentServerOptions {
  readonly store: Store
  readonly clock: FakeClock
  /** Another process of the same host: its instances, keys and sessions. */
  readonly sameAs?: ConsentServer
  readonly requirePkce?: boolean
  readonly consent?: { readonly choose?: boolean }
  readonly deprecatedApps?: readonly DeprecatedApp[]
  readonly sharings?: Sharings
  readonly scopePolicy?: ScopePolicy
  /** Installs what is available. @defaultValue nothing does */
  readonly install?: (slug: string) => Promise<unknown>
  readonly withSessions?: boolean
}

const KEY = Buffer.alloc(32, 7)

/** The whole package on a real server, with stand-ins for pages, sessions and apps. */
export async function startConsentServer(options: ConsentServerOptions): Promise<ConsentServer> {
  const { store, clock, sameAs, install } = options
  const pages = sameAs?.pages ?? fakePages()
  const installed = sameAs?.installed ?? new Map<string, AppManifest>()
  const available = sameAs?.available ?? new Map([['drive', DRIVE]])
  const logged: string[] = []
  const write = (level: string) => (event: string, fields?: unknown) => {
    logged.push(`${level} ${event} ${JSON.stringify(fields)}`)
  }
  const oauth = createOAuth({
    store,
    clock,
    keys: [{ kid: 'test', key: KEY }],
    apps: {
      installed: async (_, slug) => installed.get(slug),
      listInstalled: async () => [...installed.values()],
      available: async (_, slug) => available.get(slug),
      ...(install && { install: (_: Instance, slug: string) => install(slug) }),
    },
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    ...(options.deprecatedApps && { deprecatedApps: options.deprecatedApps }),
    ...(options.sharings && { sharings: options.sharings }),
    ...(options.scopePolicy && { scopePolicy: options.scopePolicy }),
    ...(options.consent === undefined ? {} : { consent: options.consent }),
    ...(options.requirePkce === undefined ? {} : { requirePkce: options.requirePkce }),
  })
  const events: ConsentServer['events'] = []
  for (const name of ['code.created', 'client.updated', 'clients.limit.exceeded'] as const) {
    oauth.on(name, (event) => events.push({ name, event: { ...event } }))
  }
  const alice = sameAs?.alice ?? (await oauth.instances.create({ domain: 'alice.example.com' }))
  const bob = sameAs?.bob ?? (await oauth.instances.create({ domain: 'bob.example.com' }))

  const app = new Koa()
  app.silent = true
  app.use(oauth.resolveInstance())
  if (options.withSessions !== false) {
    oauth.useSessions(pages.sessions)
    app.use(oauth.routes({ pages }))
  }
  serveResources(app, oauth)
  const server = await listen(app)
  const map = { port: server.port }

  const self: ConsentServer = {
    oauth,
    alice,
    bob,
    pages,
    installed,
    available,
    events,
    logged,
    port: server.port,
    browser({ loggedIn = true, instance = alice } = {}) {
      const browser = browserClient({ ...map, base: instance.origin })
      if (!loggedIn) return browser
      const id = `session-${pages.live.size}`
      pages.live.add(id)
      browser.plantCookie(`session=${id}; Path=/`)
      return browser
    },
    async client(metadata = {}) {
      const party = relyingParty({ ...map, issuer: alice.origin, redirectUri: REDIRECT_URI })
      await party.register(metadata)
      return party
    },
    call(path, { method = 'GET', token, headers = {}, instance = alice, session, json } = {}) {
      const browser = browserClient({ ...map, base: instance.origin })
      return browser.request(method, path, {
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(session === undefined ? {} : { cookie: `session=${session}` }),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
    },
    async close() {
      await server.close()
      await oauth.close()
    },
  }
  return self
}

/** Routes of an embedding server, in plain Koa. */
function serveResources(app: Koa, oauth: OAuth): void {
  const guards = {
    'GET /files': oauth.guard({ verb: 'GET', type: 'io.svc.files' }),
    'HEAD /files': oauth.guard({ verb: 'GET', type: 'io.svc.files' }),
    'POST /files': oauth.guard({ verb: 'POST', type: 'io.svc.files' }),
    'POST /apps': oauth.guard({ verb: 'POST', type: 'io.svc.apps' }),
  }
  app.use(async (ctx, next) => {
    const guard = Object.hasOwn(guards, `${ctx.method} ${ctx.path}`)
      ? guards[`${ctx.method} ${ctx.path}` as keyof typeof guards]
      : undefined
    if (guard === undefined) return next()
    await guard(ctx, async () => {
      const { access } = (ctx as unknown as RouteContext).state
      const { kind, owner } = access ?? {}
      ctx.body = { kind, owner }
    })
  })
  app.use(
    oauth.mount([
      {
        method: 'GET',
        path: '/files/:id',
        async handler(ctx) {
          await oauth.authenticate(ctx)
          const document = { id: String(ctx['params'].id) }
          if (ctx.state.access?.allows('GET', 'io.svc.files', document) !== true)
            throw insufficientScope()
          ctx.body = document
        },
        auth: ['access token'],
        statuses: [200, 401, 403],
        family: 'json',
        summary: 'One file.',
        source: 'test',
      },
    ]),
  )
}

/** Parameters of a good request. */
export function authorizeParameters(
  party: RelyingParty,
  changes: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const parameters = {
    client_id: party.client.client_id,
    redirect_uri: party.redirectUri,
    response_type: 'code',
    state: 'the state',
    scope: 'io.svc.files:GET io.svc.contacts',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...changes,
  }
  return Object.fromEntries(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

export function authorizeUrl(parameters: Readonly<Record<string, string>>): string {
  return `/auth/authorize?${new URLSearchParams(parameters).toString()}`
}

/** Consent by a logged-in owner: the token answer of the exchanged code. */
export async function allow(
  server: ConsentServer,
  party: RelyingParty,
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<{ access_token: string; refresh_token?: string; scope?: string }> {
  const parameters = authorizeParameters(party, changes)
  const browser = server.browser()
  const page = await browser.get(authorizeUrl(parameters))
  const answer = await browser.submit(page.page().form('/auth/authorize'), {}, 'Allow')
  if (answer.location === undefined) throw new Error(`no redirect: ${answer.status} ${answer.text}`)
  const pkce = parameters['code_challenge'] !== undefined
  const pending = {
    url: '',
    state: parameters['state'] ?? '',
    codeVerifier: pkce ? VERIFIER : '',
  }
  return party.exchange(answer.location, pending)
}
