import { randomUUID } from 'node:crypto'
import type { Context, Middleware, Next } from 'koa'
import { heldError } from './held-error.ts'
import { RequestError } from './request-error.ts'
import { baseHeaders, setBaseHeaders, setEndpointHeaders } from './headers.ts'
import { type HttpError, isHttpError } from './http-error.ts'
import { namesHtml, prefersJson } from './negotiate.ts'
import { unknownHostPage } from './plain-page.ts'
import { renderError } from './render-error.ts'
import type { PagePaths } from './page-paths.ts'
import { appHost, parseAppHost } from '../instances/app-host.ts'
import { isHostSyntax, withoutDefaultPort } from '../instances/domain.ts'
import { holdOf } from '../instances/frozen.ts'

import type { Instance } from '../instances/instance.ts'
import type { Addressing } from '../instances/instance-record.ts'
import type { InstanceStore } from '../instances/instance-store.ts'
import type { PlatformLog } from '../log/log-events.ts'

export interface ResolveOptions extends Addressing {
  readonly instances: Pick<InstanceStore, 'byHost' | 'known'>
  readonly log: PlatformLog
  readonly clock: { now(): number }
  /** Trusted proxies in front; 0: `X-Forwarded-Proto` is not looked at. */
  readonly trustProxy: number
  /** Renders an error as a page, when somebody can. */
  readonly page: () => ((ctx: Context, error: HttpError) => Promise<void>) | undefined
  readonly paths: Pick<PagePaths, 'isDeclared' | 'isPage' | 'isReserved'>
}

/** What a look found, for the middleware behind it. */
const LOOKED = 'svc.looked'

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whose host a request named. */
interface Addressee {
  readonly instance: Instance
  readonly appSlug?: string
  /** The host to use instead: the request named an alias. */
  readonly canonicalHost?: string
}

/** What a look at a request found out, before anything is answered. */
export type Look =
  /** It may go on to whoever has its path. */
  | ({ readonly to: 'instance' } & Pick<Addressee, 'instance' | 'appSlug'>)
  /** Nobody has its host. */
  | { readonly to: 'nobody' }
  /** It is answered here: refused, or sent to another address. */
  | { readonly to: 'resolver' }

const TO_RESOLVER: Look = { to: 'resolver' }

/** Finds out whose host a request names, and refuses what nobody may have. */
export interface Resolver {
  /**
   * The first middleware: Host to `ctx.state.instance` and `ctx.state.appSlug`, before anything else looks at the
   * request. Nothing of the request ends up in an address that is sent out.
   * @see security.md 1, 2, 3, 4, 12; decision D53
   */
  readonly middleware: Middleware
  /** Reads only: of a request that may be somebody else's to answer. Answers at once what is known. Never throws. */
  look(ctx: Context): Look | Promise<Look>
  /**
   * The same checks for a request whose answer is not ours to send elsewhere.
   * @throws HttpError
   */
  admit(ctx: Context): Promise<void>
  /** Answers what {@link Resolver.admit} throws. */
  refuse(ctx: Context, error: unknown): Promise<void>
}

