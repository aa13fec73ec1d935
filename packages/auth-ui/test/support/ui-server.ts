import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomBytes, scryptSync } from 'node:crypto'
import { createOAuth, type OAuth, type OAuthOptions } from '@svc/oauth-core'
import type { ActivityEvent, Instance, NewInstance, RouteRow } from '@svc/platform'
import type { Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import {
  afterTest,
  type BrowserClient,
  type BrowserResponse,
  browserClient,
  type FakeClock,
  fakeClock,
  listen,
} from '@svc/testkit'
import { expect } from 'chai'
import Koa from 'koa'
import { type AuthUi, type AuthUiOptions, createAuthUi, DEFAULT_LIMITS } from '../../src/index.ts'
import type { SystemMail } from '../../src/ports.ts'
import { noteEvents, recordInStore, whenNoted, withMember } from './noted-events.ts'
import { sampleApps } from './sample-instance.ts'

export interface UiServerOptions {
  /** @defaultValue a fresh SQLite store in memory, closed with the server */
  readonly store?: Store
  readonly clock?: FakeClock
  readonly oauth?: Partial<OAuthOptions>
  readonly ui?: Partial<AuthUiOptions>
  /** What the embedding application has of its own, in front. */
  readonly own?: (app: Koa) => void
  /** Keeps what is noted for the owner. */
  readonly notes?: boolean
  /** And behind. */
  readonly behind?: (app: Koa, oauth: OAuth) => void
  /** Sealing key, for a second process on the same store. */
  readonly key?: Uint8Array
  /** Leaves closing to a hook of the suite. @defaultValue closed after the test, the last one that started first */
  readonly stays?: boolean
}

/** A real server with the two packages on it, as an embedder would assemble them. */
export interface UiServer {
  readonly oauth: OAuth
  readonly ui: AuthUi
  readonly store: Store
  readonly clock: FakeClock
  readonly key: Uint8Array
  readonly port: number
  readonly mails: readonly SystemMail[]
  readonly logged: readonly (readonly [event: string, fields: unknown])[]
  /** `METHOD path: status` of every row that answered. */
  readonly exercised: ReadonlySet<string>
  /** `METHOD path: bucket` of every count of this package that was over its limit while a row answered. */
  readonly exceeded: ReadonlySet<string>
  /** As {@link UiServer.exceeded}, of every count, within its limit or over it. */
  readonly counted: ReadonlySet<string>
  /** `METHOD path: event` of everything that was noted for the owner, once it was written. */
  readonly noted: ReadonlySet<string>
  /** Those events, as they were written. */
  readonly events: readonly ActivityEvent[]
  /** Waits for mails under way. */
  sentMails(): Promise<readonly SystemMail[]>
  browser(base?: string, headers?: Readonly<Record<string, string>>): BrowserClient
  close(): Promise<void>
}

export const ALICE = 'https://alice.example.com'
export const PASSPHRASE = 'correct horse battery staple'
/** Of {@link PASSPHRASE} with 50 000 iterations (login.md 3.1). */
export const LOGIN_VALUE = 'I2XwfBpy0jmy1ZaG2NiejXnYAE5szlgYZubouBnUoU0='

/** A login value that differs for each text: 32 bytes in base64. */
export function loginValueOf(text: string | number): string {
  return createHash('sha256').update(String(text)).digest('base64')
}

/** For tests that are not about hashing. */
const CHEAP_COST = { logN: 10, r: 8, p: 1 }

export async function startUi(options: UiServerOptions = {}): Promise<UiServer> {
  const clock = options.clock ?? fakeClock()
  const ownStore = options.store ?? sqliteStore({ file: ':memory:', clock })
  const limits = { ...DEFAULT_LIMITS, ...options.ui?.limits }
  const events: ActivityEvent[] = []
  const store = noteEvents(noteCounts(ownStore, new Map(Object.entries(limits))), events)
  const key = options.key ?? randomBytes(32)
  const mails: SystemMail[] = []
  const logged: [string, unknown][] = []
  const note = (event: string, fields?: unknown): void => {
    logged.push([event, fields])
  }
  const log = { info: note, warn: note, error: note }
  const oauth = createOAuth({
    store,
    apps: sampleApps('drive', 'home', 'settings'),
    keys: [{ kid: 'test', key }],
    clock,
    log,
    ...options.oauth,
  })
  const ui = createAuthUi({
    oauth,
    mailer: {
      send: async (_instance, mail) => {
        mails.push(mail)
      },
    },
    ...options.ui,
    passphrase: { cost: CHEAP_COST, ...options.ui?.passphrase },
  })
  oauth.useSessions(ui.sessions)
  if (options.notes === true) oauth.useActivity(recordInStore(events))
  const app = new Koa()
  app.silent = true
  const undeclared: string[] = []
  const exercised = new Set<string>()
  const exceeded = new Set<string>()
  const counted = new Set<string>()
  const noted = new Set<string>()
  const notes = { exercised, exceeded, counted, noted, undeclared }
  app.use(noteStatuses(() => [...ui.rows, ...oauth.rows], notes))
  options.own?.(app)
  app.use(oauth.resolveInstance())
  app.use(ui.routes())
  app.use(oauth.routes({ pages: ui.pages }))
  app.use(serveApps(ui))
  options.behind?.(app, oauth)
  const server = await listen(app)
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= end())
  async function end(): Promise<void> {
    await server.close()
    expect(undeclared, 'statuses that no row declares').to.deep.equal([])
    await ui.close()
    await oauth.close()
    if (options.store === undefined) await ownStore.close()
  }
  if (options.stays !== true) closeAfterTest(close)
  return {
    oauth,
    ui,
    store,
    clock,
    key,
    port: server.port,
    mails,
    logged,
    exercised,
    exceeded,
    counted,
    noted,
    events,
    async sentMails() {
      await ui.close()
      return mails
    },
    browser: (base = ALICE, headers = {}) => browserClient({ base, port: server.port, headers }),
    close,
  }
}

