import {
  type BrowserClient,
  browserClient,
  type BrowserResponse,
  type FakeClock,
  type RelyingParty,
  relyingParty,
} from '@svc/testkit'
import type { Store } from '@svc/store'
import type Koa from 'koa'
import { insufficientScope } from '../../src/index.ts'
import type { Instance } from '@svc/platform'
import type { OAuth } from '../../src/oauth.ts'
import type { AppManifest } from '../../src/ports.ts'
import { CHALLENGE, VERIFIER } from '../client-steps.ts'
import { guardedRoutes } from '../guarded-routes.ts'
import { oauthServer } from '../oauth-server.ts'
import { type FakePages, fakePages } from './fake-pages.ts'

export const REDIRECT_URI = 'https://client.example/callback?kept=%20as+is'

/** Apps that exist in the registry of the test; those installed are the server's to change. */
export const DRIVE: AppManifest = {
  slug: 'drive',
  name: 'Drive',
  permissions: { files: { type: 'io.svc.files' }, apps: { type: 'io.svc.apps' } },
  routes: {},
}

export type ConsentServer = Awaited<ReturnType<typeof startConsentServer>>

/** What processes of one host share. */
interface Shared {
  readonly store: Store
  readonly clock: FakeClock
  readonly pages: FakePages
  readonly installed: Map<string, AppManifest>
  readonly available: Map<string, AppManifest>
}

interface CallOptions {
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly instance?: Instance
  readonly session?: string
  readonly json?: unknown
}

type Options = NonNullable<Parameters<typeof oauthServer>[0]> & {
  /** Another process of the same host: its instances, keys and sessions. */
  readonly sameAs?: Shared
  /** Installs what is available. @defaultValue nothing does */
  readonly install?: (slug: string) => Promise<unknown>
}

const KEY = Buffer.alloc(32, 7)

/** The whole package on a real server, with pages that browsers answer; two instances. */
export async function startConsentServer({ sameAs, install, ...options }: Options) {
  const pages = sameAs?.pages ?? fakePages()
  const installed = sameAs?.installed ?? new Map<string, AppManifest>()
  const available = sameAs?.available ?? new Map([['drive', DRIVE]])
  const server = await oauthServer({
    keys: [{ kid: 'test', key: KEY }],
    apps: {
      installed: async (_, slug) => installed.get(slug),
      listInstalled: async () => [...installed.values()],
      available: async (_, slug) => available.get(slug),
      ...(install && { install: (_: Instance, slug: string) => install(slug) }),
    },
    mayCrash: true,
    sessions: pages.sessions,
    ...(sameAs && { store: sameAs.store, clock: sameAs.clock }),
    ...options,
    pages,
    mount: serveResources,
    isSecondProcess: sameAs !== undefined,
  })
  const { oauth, instance: alice, port } = server
  const events: { readonly name: string; readonly event: Readonly<Record<string, unknown>> }[] = []
  for (const name of ['code.created', 'client.updated', 'clients.limit.exceeded'] as const) {
    oauth.on(name, (event) => events.push({ name, event: { ...event } }))
  }
  /** A browser on an instance's host; logged in unless told otherwise. */
  function browser({ loggedIn = true, instance = alice } = {}): BrowserClient {
    const made = browserClient({ port, base: instance.origin })
    if (!loggedIn) return made
    const id = `session-${pages.live.size}`
    pages.live.add(id)
    made.plantCookie(`session=${id}; Path=/`)
    return made
  }
  const domain = 'bob.example.com'
  const bob = (await oauth.instances.byHost(domain)) ?? (await oauth.instances.create({ domain }))
  return {
    ...server,
    alice,
    bob,
    pages,
    /** Apps that exist in the registry are `available`. */
    installed,
    available,
    events,
    browser,
    /** What the owner is shown, when a request is good. */
    page: (party: RelyingParty, changes: Changes = {}, at = browser()): Promise<BrowserResponse> =>
      at.get(authorizeUrl(authorizeParameters(party, changes))),
    /** A registered outside client. */
    async client(metadata: Readonly<Record<string, unknown>> = {}): Promise<RelyingParty> {
      const party = relyingParty({ port, issuer: alice.origin, redirectUri: REDIRECT_URI })
      await party.register(metadata)
      return party
    },
    /** Calls a resource of the embedding server. */
    call(path: string, options: CallOptions = {}): Promise<BrowserResponse> {
      const { method = 'GET', token, headers = {}, instance = alice, session, json } = options
      return browserClient({ port, base: instance.origin }).request(method, path, {
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(session === undefined ? {} : { cookie: `session=${session}` }),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      })
    },
  }
}

const FILES = { verb: 'GET', type: 'io.svc.files' } as const

/** Routes of an embedding server. */
function serveResources(app: Koa, oauth: OAuth): void {
  guardedRoutes({
    'GET /files': FILES,
    'HEAD /files': FILES,
    'POST /files': { ...FILES, verb: 'POST' },
    'POST /apps': { verb: 'POST', type: 'io.svc.apps' },
  })(app, oauth)
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

type Changes = Readonly<Record<string, string | undefined>>

/** Parameters of a good request. */
export function authorizeParameters(
  party: RelyingParty,
  changes: Changes = {},
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

/** The tokens of an answer that led back with a code. */
export const tokensAt = (
  party: RelyingParty,
  { location = '' }: Pick<BrowserResponse, 'location'>,
  codeVerifier: string = VERIFIER,
): ReturnType<RelyingParty['exchange']> =>
  party.exchange(location, { url: '', state: 'the state', codeVerifier })

/** Consent by a logged-in owner: the token answer of the exchanged code. */
export async function allow(
  server: ConsentServer,
  party: RelyingParty,
  changes: Changes = {},
): Promise<{ access_token: string; refresh_token?: string; scope?: string }> {
  const browser = server.browser()
  const page = await server.page(party, changes, browser)
  const answer = await browser.submit(page.page().form('/auth/authorize'), {}, 'Allow')
  if (answer.location === undefined) throw new Error(`no redirect: ${answer.status} ${answer.text}`)
  const hasChallenge = !('code_challenge' in changes) || changes['code_challenge'] !== undefined
  return tokensAt(party, answer, hasChallenge ? VERIFIER : '')
}
