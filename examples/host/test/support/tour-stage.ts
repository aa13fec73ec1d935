import { type RedisServer, startRedisServer } from '@svc/store/testing'
import { launchChromium, needsChromium, needsRedis } from '@svc/testkit'
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

/** Where `elsewhere` is another process on the same store, too, wherever the store allows that. */
export const TOUR_RUNS: readonly TourRun[] = [
  { name: 'SQLite, nested app hosts', store: 'sqlite', subdomains: 'nested', locale: 'en' },
  {
    name: 'Redis, two processes, flat app hosts, in German',
    store: 'redis',
    subdomains: 'flat',
    locale: 'de',
  } as const,
]

/** Where a chapter needs one of the two: one process, or two of them. */
export const ONE_PROCESS: readonly TourRun[] = TOUR_RUNS.filter(({ store }) => store === 'sqlite')
export const TWO_PROCESSES: readonly TourRun[] = TOUR_RUNS.filter(({ store }) => store === 'redis')
/** The same in French. */
export const TWO_PROCESSES_FR: readonly TourRun[] = TWO_PROCESSES.map((run) => ({
  ...run,
  name: run.name.replace('German', 'French'),
  locale: 'fr',
}))

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
 * Starts what a run needs; skips the suite where the machine has no Chromium or Redis.
 * @param env - more of `SVC_*`
 */
export async function openTour(
  run: TourRun,
  suite: Mocha.Context,
  env: Readonly<Record<string, string>> = {},
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