const running: (() => Promise<void>)[] = []

/** The last one first: it may be on the store of another. */
function closeAfterTest(close: () => Promise<void>): void {
  if (running.length === 0) {
    afterTest(async () => {
      for (const each of running.splice(0).toReversed()) await each()
    })
  }
  running.push(close)
}

/** Every test is also one of "no undeclared status is ever sent" (style.md 4). */
function noteStatuses(
  rows: () => readonly RouteRow[],
  notes: Readonly<Record<'exercised' | 'exceeded' | 'counted' | 'noted', Set<string>>> & {
    readonly undeclared: string[]
  },
): Koa.Middleware {
  const always = [404, 405, 500, 503]
  return async (ctx, next) => {
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method
    const row = rows().find((each) => each.method === method && toPattern(each.path).test(ctx.path))
    const name = `${row?.method} ${row?.path}`
    const isOfRow = (): boolean =>
      row !== undefined && ctx.state['appSlug'] === undefined && ctx.state['instance'] !== undefined
    const noteCount: NoteCount = (bucket, { isCounted, isExceeded }) => {
      if (!isOfRow()) return
      if (isCounted) notes.counted.add(`${name}: ${bucket}`)
      if (isExceeded) notes.exceeded.add(`${name}: ${bucket}`)
    }
    const noteEvent = (event: string): void => {
      if (isOfRow()) notes.noted.add(`${name}: ${event}`)
    }
    await whenNoted.run(noteEvent, () => whenCounted.run(noteCount, next))
    if (row === undefined || !isOfRow()) return
    const answered = `${name}: ${ctx.status}`
    notes.exercised.add(answered)
    if (![...row.statuses, ...always].includes(ctx.status)) notes.undeclared.push(answered)
  }
}

type NoteCount = (bucket: string, what: { isCounted: boolean; isExceeded: boolean }) => void

/** Is told each bucket that is counted in a request, also in what the request does behind its answer. */
const whenCounted = new AsyncLocalStorage<NoteCount>()

/** The same store; what it counts is held against the limits beside it. */
function noteCounts(store: Store, limits: ReadonlyMap<string, { readonly limit: number }>): Store {
  const hit: Store['hit'] = async (counter, windowMs, by = 1) => {
    const answer = await store.hit(counter, windowMs, by)
    const bucket = /^\{[^}]+\}:rate:([^:]+)/.exec(counter)?.[1] ?? ''
    const limit = limits.get(bucket)?.limit
    // Also a rule that only reads refuses who has used up the limit; what takes a count back refuses nobody.
    if (limit !== undefined) {
      const isExceeded = by >= 0 && answer.count >= limit + by
      whenCounted.getStore()?.(bucket, { isCounted: by > 0, isExceeded })
    }
    return answer
  }
  return withMember(store, 'hit', hit)
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:[a-zA-Z]+/g, '[^/]+')}$`)
}

/** What a host does on app hosts: `/public` is public, `/file.js` a file, the rest private pages. */
function serveApps(ui: AuthUi): Koa.Middleware {
  return async (ctx, next) => {
    if (ctx.state['appSlug'] === undefined) return next()
    const visit = await ui.appPages.visit(ctx, {
      isPage: !ctx.path.endsWith('.js'),
      isPublic: ctx.path.startsWith('/public'),
    })
    if (visit === undefined) return
    ctx.type = 'json'
    ctx.body = JSON.stringify({ session: visit.session?.id ?? null, ...visit.attributes })
  }
}

/** Creates `alice.example.com`, by default with {@link PASSPHRASE} imported in a cheap form. */
export async function createAlice(
  server: UiServer,
  input: Partial<NewInstance> = {},
  { isOnboarded = true }: { isOnboarded?: boolean } = {},
): Promise<{ instance: Instance; onboardingUrl: string }> {
  const { instance, onboardingUrl } = await server.ui.owners.createInstance({
    domain: 'alice.example.com',
    ...input,
  })
  if (isOnboarded) {
    await server.ui.owners.importPassphrase(instance, {
      over: 'login-value',
      hash: cheapHash(LOGIN_VALUE),
      salt: 'me@alice.example.com',
      iterations: 50_000,
    })
  }
  return { instance, onboardingUrl: onboardingUrl ?? '' }
}

/** The same on a server that starts, with a browser of hers. */
export async function withAlice(
  starting: Promise<UiServer>,
  input?: Partial<NewInstance>,
): Promise<{ server: UiServer; instance: Instance; browser: BrowserClient }> {
  const server = await starting
  const { instance } = await createAlice(server, input)
  return { server, instance, browser: server.browser() }
}

/** Logs in as the page does; the form's own token is not needed (login.md 4.4, group O). */
export function logIn(
  browser: BrowserClient,
  fields: Readonly<Record<string, string | readonly string[] | undefined>> = {},
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<BrowserResponse> {
  return browser.post('/auth/login', { passphrase: LOGIN_VALUE, ...fields }, { headers })
}

/** The text form of login.md 3.2, cheap. */
function cheapHash(loginValue: string): string {
  const salt = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
  const key = scryptSync(loginValue, salt, 32, { N: 1024, r: 8, p: 1 })
  return `scrypt$1024$8$1$${salt.toString('hex')}$${key.toString('hex')}`
}
