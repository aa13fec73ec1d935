import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Instance, originOfApp } from '@svc/platform'
import type { Clock } from '@svc/store'
import { type BrowserClient, type BrowserResponse, browserClient } from '@svc/testkit'
import { expect } from 'chai'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { type RunningHost, startHost } from '../../src/host.ts'
import { LOG_EVENTS } from '../../src/log/log-events.ts'
import type { HostLog } from '../../src/log/log.ts'
import { ASKED_SWITCHES } from './host-process.ts'
import { logFaults } from './log-faults.ts'
import { type Connected, connectClient, onboard, plantSession } from './owner-parts.ts'

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
  connect(scope: string, metadata?: Readonly<Record<string, unknown>>): Promise<Connected>
  /** Calls the admin listener. */
  admin(method: string, path: string, body?: unknown): Promise<Response>
  /** Calls the admin listener below the instance. @throws AssertionError for another status */
  adminJson(method: string, path: string, body?: unknown, status?: number): Promise<JsonBody>
  appToken(slug: string, domain?: string): Promise<AppAccess>
  /** Calls an endpoint with a token; a text is sent as it is. @param path - of the instance, or a URL */
  call(
    access: AppAccess | string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<BrowserResponse>
  stop(): Promise<void>
}

export type JsonBody = Readonly<Record<string, unknown>>

/** An app's token counts with its session. */
export interface AppAccess {
  readonly token: string
  readonly cookie: string
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
  const email = 'alice@mail.example'
  const instance = await onboard(host, { domain, email, publicName: 'Alice' })

  async function browser(
    base = instance.origin,
    options: { readonly anonymous?: true } = {},
  ): Promise<BrowserClient> {
    const client = browserClient({ base, port: host.port })
    if (options.anonymous === undefined) await plantSession(host, instance, client)
    return client
  }

  const admin = (method: string, target: string, body?: unknown): Promise<Response> =>
    fetch(`http://127.0.0.1:${host.adminPort}${target}`, {
      method,
      headers: {
        authorization: `Bearer ${config.adminToken}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return {
    host,
    config,
    instance,
    log: recorded.lines,
    notices,
    browser,
    app: (slug) => originOfApp(instance, slug),
    connect: async (scope, metadata) =>
      connectClient(host, instance, await browser(), scope, metadata),
    admin,
    async adminJson(method, target, body, status = 200) {
      const answer = await admin(method, `/instances/${domain}${target}`, body)
      const text = await answer.text()
      expect(answer.status, text).to.equal(status)
      return text === '' ? {} : (JSON.parse(text) as JsonBody)
    },
    async appToken(slug, of = domain) {
      const answer = await admin('POST', `/instances/${of}/app-tokens`, { slug })
      expect(answer.status).to.equal(201)
      return (await answer.json()) as AppAccess // as the admin listener answers
    },
    async call(access, method, target, body, headers) {
      const { token, cookie } = typeof access === 'string' ? { token: access, cookie: '' } : access
      const client = await browser(instance.origin, { anonymous: true })
      return client.request(method, target, {
        credentials: false,
        headers: {
          authorization: `Bearer ${token}`,
          ...(cookie !== '' && { cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
    },
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
