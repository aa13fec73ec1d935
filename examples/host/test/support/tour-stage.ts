import { type RedisServer, startRedisServer } from '@svc/store/testing'
import { isSecondLevel, launchChromium, needsChromium, needsRedis } from '@svc/testkit'
import { expect } from 'chai'
import { after, afterEach, before } from 'mocha'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type CommandResult, type HostProcess, spawnHost } from './host-process.ts'
import { type AdminAccess, createTourOwner, type TourOwner } from './tour-owner.ts'
import { type TourTexts, tourTexts } from './tour-texts.ts'
import { type PageWatch, watchPages } from './tour-watch.ts'

/** What a tour goes through. */
export interface TourRun {
  readonly name: string
  readonly store: 'sqlite' | 'redis'
  readonly subdomains: 'nested' | 'flat'
  readonly locale: 'en' | 'de' | 'fr'
}

/** One process. */
export const NESTED: TourRun = {
  name: 'SQLite, nested app hosts',
  store: 'sqlite',
  subdomains: 'nested',
  locale: 'en',
}
export const FLAT_FR: TourRun = {
  name: 'SQLite, flat app hosts, in French',
  store: 'sqlite',
  subdomains: 'flat',
  locale: 'fr',
}
/** Where `elsewhere` is another process on the same store. */
export const TWO_PROCESSES: TourRun = {
  name: 'Redis, two processes, flat app hosts, in German',
  store: 'redis',
  subdomains: 'flat',
  locale: 'de',
}
/** The same in French. */
export const TWO_PROCESSES_FR: TourRun = {
  ...TWO_PROCESSES,
  name: 'Redis, two processes, flat app hosts, in French',
  locale: 'fr',
}

/** What a journey runs on: the first of these, and all of them with `--all`. */
export function journeys(...runs: readonly TourRun[]): readonly TourRun[] {
  return isSecondLevel() ? runs : runs.slice(0, 1)
}

/** What a browser tells, and whether it runs scripts. */
export interface TourLook {
  readonly userAgent?: string
  readonly javaScriptEnabled?: boolean
  /** Cookies of another browser. */
  readonly storageState?: StorageState
}

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

/** Where a browser of the owner is: each place speaks to a process of its own where there are two. */
export type Place = 'here' | 'elsewhere'

/** The host as an operator runs it, browsers, and what the pages complain about. */
export interface TourStage {
  readonly run: TourRun
  readonly texts: TourTexts
  readonly watch: PageWatch
  /** Of the first process. */
  readonly admin: AdminAccess
  /** A new instance. */
  owner(
    name: string,
    options?: { readonly isOnboarded?: false; readonly magicLink?: true },
  ): Promise<TourOwner>
  /** Of the process that browsers of a place speak to. */
  port(place?: Place): number
  /** Runs the command line against the first process. */
  svc(...args: readonly string[]): Promise<CommandResult>
  /** A browser without cookies. */
  visit(place?: Place, look?: TourLook): Promise<Page>
  /** What the pages complained about since the last time, and errors in the hosts' logs. */
  faults(): readonly string[]
  close(): Promise<void>
}

/**
 * A stage for the suite that is being defined. After each test nothing may have gone wrong in pages and hosts.
 * @param env - more of `SVC_*`
 */
export function suiteTour(run: TourRun, env: Readonly<Record<string, string>> = {}): TourStage {
  let stage: TourStage | undefined
  before(async function () {
    stage = await openTour(run, this, env)
  })
  after(() => stage?.close())
  afterEach(() => {
    expect(stage?.faults(), 'what went wrong in pages and hosts').to.deep.equal([])
  })
  // The members of the stage once the suite has begun.
  return new Proxy({} as TourStage, {
    get: (_, name: keyof TourStage) => stage?.[name],
  })
}

/** Starts what a run needs; skips the suite where the machine has no Chromium or Redis. */
async function openTour(
  run: TourRun,
  suite: Mocha.Context,
  env: Readonly<Record<string, string>>,
): Promise<TourStage> {
  needsChromium(suite)
  if (run.store === 'redis') needsRedis(suite)
  const opened: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const each of opened.splice(0).reverse()) await each()
  }
  try {
    const redis = run.store === 'redis' ? await startRedisServer() : undefined
    if (redis !== undefined) opened.push(() => redis.stop())
    const hosts = await openHosts(run, env, redis)
    for (const host of hosts) opened.push(() => host.stop())
    const browsers = await Promise.all(hosts.map(openBrowser))
    for (const browser of browsers) opened.push(() => browser.close())
    return assemble(run, hosts, browsers, close)
  } catch (error) {
    await close()
    throw error
  }
}

function assemble(
  run: TourRun,
  hosts: readonly HostProcess[],
  browsers: readonly Browser[],
  close: () => Promise<void>,
): TourStage {
  const watch = watchPages()
  const admin: AdminAccess = { port: hosts[0]?.adminPort ?? 0, token: ADMIN_TOKEN }
  return {
    run,
    texts: tourTexts(run.locale),
    watch,
    admin,
    owner: (name, options) => createTourOwner(admin, run, name, options),
    port: (place = 'here') => (place === 'here' ? hosts[0] : hosts.at(-1))?.port ?? 0,
    async svc(...args) {
      const [host] = hosts
      if (host === undefined) throw new Error('no host')
      return host.svc(...args)
    },
    async visit(place = 'here', look = {}) {
      const browser = place === 'here' ? browsers[0] : browsers.at(-1)
      if (browser === undefined) throw new Error('no browser')
      const context = await browser.newContext({ locale: run.locale, ...look })
      await watch.add(context)
      return context.newPage()
    },
    faults: () => [...watch.take(), ...errorsOf(hosts)],
    close,
  }
}

function errorsOf(hosts: readonly HostProcess[]): readonly string[] {
  const lines = hosts.flatMap(({ log }) => log)
  return lines.filter(({ level }) => level === 'error').map((line) => JSON.stringify(line))
}

async function openHosts(
  run: TourRun,
  more: Readonly<Record<string, string>>,
  redis?: RedisServer,
): Promise<readonly HostProcess[]> {
  const env = {
    SVC_ADMIN_TOKEN: ADMIN_TOKEN,
    SVC_DEMO: 'off',
    SVC_SUBDOMAINS: run.subdomains,
    ...(redis !== undefined && { SVC_STORE: redis.url, SVC_KEYS: SEALING_KEY }),
    ...more,
  }
  if (redis !== undefined) return Promise.all([spawnHost({ env }), spawnHost({ env })])
  return [await spawnHost({ env })]
}

function openBrowser(host: HostProcess): Promise<Browser> {
  return launchChromium({ port: host.port, domains: ['localhost'] })
}

const ADMIN_TOKEN = 'tour-admin-token-0123456789abcdef-0123'
const SEALING_KEY = `tour:${Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 89 + 7) % 256)).toString('base64')}`
