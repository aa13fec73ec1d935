import { type AppManifest, createOAuth, type KonnectorManifest } from '@svc/oauth-core'
import { type Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { afterTest, browserClient, listen, openProvider, type Provider } from '@svc/testkit'
import Koa from 'koa'
import type { AccountTypeEntry } from '../../src/account-types/account-type.ts'
import type { ConnectorsOptions } from '../../src/options.ts'
import { createConnectors } from '../../src/index.ts'
import { type CookieLogins, cookieLogins } from './cookie-logins.ts'
import { plainPages } from './plain-pages.ts'
import { createStoredAccounts } from '../../src/accounts/account-store.ts'

export const HOME: AppManifest = {
  slug: 'home',
  name: 'Home',
  permissions: { accounts: { type: 'io.svc.accounts' } },
  routes: {},
}

export const DRIVE: AppManifest = { slug: 'drive', name: 'Drive', permissions: {}, routes: {} }

/** The host that takes the answers of all providers, where a test wants one. */
export const CALLBACK_URL = 'https://oauth.example.org'

/** What a test's subscribers heard. */
interface HeardEvent {
  readonly verb: string
  readonly type: string
  readonly id: string
  readonly doc?: Readonly<Record<string, unknown>>
}

export type ConnectorsServer = Awaited<ReturnType<typeof startConnectors>>

export interface ConnectorsServerOptions {
  /** The test's own, which also closes the server. @defaultValue SQLite in memory; both are closed after the test */
  readonly store?: Store
  readonly clock?: { now(): number }
  /** Another process of the same host. */
  readonly sameAs?: {
    readonly alice: Instance
    readonly bob: Instance
    readonly logins: CookieLogins
    readonly provider: Provider
  }
  readonly provider?: Parameters<typeof openProvider>[0]
  /** The outermost middleware. */
  readonly observe?: unknown
  readonly connectors?: Partial<Omit<ConnectorsOptions, 'oauth'>>
  readonly oauth?: Partial<Parameters<typeof createOAuth>[0]>
}

/** A server with connectors and a real provider beside it. */
export async function startConnectors(options: ConnectorsServerOptions) {
  const { clock, sameAs } = options
  const store = options.store ?? sqliteStore({ file: ':memory:', ...(clock && { clock }) })
  const logged: string[] = []
  const write = (level: string) => (event: string, fields?: unknown) => {
    logged.push(`${level} ${event} ${JSON.stringify(fields)}`)
  }
  const apps = new Map([HOME, DRIVE].map((app) => [app.slug, app]))
  const konnectors = new Map<string, KonnectorManifest>()
  const oauth = createOAuth({
    store,
    ...(clock && { clock }),
    keys: [{ kid: 'test', key: Buffer.alloc(32, 7) }],
    apps: {
      installed: async (_, slug) => apps.get(slug),
      listInstalled: async () => [...apps.values()],
      available: async () => undefined,
    },
    konnectors: { installed: async (_, slug) => konnectors.get(slug) },
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    ...options.oauth,
  })
  const alice =
    sameAs?.alice ??
    (await oauth.instances.create({ domain: 'alice.example.com', aliases: ['alias.example.com'] }))
  const bob = sameAs?.bob ?? (await oauth.instances.create({ domain: 'bob.example.com' }))
  const provider = sameAs?.provider ?? (await openProvider(options.provider))
  const accounts = createStoredAccounts(store)
  const logins = sameAs?.logins ?? cookieLogins()
  const heard: HeardEvent[] = []
  const connectors = createConnectors({
    oauth,
    sessions: logins,
    events: {
      async publish(_, verb, event) {
        heard.push({ verb, ...event })
      },
    },
    trustedNetworks: ['127.0.0.0/8'],
    ...options.connectors,
  })
  oauth.useSessions(logins.owners)
  const koa = new Koa()
  koa.silent = true
  // Koa's middleware of the testkit, which knows no Koa.
  if (options.observe !== undefined) koa.use(options.observe as Koa.Middleware)
  koa.use(connectors.callbackHost())
  koa.use(oauth.resolveInstance())
  koa.use(connectors.routes({ pages: plainPages }))
  koa.use(oauth.routes({ pages: plainPages }))
  const server = await listen(koa)
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    await connectors.close()
    await server.close()
    if (sameAs === undefined) await provider.close()
    await oauth.close()
    if (options.store === undefined) await store.close()
  }
  const self = {
    oauth,
    connectors,
    store,
    accounts,
    logins,
    provider,
    alice,
    bob,
    server,
    apps,
    konnectors,
    logged,
    heard,
    port: server.port,
    /** Provisions `bank`, whose provider is the test's, some fields changed. */
    async putType(fields: Partial<AccountTypeEntry> = {}) {
      const entry = {
        _id: 'bank',
        slug: 'bank',
        grant_mode: 'authorization_code',
        ...provider.entry,
      }
      await connectors.accountTypes.put({ ...entry, trusted_network: true, ...fields })
    },
    /** A browser, by default with the owner's session; every name but the provider's leads to this server. */
    browser({ base = alice.origin, session = 'tab' as string | null } = {}) {
      const hosts = { '127.0.0.1': provider.port }
      const browser = browserClient({ port: server.port, hosts, base })
      if (session !== null) browser.plantCookie(`session=${session}; Path=/; HttpOnly; Secure`)
      return browser
    },
    /** Every account of an instance. */
    async accountsOf(instance: Instance = alice) {
      return (await accounts.list(instance, {})).accounts
    },
    close: () => (closing ??= close()),
  }
  if (options.store === undefined) afterTest(self.close)
  return self
}
