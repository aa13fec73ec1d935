import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Instance, originOfApp } from '@svc/platform'
import type { Clock } from '@svc/store'
import { type BrowserClient, browserClient, type RelyingParty, relyingParty } from '@svc/testkit'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { createInstance } from '../../src/create-instance.ts'
import { type RunningHost, startHost } from '../../src/host.ts'
import { LOG_EVENTS } from '../../src/log/log-events.ts'
import type { HostLog } from '../../src/log/log.ts'
import { ASKED_SWITCHES } from './host-process.ts'
import { logFaults } from './log-faults.ts'

/** A host in this process, on a store of its own, and what tests ask of it. */
export interface TestHost {
  readonly host: RunningHost
  readonly config: Config
  readonly instance: Instance
  readonly log: readonly [event: string, fields: Readonly<Record<string, unknown>> | undefined][]
  /** What the operator was told. */
  readonly notices: readonly string[]
  /** A browser, logged in unless told otherwise. */
  browser(base?: string, options?: { readonly anonymous?: true }): Promise<BrowserClient>
  /** Origin of an app of the instance. */
  app(slug: string): string
  /** An outside client with tokens of this scope. */
  connect(
    scope: string,
    metadata?: Readonly<Record<string, unknown>>,
  ): Promise<{
    readonly party: RelyingParty
    readonly token: string
    readonly refreshToken: string
  }>
  /** Calls the admin listener. */
  admin(method: string, path: string, body?: unknown): Promise<Response>
  stop(): Promise<void>
}

/** Starts the host with these `SVC_*` entries and one instance, on the machine's clock unless given another. */
export async function startTestHost(
  env: Readonly<Record<string, string>> = {},
  domain = 'alice.example.com',
  clock?: Clock,
): Promise<TestHost> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-host-'))
  const config = loadConfig({
    SVC_ADMIN_PORT: '0',
    SVC_ADMIN_TOKEN: 'test-admin-token-0123456789abcdef-0123',
    SVC_DATA_DIR: dataDir,
    SVC_DEMO: 'off',
    SVC_PORT: '0',
    // Tests wait for no proxy.
    SVC_DRAIN: '0s',
    ...ASKED_SWITCHES,
    ...env,
  })
  const recorded: Recorded = { lines: [], faults: [] }
  const notices: string[] = []
  const host = await startHost({
    config,
    log: recordingLog(recorded),
    notice: (text: string) => notices.push(text),
    ...(clock !== undefined && { clock }),
  })
  const { instance } = await createInstance(host.app, {
    domain,
    email: 'alice@mail.example',
    publicName: 'Alice',
  })
  // Onboarded, by a hash that nobody computes: these tests open sessions without a passphrase.
  await host.app.ui.owners.importPassphrase(instance, {
    over: 'login-value',
    hash: `scrypt$32768$8$1$${'0'.repeat(32)}$${'0'.repeat(64)}`,
    salt: 'me@alice',
    iterations: 650_000,
  })

  async function browser(
    base = instance.origin,
    options: { readonly anonymous?: true } = {},
  ): Promise<BrowserClient> {
    const client = browserClient({ base, port: host.port })
    if (options.anonymous === undefined) {
      const { cookie } = await host.app.ui.owners.createSession(instance)
      const name = instance.domain.replace(/:\d+$/, '')
      const shared = instance.subdomains === 'nested' ? `; Domain=${name}` : ''
      const secure = instance.isHttps ? '; Secure' : ''
      client.plantCookie(
        `${cookie.name}=${cookie.value}; Path=/${shared}${secure}`,
        instance.origin,
      )
    }
    return client
  }

  return {
    host,
    config,
    instance,
    log: recorded.lines,
    notices,
    browser,
    app: (slug) => originOfApp(instance, slug),
    async connect(scope, metadata) {
      const party = relyingParty({ issuer: instance.origin, port: host.port })
      await party.register(metadata)
      const pending = await party.authorize({ scope })
      const owner = await browser()
      const page = await owner.get(pending.url)
      const answer = await owner.submit(page.page().form('/auth/authorize'))
      const tokens = await party.exchange(answer.location ?? '', pending)
      return {
        party,
        token: tokens.access_token,
        refreshToken: tokens.refresh_token ?? '',
      }
    },
    admin: (method, target, body) =>
      fetch(`http://127.0.0.1:${host.adminPort}${target}`, {
        method,
        headers: {
          authorization: `Bearer ${config.adminToken}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async stop() {
      await host.stop()
      await rm(dataDir, { recursive: true, force: true })
      // Every test with a host holds what it logged against the tables (operation.md 7.7).
      if (recorded.faults.length > 0) throw new Error([...new Set(recorded.faults)].join('\n'))
    },
  }
}

/** What a host wrote to its log. */
export interface Recorded {
  readonly lines: [string, Readonly<Record<string, unknown>> | undefined][]
  /** What was written and the tables of events do not say. */
  readonly faults: string[]
}

/** A log that keeps what is written, and holds it against the tables. */
export function recordingLog({ lines, faults }: Recorded): HostLog {
  const note =
    (level: string) =>
    (event: string, fields?: Readonly<Record<string, unknown>>): void => {
      lines.push([event, fields])
      faults.push(...logFaults(LOG_EVENTS, level, event, fields))
    }
  const noteStore = (level: string) => (fields: Readonly<Record<string, unknown>>) =>
    note(level)(String(fields['event']), fields)
  return {
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
    store: { warn: noteStore('warn'), error: noteStore('error') },
    flush: async () => {},
    flushNow: () => {},
  }
}