export function createResolver(options: ResolveOptions): Resolver {
  const { instances, log, clock, page, paths, subdomains, isHttps } = options
  const { isPage } = paths

  async function find(host: string): Promise<Addressee | undefined> {
    const instance = await instances.byHost(host)
    if (instance !== undefined) {
      return instance.domain === host ? { instance } : { instance, canonicalHost: instance.domain }
    }
    const app = parseAppHost(host, subdomains)
    const owner = app === undefined ? undefined : await instances.byHost(app.domain)
    if (app === undefined || owner === undefined) return undefined
    const addressee = { instance: owner, appSlug: app.slug }
    if (app.domain === owner.domain) return addressee
    return { ...addressee, canonicalHost: appHost(owner.domain, app.slug, subdomains) }
  }

  /** Nearly always at once: the domain of an instance that is in use. */
  function lookUp(ctx: Context): Addressee | undefined | Promise<Addressee | undefined> {
    checkTarget(ctx)
    const named = hostOf(ctx)
    const colon = named.indexOf(':')
    const host = colon === -1 ? named : withoutDefaultPort(named, isHttps(named.slice(0, colon)))
    const instance = instances.known(host)
    return instance?.domain === host ? { instance } : find(host)
  }

  /** What a look found, or what is found now. */
  function looked(ctx: Context): Addressee | undefined | Promise<Addressee | undefined> {
    return (ctx.state[LOOKED] as Addressee | undefined) ?? lookUp(ctx) // Set below.
  }

  function requireAddressee(found: Addressee | undefined): Addressee {
    if (found === undefined || found.instance.status === 'deleting') {
      throw new RequestError('not_found')
    }
    return found
  }

  /** Where a request has to come again, if it has to. @throws RequestError for one that cannot be sent there */
  function elsewhere(
    ctx: Context,
    { instance, appSlug, canonicalHost }: Addressee,
  ): string | undefined {
    const isPlain = instance.isHttps && forwardedProto(ctx, options.trustProxy) === 'http'
    if (!isPlain && canonicalHost === undefined) return undefined
    if (!isPageRequest(ctx, appSlug)) {
      if (isPlain) throw httpsRequired()
      // Apps are used on the domain's own hosts; whatever else an alias serves answers with the domain's addresses.
      if (appSlug !== undefined) throw new RequestError('not_found')
      return undefined
    }
    const host = canonicalHost ?? appHostOf(instance, appSlug)
    return `${instance.isHttps ? 'https' : 'http'}://${host}${pathAndQuery(ctx)}`
  }

  function checkInstance(ctx: Context, { instance }: Addressee): void {
    // SPEC: operation.md 4.3 - an instance that is read takes no changes, one that moves nothing at all.
    const hold = holdOf(instance, clock.now())
    if (hold === 'out-of-service' || (hold !== undefined && !READS.has(ctx.method))) {
      throw heldError(hold)
    }
    if (instance.status === 'blocked') throw new RequestError('blocked')
  }

  function isPageRequest(ctx: Context, appSlug: string | undefined): boolean {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return false
    if (appSlug !== undefined) return true
    return isPage(ctx.path) ?? wantsPage(ctx)
  }

  /** SPEC: D53, D87 - app hosts have nothing of the interface, and nobody answers in its place on the instance's. */
  function isRefused(path: string, appSlug: string | undefined): boolean {
    if (appSlug === undefined) return paths.isReserved(path)
    return path !== '/' && (paths.isDeclared(path) || paths.isReserved(path))
  }

  /** @throws HttpError that the middleware comes upon, too, and answers */
  function lookAt(ctx: Context, found: Addressee | undefined): Look {
    if (found === undefined) return { to: 'nobody' }
    ctx.state[LOOKED] = found
    const { instance, appSlug } = found
    if (instance.status === 'deleting') return TO_RESOLVER
    checkInstance(ctx, found)
    const isAnswered = isRefused(ctx.path, appSlug) || elsewhere(ctx, found) !== undefined
    if (isAnswered) return TO_RESOLVER
    return { to: 'instance', instance, ...(appSlug !== undefined && { appSlug }) }
  }

  /** Notes in the context who is addressed. */
  function note(ctx: Context, { instance, appSlug }: Addressee): void {
    setBaseHeaders(ctx, instance, appSlug)
    ctx.state['instance'] = instance
    if (appSlug !== undefined) ctx.state['appSlug'] = appSlug
  }

  async function resolve(ctx: Context, next: Next): Promise<void> {
    begin(ctx)
    let found: Addressee
    try {
      const looking = looked(ctx)
      found = requireAddressee(looking instanceof Promise ? await looking : looking)
      note(ctx, found)
      checkInstance(ctx, found)
      if (isRefused(ctx.path, found.appSlug)) throw new RequestError('not_found')
      const location = elsewhere(ctx, found)
      if (location !== undefined) {
        setEndpointHeaders(ctx)
        ctx.status = 302
        ctx.set('Location', location)
        ctx.body = ''
        return
      }
    } catch (error) {
      await refuse(ctx, error)
      return
    }
    try {
      await next()
    } catch (error) {
      // What comes behind may throw our errors, or its own: those are the application's to answer.
      if (isHttpError(error)) await refuse(ctx, error)
      else throw withBaseHeaders(error, found)
    }
  }

  async function refuse(ctx: Context, error: unknown): Promise<void> {
    const isKnown = ctx.state['instance'] !== undefined
    // Before the instance is known nothing has set them.
    if (!isKnown) setBaseHeaders(ctx, undefined)
    setEndpointHeaders(ctx)
    const asPage = isKnown ? page() : pageOfUnknownHost(ctx, error)
    const isPageError = asPage !== undefined && isPage(ctx.path) !== false && wantsPage(ctx)
    await renderError(ctx, error, isPageError ? 'html' : 'json', {
      log,
      ...(asPage === undefined ? {} : { page: asPage }),
    })
  }

  return {
    middleware: resolve as Middleware,
    refuse,
    look(ctx) {
      try {
        const looking = lookUp(ctx)
        return looking instanceof Promise
          ? looking.then((found) => lookAt(ctx, found)).catch(() => TO_RESOLVER)
          : lookAt(ctx, looking)
      } catch {
        return TO_RESOLVER
      }
    },
    async admit(ctx) {
      begin(ctx)
      const found = requireAddressee(await looked(ctx))
      note(ctx, found)
      checkInstance(ctx, found)
      const { instance, appSlug, canonicalHost } = found
      // As in `elsewhere`; and nobody can be sent on from here.
      if (appSlug !== undefined && canonicalHost !== undefined) throw new RequestError('not_found')
      if (instance.isHttps && forwardedProto(ctx, options.trustProxy) === 'http') {
        throw httpsRequired()
      }
    },
  }
}

