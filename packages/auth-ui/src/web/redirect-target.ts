import type { ResolvedOptions } from '../options.ts'
import type { AuthUiServices } from '../services.ts'
import { type Instance, isSlug, originOfApp, parseAppHost, withoutParameters } from '@svc/platform'
import { AuthUiError } from '../errors.ts'

/** Where a browser may be sent after a login. Only this file makes them. */
export interface RedirectTarget {
  /** Slug of the app it leads to; undefined on the instance's own host. */
  readonly slug?: string
  /** Another host, of a list given to {@link parseTarget}. */
  readonly outerHost?: string
  /** Serialised; on the instance's own host without fragment. */
  readonly href: string
  readonly origin: string
  /** The target is an authorization, whose session is short. */
  readonly isAuthorize: boolean
}

/** What decides where a browser may be sent. */
export interface RedirectServices extends Pick<AuthUiServices, 'apps'> {
  readonly options: Pick<ResolvedOptions, 'home' | 'homeSlug' | 'requireInstalledApp'>
}

const NO_HOSTS: ReadonlySet<string> = new Set()
const MAX_CHARS = 2048
const MAX_AUTHORIZE_CHARS = 12_288
// Control characters are exactly what must not pass.
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\s\\]/
const SCHEME = /^[a-z][a-z0-9+.-]*:/
const AUTHORITY = /^[a-z]+:\/\/([^/?#]+)/

/**
 * Reads a `redirect` parameter, wherever one is given: an absolute URL, or `slug[/path]`. Targets are serialised
 * URLs, never the text that was sent.
 * @param alsoHosts - other hosts (`host[:port]`, as URLs write them) that are as good, over https
 * @throws AuthUiError `bad_redirect`
 * @see login.md 4.6
 */
export async function parseTarget(
  services: RedirectServices,
  instance: Instance,
  raw: string,
  alsoHosts: ReadonlySet<string> = NO_HOSTS,
): Promise<RedirectTarget> {
  if (raw.length > MAX_AUTHORIZE_CHARS) throw bad('too long')
  if (FORBIDDEN.test(raw) || !raw.isWellFormed()) throw bad('forbidden character')
  const target = SCHEME.test(raw)
    ? await parseUrlForm(services, instance, raw, alsoHosts)
    : await parseSlugTarget(services, instance, raw)
  // SPEC: decision D54 - only an authorization may be long.
  if (raw.length > MAX_CHARS && !isAuthorizePath(target)) throw bad('too long')
  return target
}

/** `slug[/path][?query][#hash]` only. @throws AuthUiError `bad_redirect` */
export async function parseSlugTarget(
  services: RedirectServices,
  instance: Instance,
  raw: string,
): Promise<RedirectTarget> {
  if (raw.length > MAX_CHARS) throw bad('too long')
  if (FORBIDDEN.test(raw) || !raw.isWellFormed()) throw bad('forbidden character')
  const [, slug = '', path = '', query = '', hash = ''] =
    /^([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/.exec(raw) ?? []
  if (!isSlug(slug)) throw bad('neither a URL nor an app')
  await requireInstalled(services, instance, slug)
  const url = new URL(originOfApp(instance, slug))
  url.pathname = path
  url.search = query
  url.hash = hash
  return appTarget(url, slug)
}

/** Where a login leads without one. */
export async function homeTarget(
  services: RedirectServices,
  instance: Instance,
): Promise<RedirectTarget> {
  const chosen = instance.defaultRedirection ?? ''
  if (chosen !== '' && !chosen.startsWith('http')) {
    try {
      return await parseSlugTarget(services, instance, chosen)
    } catch (error) {
      if (!AuthUiError.is(error)) throw error
      // A setting that names a removed app must not shut the owner out.
    }
  }
  const { home, homeSlug } = services.options
  if (home !== undefined) return ownTarget(new URL(`${instance.origin}${home}`))
  return appTarget(new URL(originOfApp(instance, homeSlug)), homeSlug)
}

async function parseUrlForm(
  services: RedirectServices,
  instance: Instance,
  raw: string,
  alsoHosts: ReadonlySet<string>,
): Promise<RedirectTarget> {
  const url = parseUrl(instance, raw)
  if (url.host === instance.domain || instance.aliases.includes(url.host)) return ownTarget(url)
  if (url.protocol === 'https:' && alsoHosts.has(url.host)) return outerTarget(url)
  const app = parseAppHost(url.host, instance.subdomains)
  if (app === undefined || app.domain !== instance.domain) throw bad('foreign host')
  if (services.options.requireInstalledApp) await requireInstalled(services, instance, app.slug)
  return appTarget(url, app.slug)
}

async function requireInstalled(
  services: RedirectServices,
  instance: Instance,
  slug: string,
): Promise<void> {
  if ((await services.apps.installed(instance, slug)) === undefined) throw bad('no such app')
}

/** Session code and fragment of the `Location` that leads to a target. */
export interface LocationOptions {
  /** `keep` after a form was posted, `empty` otherwise; a target on the instance's own host never has one. */
  readonly fragment: 'keep' | 'empty'
  /** Code that hands the session to a flat app host. */
  readonly sessionCode?: string
}

/** A trailing `#` stops the browser from carrying its own fragment on. */
export function locationOf(target: RedirectTarget, options: LocationOptions): string {
  const url = new URL(target.href)
  const hash = target.slug !== undefined && options.fragment === 'keep' ? url.hash : ''
  const [bare = ''] = url.href.split('#', 1)
  const clean = withoutSessionCode(bare)
  const { sessionCode } = options
  const address =
    sessionCode === undefined
      ? clean
      : `${clean}${clean.includes('?') ? '&' : '?'}session_code=${sessionCode}`
  if (hash !== '') return address + hash
  return target.slug === undefined || options.fragment === 'empty' ? `${address}#` : address
}

/** The URL without `session_code` parameters; everything else stays byte for byte. Without a fragment in it. */
export function withoutSessionCode(url: string): string {
  return withoutParameters(url, ['session_code'])
}

/** Whether the app has a cookie of its own, which only a session code can open. */
export function needsSessionCode(instance: Instance, target: RedirectTarget): boolean {
  return instance.subdomains === 'flat' && target.slug !== undefined
}

/** What CSP `form-action` must name beside `'self'` for a form that ends there (D48). */
export function formActionSources(instance: Instance, target: RedirectTarget): readonly string[] {
  return target.origin === instance.origin ? [] : [target.origin]
}

function parseUrl(instance: Instance, raw: string): URL {
  const scheme = instance.isHttps ? 'https://' : 'http://'
  if (!raw.startsWith(scheme) && !raw.startsWith('https://')) throw bad('scheme')
  const authority = AUTHORITY.exec(raw)?.[1] ?? ''
  if (authority === '' || authority.includes('@') || !isDecent(authority)) throw bad('authority')
  const url = URL.parse(raw)
  if (url === null) throw bad('not a URL')
  if (url.username !== '' || url.password !== '') throw bad('credentials')
  return url
}

function isDecent(authority: string): boolean {
  try {
    return !FORBIDDEN.test(decodeURIComponent(authority))
  } catch {
    return false
  }
}

function ownTarget(url: URL): RedirectTarget {
  url.hash = ''
  const isAuthorize = url.pathname === '/auth/authorize'
  return {
    href: url.href,
    origin: url.origin,
    // SPEC: login.md 2.2 - except scope `login`.
    isAuthorize: isAuthorize && url.searchParams.get('scope') !== 'login',
  }
}

function appTarget(url: URL, slug: string): RedirectTarget {
  return { slug, href: url.href, origin: url.origin, isAuthorize: false }
}

function outerTarget(url: URL): RedirectTarget {
  return { outerHost: url.host, href: url.href, origin: url.origin, isAuthorize: false }
}

function isAuthorizePath(target: RedirectTarget): boolean {
  if (target.slug !== undefined || target.outerHost !== undefined) return false
  const { pathname } = new URL(target.href)
  return pathname === '/auth/authorize' || pathname.startsWith('/auth/authorize/')
}

function bad(detail: string): AuthUiError {
  return new AuthUiError('bad_redirect', { description: `bad url: ${detail}` })
}

/**
 * SPEC: security.md 30 - what an earlier step accepted is not changed by a later one. Published clients name it again.
 * @param accepted - `href` of the earlier step
 * @throws AuthUiError `invalid_parameter`
 */
export function requireSameTarget(again: RedirectTarget | undefined, accepted: string): void {
  if (again === undefined || again.href === accepted) return
  throw new AuthUiError('invalid_parameter', { description: 'redirect differs' })
}

/**
 * Where a login of several steps leads; undefined: home. An earlier step that named nothing leaves it to this one.
 * @param again - what this step names
 * @throws AuthUiError `invalid_parameter` when the two differ
 * @see docs/decisions/0215-where-later-steps-lead.md
 */
export async function acceptedTarget(
  accepted: string | undefined,
  again: RedirectTarget | undefined,
  parse: (raw: string) => Promise<RedirectTarget>,
): Promise<RedirectTarget | undefined> {
  if (accepted === undefined) return again
  requireSameTarget(again, accepted)
  try {
    return again ?? (await parse(accepted))
  } catch (error) {
    if (!(error instanceof AuthUiError)) throw error
    // It was valid in the earlier step: an app removed meanwhile must not shut the owner out.
    return undefined
  }
}
