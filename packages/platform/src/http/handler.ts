import type { IncomingMessage, ServerResponse } from 'node:http'
import { describeError } from '@svc/store'
import type { Context, Middleware } from 'koa'
import type { PlatformLog } from '../log/log-events.ts'
import type { Instance } from '../instances/instance.ts'
import { type Claims, claimsOf } from './claims.ts'
import { logOnce } from './log-once.ts'
import { LookingKoa } from './looking-koa.ts'
import { createPagePaths } from './page-paths.ts'
import { refuseMisplaced, removeForeignHeaders } from './mount-faults.ts'
import { RequestError } from './request-error.ts'
import type { Requests } from './requests.ts'
import type { Look, Resolver } from './resolve-instance.ts'
import type { Mount, RouteTable } from './route-table.ts'

/** A listener of `node:http`, or whatever takes the same two. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => unknown

/** How the handler stands in front of a server. */
export interface HandlerOptions {
  /**
   * What the packages answer: `[ui.routes(), oauth.routes({ pages: ui.pages }), …]`, in any order. `resolveInstance` runs
   * before them and is not listed.
   */
  readonly routes: readonly Middleware[]
  /** Gets what is not ours, untouched. @defaultValue 404 */
  readonly next?: NodeListener
  /** What becomes of requests to hosts that no instance has; `next` is for servers with other sites. @defaultValue `refuse` */
  readonly unknownHosts?: 'refuse' | 'next'
}

/** A listener for `createServer`, and a middleware of Express and Connect. */
export interface RequestHandler {
  /** @param next - gets what is not ours, in place of the option; it is never given an error */
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void
  /** Whether a path is answered here on an instance's host, whatever the method: other methods are 405. */
  claims(method: string, path: string): boolean
}

/** What the handler stands on. */
export interface HandlerParts {
  readonly log: PlatformLog
  readonly table: RouteTable
  readonly resolver: Resolver
  readonly requests: Requests
}

interface Item {
  readonly middleware: Middleware
  readonly claims: Claims
}

/** What a request goes to, from the look at it to its answer: whose an app is is asked of the host's registry. */
const CHOSEN = 'svc.chosen'

const GONE: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ECONNABORTED',
])

/**
 * Stands in front of any framework: paths of the interface on hosts of instances are answered here, everything else goes
 * on untouched.
 * @throws TypeError for what is not the routes of a package, and for a path that two of them claim
 */