function begin(ctx: Context): void {
  ctx.state['requestId'] = randomUUID()
}

function httpsRequired(): RequestError {
  return new RequestError('invalid_request', { description: 'https is required' })
}

/** SPEC: D53 - a browser gets a page, a program the JSON as ever. */
function pageOfUnknownHost(ctx: Context, error: unknown): typeof unknownHostPage | undefined {
  const isNotFound = isHttpError(error) && error.status === 404
  return isNotFound && namesHtml(ctx) ? unknownHostPage : undefined
}

/** Whether somebody looks at the answer: a call with a token, or for JSON, is a program's. */
function wantsPage(ctx: Context): boolean {
  return ctx.get('Authorization') === '' && !prefersJson(ctx)
}

/** SPEC: security.md 12 - one spelling of a target; what Koa could not parse never reaches it. */
function checkTarget(ctx: Context): void {
  const target = ctx.req.url ?? ''
  if (target.startsWith('/')) return
  const host = /^https?:\/\//i.test(target) && URL.canParse(target) ? new URL(target).host : ''
  // RFC 9112 3.2.2 lets the target win over Host: a request must not name two.
  if (host === '' || host !== ctx.req.headers.host?.toLowerCase()) {
    throw new RequestError('invalid_request', { description: 'malformed request target' })
  }
}

function hostOf(ctx: Context): string {
  const { rawHeaders } = ctx.req
  let host: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length !== 4 || rawHeaders[i]?.toLowerCase() !== 'host') continue
    if (host !== undefined) throw malformedHost()
    host = rawHeaders[i + 1]
  }
  // HTTP/2 names the host in a header of its own.
  host ??= String(ctx.req.headers[':authority'] ?? '')
  if (!isHostSyntax(host)) throw malformedHost()
  return host.toLowerCase()
}

function malformedHost(): RequestError {
  return new RequestError('invalid_request', { description: 'malformed Host header' })
}

function forwardedProto(ctx: Context, hops: number): string | undefined {
  if (hops === 0) return undefined
  const protocols = ctx.get('X-Forwarded-Proto').toLowerCase().split(',')
  return (protocols.at(-hops) ?? protocols[0])?.trim()
}

function appHostOf({ domain, subdomains }: Instance, slug: string | undefined): string {
  return slug === undefined ? domain : appHost(domain, slug, subdomains)
}

/** Byte for byte what was asked for, without scheme and host. */
function pathAndQuery(ctx: Context): string {
  const target = ctx.req.url ?? '/'
  if (target.startsWith('/')) return target
  return target.replace(/^[^/]*\/\/[^/?#]*/, '') || '/'
}

/** Koa drops all headers when it answers an error, except those the error brings. */
function withBaseHeaders(error: unknown, { instance, appSlug }: Addressee): unknown {
  if (!(error instanceof Error)) return error
  const own = (error as { headers?: Record<string, string> }).headers
  const headers = { ...baseHeaders(instance, appSlug), ...own }
  return Object.assign(error, { headers })
}
