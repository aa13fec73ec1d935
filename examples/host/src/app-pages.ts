import { Readable } from 'node:stream'
import {
  type AppTokens,
  type Instance,
  OAuthError,
  originOfApp,
  type OwnerSession,
} from '@svc/oauth-core'
import type { Context, Middleware, Next } from 'koa'
import { type AppFile, decodePath, matchRoute, openAppFile } from './app-files.ts'
import type { HostApps } from './apps/registry.ts'

/** What app hosts ask of the log-in side. */
export interface AppHostSessions {
  /**
   * The live session of a request on an app's host. Where app hosts have cookies of their own it may answer the
   * request itself, by a redirect that hands the session over: then `isAnswered`.
   */
  enter(ctx: Context): Promise<{ readonly session?: OwnerSession; readonly isAnswered: boolean }>
}

export interface AppPagesOptions {
  readonly apps: HostApps
  readonly tokens: AppTokens
  readonly sessions: AppHostSessions
}

/**
 * Serves the files of installed apps on their own hosts; nothing of this interface is there, and no
 * `Access-Control-*` header ever. A private page is given to a live session only, with a fresh token in it.
 * @see decisions D28, D29, D53; login.md 9
 */
export function serveApps(options: AppPagesOptions): Middleware {
  const { apps, tokens, sessions } = options

  return async function appPages(ctx: Context, next: Next): Promise<void> {
    const instance = ctx.state['instance'] as Instance | undefined // set by `resolveInstance`
    const slug = ctx.state['appSlug'] as string | undefined // set by `resolveInstance`
    if (instance === undefined || slug === undefined) return next()
    setPageHeaders(ctx, instance)
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw new OAuthError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } })
    }
    const app = await apps.find(instance, slug)
    const path = decodePath(ctx.path)
    const matched =
      app === undefined || path === undefined ? undefined : matchRoute(app.manifest, path)
    if (app === undefined || matched === undefined) throw new OAuthError('not_found')
    const { route, rest } = matched
    const isPage = rest === '' || rest.endsWith('.html')

    let session: OwnerSession | undefined
    if (!route.public) {
      ctx.vary('Cookie')
      // A code in the address hands a session to a page; an asset just has its cookie, or not.
      const entry = await sessions.enter(ctx)
      if (entry.isAnswered) return
      session = entry.session
      if (session === undefined) {
        refuse(ctx, instance, slug, isPage)
        return
      }
    }
    const file = await openAppFile(app.folder, route, rest)
    if (file === undefined) throw new OAuthError('not_found')
    if (!file.isHtml) {
      sendAsset(ctx, file, route.public)
      return
    }
    const token = session && (await tokens.issue(instance, app.manifest, session.id))
    await sendPage(ctx, file, pageAttributes(instance, slug, token))
  }
}

/** @see login.md 9.3 */
function refuse(ctx: Context, instance: Instance, slug: string, isPage: boolean): void {
  ctx.set('Cache-Control', 'no-store')
  if (!isPage) throw new OAuthError('not_authenticated')
  const target = new URL(`${originOfApp(instance, slug)}${ctx.path}`)
  target.search = ctx.search
  target.searchParams.delete('session_code')
  ctx.status = 302
  ctx.redirect(`${instance.origin}/auth/login?redirect=${encodeURIComponent(target.href)}`)
}

function setPageHeaders(ctx: Context, { origin }: Instance): void {
  ctx.set(
    'Content-Security-Policy',
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "font-src 'self'",
      "manifest-src 'self'",
      `connect-src 'self' ${origin}`,
      `form-action 'self' ${origin}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  )
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set('X-Frame-Options', 'DENY')
}

function sendAsset(ctx: Context, file: AppFile, isPublic: boolean): void {
  ctx.set('Cache-Control', isPublic ? 'public, no-cache' : 'private, no-cache')
  ctx.set('ETag', file.etag)
  ctx.status = 200
  ctx.type = file.type
  ctx.length = file.size
  if (ctx.fresh || ctx.method === 'HEAD') {
    if (ctx.fresh) ctx.status = 304
    void file.handle.close()
    if (ctx.method === 'HEAD') ctx.body = Readable.from([])
    return
  }
  ctx.body = file.handle.createReadStream({ end: file.size - 1 })
}

async function sendPage(ctx: Context, file: AppFile, attributes: string): Promise<void> {
  try {
    const html = await file.handle.readFile('utf8')
    ctx.set('Cache-Control', 'no-store')
    ctx.status = 200
    ctx.type = file.type
    // Only the first mark counts: what follows in a page may come from a template of the app.
    ctx.body = html.replace(MARK, (_whole, before: string) => `${before} ${attributes}`)
  } finally {
    await file.handle.close()
  }
}

const MARK = /(<[a-zA-Z][^<>]*?\sdata-svc-app)(?:="[^"]*")?(?=[\s/>])/

function pageAttributes(instance: Instance, slug: string, token: string | undefined): string {
  const values: Record<string, string> = {
    domain: instance.domain,
    locale: instance.locale,
    origin: instance.origin,
    slug,
    ...(token !== undefined && { token }),
  }
  return Object.entries(values)
    .map(([name, value]) => `data-svc-${name}="${escapeAttribute(value)}"`)
    .join(' ')
}

function escapeAttribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
