import { createHash, randomBytes } from 'node:crypto'
import type { Store } from '@svc/store'
import { type FakeClock, fakeClock, listen, type Listening } from '@svc/testkit'
import Koa from 'koa'
import type { Client, ClientId, ClientMetadata } from '../../src/clients/client.ts'
import { claimName } from '../../src/clients/client-names.ts'
import { ClientStore } from '../../src/clients/client-store.ts'
import { closeEngine, createEngine, type Engine, forgetClient } from '../../src/engine/engine.ts'
import {
  findGrant,
  findRefreshGrant,
  type Grant,
  isRegistrationToken,
  listGrants,
  revokeGrant,
  revokeGrants,
} from '../../src/engine/grant.ts'
import { mintCode } from '../../src/engine/mint.ts'
import { registerNatively } from '../../src/engine/native-registration.ts'
import {
  NO_ACTIVITY,
  bindRoutes,
  createKeyring,
  createRateLimits,
  createRevocations,
  createSealer,
  type Instance,
  type InstanceId,
  type Logger,
  mountRoutes,
  randomId,
  type RouteRow,
  type StoredKeyring,
} from '@svc/platform'
import { OAuthError } from '../../src/errors.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from '../../src/lifetimes.ts'
import { DEFAULT_LIMITS } from '../../src/options.ts'
import type { OAuthEvents } from '../../src/ports.ts'
import { type ResourceOptions, ReservedTypes, Resources } from '../../src/resources/resources.ts'
import { oauthRoutes } from '../../src/routes.ts'
import { ForbiddenScopes } from '../../src/scopes/forbidden.ts'
import type { OAuthServices } from '../../src/services.ts'

/** A registered client with its secret. */
export interface TestClient {
  readonly client: Client
  readonly secret: string
  readonly registrationToken: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Of the JSON body; `{}` when it is empty. */
  readonly body: Record<string, unknown>
}

export interface TokenServer {
  readonly instance: Instance
  readonly other: Instance
  readonly engine: BoundEngine
  readonly clients: ClientStore
  readonly keyring: StoredKeyring
  readonly clock: FakeClock
  readonly events: { name: string; event: unknown }[]
  readonly logged: string[]
  readonly origin: string
  readonly port: number
  register(metadata?: Partial<ClientMetadata>, instance?: Instance): Promise<TestClient>
  mint(client: TestClient, options?: MintOptions): Promise<string>
  post(path: string, form: Form, options?: PostOptions): Promise<Answer>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** `POST /auth/access_token` with the client's credentials in the form. */
  token(client: TestClient, form: Form, options?: PostOptions): Promise<Answer>
  exchange(client: TestClient, code: string, form?: Form): Promise<Answer>
  refresh(client: TestClient, token: unknown, form?: Form): Promise<Answer>
  close(): Promise<void>
}

/** What tests ask the engine beside its endpoints. */
export interface BoundEngine {
  findGrant(instance: Instance, id: string): Promise<Grant | undefined>
  findRefreshGrant(instance: Instance, token: string): Promise<Grant | undefined>
  listGrants(instance: Instance, clientId: string): Promise<readonly Grant[]>
  revokeGrant(instance: Instance, id: string, reason: string): Promise<boolean>
  revokeGrants(instance: Instance, clientId: string, reason: string): Promise<void>
  forgetClient(instance: Instance, clientId: string, reason: string): Promise<void>
  isRegistrationToken(instance: Instance, clientId: ClientId, token: string): Promise<boolean>
  lastRefreshed(
    instance: Instance,
    clientIds: readonly ClientId[],
  ): Promise<ReadonlyMap<ClientId, number>>
}

export type Form = Readonly<Record<string, string>> | string

export interface MintOptions {
  readonly scope?: string
  readonly redirectUri?: string
  readonly verifier?: string
  /** Path of the resource that the tokens are for. */
  readonly resource?: string
  readonly instance?: Instance
}

export interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly instance?: Instance
}

export interface ServerOptions {
  readonly store: Store
  /** The clock of the store. */
  readonly clock?: FakeClock
  readonly lifetimes?: Partial<Lifetimes>
  readonly wrongSecrets?: { readonly limit: number; readonly windowMs: number }
  /** Two instances, as another server made them. */
  readonly instances?: readonly [Instance, Instance]
  readonly sealingKey?: Buffer
  /** What clients without a secret may ask for. */
  readonly resource?: ResourceOptions
}

export const VERIFIER = 'a'.repeat(43)
export const SCOPE = 'io.svc.contacts io.svc.files:GET'
const REDIRECT_URI = 'https://client.example/callback'

/** Instances that exist only as records: what the token endpoints need of them. */
export function testInstance(domain: string): Instance {
  return {
    id: randomId() as InstanceId, // A random id, as instances have.
    revision: '' as Instance['revision'], // Not looked at here.
    domain,
    aliases: [],
    locale: 'en',
    status: 'active',
    settings: {},
    createdAt: 0,
    updatedAt: 0,
    origin: `https://${domain}`,
    isHttps: true,
    subdomains: 'nested',
  }
}

/** The endpoints about tokens on a real server, without the rest of the package. */
export async function startTokenServer(options: ServerOptions): Promise<TokenServer> {
  const { store, clock = fakeClock() } = options
  const sealer = createSealer([{ kid: 'test', key: options.sealingKey ?? randomBytes(32) }])
  const [instance, other] = options.instances ?? [
    testInstance('alice.example.com'),
    testInstance('bob.example.com'),
  ]
  const events: TokenServer['events'] = []
  const logged: string[] = []
  const write = (level: string) => (event: string, fields?: unknown) => {
    logged.push(`${level} ${event} ${JSON.stringify(fields)}`)
  }
  const log: Logger = { info: write('info'), warn: write('warn'), error: write('error') }
  const keyring = createKeyring({ store, sealer, clock })
  if (options.instances === undefined) {
    for (const { id } of [instance, other]) await store.write(keyring.create(id))
  }
  const clients = new ClientStore({ store, sealer, clock, lifetimes: DEFAULT_LIFETIMES })
  const revocations = createRevocations({ bus: store.bus, log })
  const engine = createEngine({
    store,
    clock,
    log,
    keyring,
    clients,
    revocations,
    namespace: 'io.svc',
    clientAddress: (ctx) => ctx.get('X-Test-Address') || '192.0.2.1',
    // No client here has a document.
    described: {
      find: () => Promise.reject(new Error('no document')),
      isAllowed: () => true,
      isAllowedHost: () => true,
      beforeRefresh: async () => {},
      proofOf: async () => 'none',
    },
    emitter: {
      emit: (name: keyof OAuthEvents, event: unknown) => void events.push({ name, event }),
    },
    flagship: { skipCertification: false },
    linkedApps: { require: async () => {}, startInstall() {} },
    activity: NO_ACTIVITY,
    ...(options.lifetimes && { lifetimes: options.lifetimes }),
    ...(options.wrongSecrets && { wrongSecrets: options.wrongSecrets }),
  })
  const routes = oauthRoutes.filter(({ path }) => TOKEN_PATHS.includes(path))
  // What these endpoints use of the package.
  const resources = new Resources(new ReservedTypes('io.svc', new ForbiddenScopes('io.svc')))
  if (options.resource !== undefined) resources.add(options.resource)
  const limits = createRateLimits({
    store,
    clock,
    limits: DEFAULT_LIMITS,
    tooMany: () => new OAuthError('too_many_requests'),
  })
  const used = {
    engine,
    limits,
    resources,
    activity: NO_ACTIVITY,
    clientAddress: () => '127.0.0.1',
  }
  const services = { ...used, rows: [] as readonly RouteRow[] } as unknown as OAuthServices & {
    rows: readonly RouteRow[]
  }
  services.rows = bindRoutes(routes, services)
  const app = new Koa()
  app.use((ctx, next) => {
    // fetch does not let a test choose the Host header.
    ctx.state['instance'] = (ctx.get('X-Test-Host') || ctx.host) === other.domain ? other : instance
    return next()
  })
  app.use(mountRoutes(services.rows, { log }))
  const server: Listening = await listen(app)

  async function send(path: string, init: RequestInit, at: Instance): Promise<Answer> {
    const headers = { 'X-Test-Host': at.domain, ...(init.headers as Record<string, string>) }
    const response = await fetch(`${server.origin}${path}`, { ...init, headers })
    const text = await response.text()
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    return { status: response.status, headers: response.headers, text, body }
  }
  const self: TokenServer = {
    instance,
    other,
    engine: bindEngine(engine),
    clients,
    keyring,
    clock,
    events,
    logged,
    origin: server.origin,
    port: server.port,

    async register(metadata = {}, at = instance) {
      const full: ClientMetadata = {
        redirect_uris: [REDIRECT_URI],
        client_name: 'Test client',
        software_id: 'github.com/example/test',
        ...metadata,
      }
      const name = await claimName({ store, clock }, at.id, full.client_name)
      if (name === undefined) throw new Error('a new client claims a name')
      const named = { ...full, client_name: name.name }
      const answer = await clients.storing({ metadata: named, name }, () =>
        registerNatively(engine, at, { ...named }),
      )
      if (answer.status !== 201) throw new Error(JSON.stringify(answer))
      const id = String(answer.body?.['client_id'])
      const stored = await clients.open(at, id)
      if (stored === undefined) throw new Error('the client was not stored')
      const registrationToken = String(answer.body?.['registration_access_token'])
      return { client: stored.client, secret: stored.secret, registrationToken }
    },

    mint: (
      { client },
      { scope = SCOPE, redirectUri = REDIRECT_URI, verifier, resource, instance: at } = {},
    ) =>
      mintCode(engine, at ?? instance, {
        client,
        redirectUri,
        scope,
        ...(resource === undefined ? {} : { resource }),
        ...(verifier === undefined ? {} : { codeChallenge: challengeOf(verifier) }),
      }),

    post: (path, form, { headers = {}, instance: at = instance } = {}) =>
      send(
        path,
        {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
          body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
        },
        at,
      ),
    get: (path, headers = {}) => send(path, { headers }, instance),
    token: ({ client, secret }, form, at) =>
      self.post(
        '/auth/access_token',
        typeof form === 'string' ? form : { client_id: client.id, client_secret: secret, ...form },
        at,
      ),
    exchange: (client, code, form = {}) =>
      self.token(client, { grant_type: 'authorization_code', code, ...(form as object) }),
    refresh: (client, token, form = {}) =>
      self.token(client, {
        grant_type: 'refresh_token',
        refresh_token: String(token),
        ...(form as object),
      }),

    async close() {
      await server.close()
      await closeEngine(engine)
      await keyring.close()
      await revocations.close()
    },
  }
  return self
}

const TOKEN_PATHS = [
  '/.well-known/oauth-authorization-server',
  '/auth/access_token',
  '/auth/revoke',
]

function bindEngine(engine: Engine): BoundEngine {
  return {
    findGrant: (...given) => findGrant(engine, ...given),
    findRefreshGrant: (...given) => findRefreshGrant(engine, ...given),
    listGrants: (...given) => listGrants(engine, ...given),
    revokeGrant: (...given) => revokeGrant(engine, ...given),
    revokeGrants: (...given) => revokeGrants(engine, ...given),
    forgetClient: (...given) => forgetClient(engine, ...given),
    isRegistrationToken: (...given) => isRegistrationToken(engine, ...given),
    async lastRefreshed(...given) {
      const known = await engine.lastRefreshed.read(...given)
      return new Map([...known].map(([id, { at }]) => [id, at]))
    },
  }
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