export function createHandler(given: HandlerOptions, parts: HandlerParts): RequestHandler {
  const { log, table, resolver, requests } = parts
  const items = itemsOf(given.routes)
  checkPaths(items, table)
  const byMount = new Map(items.flatMap((item) => item.claims.mounts.map((at) => [at, item])))
  const paths = createPagePaths(table)
  const isForeignHost = given.unknownHosts === 'next'

  function itemAt(path: string): Item | undefined {
    for (const { mount } of table.find(path)) {
      const item = byMount.get(mount)
      if (item !== undefined) return item
    }
    return undefined
  }

  async function itemOfApp(instance: Instance, slug: string): Promise<Item | undefined> {
    for (const item of items) {
      if ((await item.claims.servesApp?.(instance, slug)) === true) return item
    }
    return undefined
  }

  function itemFor(
    ctx: Context,
    instance: Instance,
    slug: string | undefined,
  ): Item | undefined | Promise<Item | undefined> {
    return slug === undefined ? itemAt(ctx.path) : itemOfApp(instance, slug)
  }

  async function dispatch(ctx: Context): Promise<void> {
    const instance = ctx.state['instance'] as Instance // Behind `resolveInstance`.
    const slug = ctx.state['appSlug'] as string | undefined
    let item = ctx.state[CHOSEN] as Item | undefined // Of the look.
    try {
      item ??= await itemFor(ctx, instance, slug)
    } catch (error) {
      // The registry of apps is the host's, and may be out of reach.
      await resolver.refuse(ctx, error)
      return
    }
    if (item === undefined) throw new RequestError('not_found')
    await item.middleware(ctx, nobody)
  }

  const koa = new LookingKoa()
  koa.on('error', (error: NodeJS.ErrnoException) => {
    // All that Koa is left with: an answer that broke while it was sent.
    if (GONE.has(error.code)) return
    log.error('request.failed', { status: 500, code: 'broken', cause: describeError(error) })
  })
  for (const { middleware, claims } of items) if (claims.takes !== undefined) koa.use(middleware)
  koa.use(resolver.middleware)
  koa.use(dispatch)

  /** Whether a request is somebody else's. Answers at once what is known: nearly always. */
  function isForeign(ctx: Context): boolean | Promise<boolean> {
    if (items.some(({ claims }) => claims.takes?.(ctx.req) === true)) return false
    const looking = requests.look(ctx)
    return looking instanceof Promise
      ? looking.then((look) => isForeignAfter(look, ctx))
      : isForeignAfter(looking, ctx)
  }

  function isForeignAfter(look: Look, ctx: Context): boolean | Promise<boolean> {
    if (look.to === 'nobody') {
      if (!isForeignHost) sayUnknownHost(log, ctx)
      return isForeignHost
    }
    if (look.to === 'resolver') return false
    const choose = (item: Item | undefined): boolean => {
      ctx.state[CHOSEN] = item
      return item === undefined
    }
    const { instance, appSlug } = look
    const finding = itemFor(ctx, instance, appSlug)
    // `dispatch` comes upon the same fault, and answers it.
    return finding instanceof Promise ? finding.then(choose, () => false) : choose(finding)
  }

  function pass(ctx: Context, isElsewhere: boolean, next: (() => unknown) | undefined): void {
    if (isElsewhere && next !== undefined) {
      next()
      return
    }
    removeForeignHeaders(ctx.res, log)
    void koa.answer(ctx)
  }

  function handle(
    request: IncomingMessage,
    response: ServerResponse,
    next: (() => unknown) | undefined,
  ): void {
    const ctx = koa.createContext(request, response)
    const deciding = isForeign(ctx)
    if (deciding instanceof Promise) void deciding.then((isIt) => pass(ctx, isIt, next))
    else pass(ctx, deciding, next)
  }

  function handler(
    request: IncomingMessage,
    response: ServerResponse,
    next?: (error?: unknown) => void,
  ): void {
    if (refuseMisplaced(request, response, log)) return
    const { next: listener } = given
    handle(
      request,
      response,
      next === undefined ? listener && (() => listener(request, response)) : () => next(),
    )
  }

  return Object.assign(handler, {
    claims: (_method: string, path: string) => itemAt(path) !== undefined || paths.isReserved(path),
  })
}

function itemsOf(routes: readonly Middleware[]): readonly Item[] {
  return routes.map((middleware, at) => {
    const claims = claimsOf(middleware)
    if (claims === undefined) {
      throw new TypeError(
        `options.routes[${at}]: not the routes of a package; what is yours belongs behind next`,
      )
    }
    return { middleware, claims }
  })
}

/** @throws TypeError naming every path that two of them claim */
function checkPaths(items: readonly Item[], table: RouteTable): void {
  const faults = new Set<string>()
  for (const [at, { claims }] of items.entries()) {
    const others = new Set<Mount>(items.slice(at + 1).flatMap((other) => other.claims.mounts))
    for (const one of table.pathsOf(new Set(claims.mounts))) {
      const clash = table.pathsOf(others).find((other) => one.overlaps(other))
      if (clash !== undefined) faults.add(`options.routes: ${one.path} is claimed twice`)
    }
  }
  if (faults.size > 0) throw new TypeError([...faults].join('\n'))
}

function nobody(): Promise<void> {
  throw new RequestError('not_found')
}

function sayUnknownHost(log: PlatformLog, ctx: Context): void {
  const hint =
    'no instance has this host: create one, or pass unknownHosts: "next" for sites of yours'
  logOnce(log, 'mount.unknown_host', (to) =>
    to.info('mount.unknown_host', { hint, host: ctx.get('Host').slice(0, 260) }),
  )
}
