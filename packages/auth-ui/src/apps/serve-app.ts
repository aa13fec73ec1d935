import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { type ManifestRoute, OAuthError } from '@svc/oauth-core'
import { Parameters, type RouteContext } from '@svc/platform'
import type { Context } from 'koa'
import { appFolders, KIT_PATH } from '../app-folders.ts'
import { type AppFile, type AppFolder, decodePath, matchRoute, openAppFile } from './app-files.ts'
import type { AppPages, AppVisit } from './app-pages.ts'

/**
 * Serves the files of an installed app on its own host, and the kit; nothing of this interface is there, and no
 * `Access-Control-*` header ever. A private page is given to a live session only, with a fresh token in it. Runs behind
 * `resolveInstance`, with `ctx.state.appSlug` set.
 *
 * @param visits - who may see what, and with which token: `ui.appPages`
 * @param app - undefined: no app is there, which is 404
 * @throws OAuthError `not_found`, `method_not_allowed`, and what a visit throws
 * @see decisions D28, D29, D53; login.md 9
 */
export async function serveAppFolder(
  context: Context,
  visits: AppPages,
  app: AppFolder | undefined,
): Promise<void> {
  // Behind `resolveInstance` the instance is known; the router's own members are not used here.
  const ctx = context as RouteContext
  ctx.state.query = Parameters.parse(ctx.querystring)
  setPageHeaders(ctx)
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    throw new OAuthError('method_not_allowed', { headers: { Allow: 'GET, HEAD' } })
  }
  const path = decodePath(ctx.path)
  if (app === undefined || path === undefined) throw new OAuthError('not_found')
  if (path === KIT_PATH || path.startsWith(`${KIT_PATH}/`)) {
    await serveKit(ctx, path.slice(KIT_PATH.length + 1))
    return
  }
  const matched = matchRoute(app.manifest, path)
  if (matched === undefined) throw new OAuthError('not_found')
  const { route, rest } = matched
  const isPage = rest === '' || rest.endsWith('.html')

  if (!route.public) ctx.vary('Cookie')
  // Before the file is looked for: who may not see it learns nothing of it.
  const visit = await visits.visit(ctx, { isPage, isPublic: route.public })
  if (visit === undefined) return
  const file = await openAppFile(app.folder, route, rest)
  if (file === undefined) throw new OAuthError('not_found')
  if (file.isHtml) await sendPage(ctx, file, visit)
  else sendAsset(ctx, file, route.public)
}

/** The kit is the same for everybody and on the host of every app: nobody is asked who they are. */
async function serveKit(ctx: RouteContext, name: string): Promise<void> {
  const file = await openAppFile(appFolders.kit, KIT_ROUTE, name)
  if (file === undefined) throw new OAuthError('not_found')
  sendAsset(ctx, file, true)
}

const KIT_ROUTE: ManifestRoute = { folder: '', index: '', public: true }

function setPageHeaders(ctx: RouteContext): void {
  const { origin } = ctx.state.instance
  ctx.set(
    'Content-Security-Policy',
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "font-src 'self'",
      "manifest-src 'self'",
      // Named apart: a source with http does not cover the websocket of the same host (CSP 3, 6.7.2.8).
      `connect-src 'self' ${origin} ${origin.replace(/^http/, 'ws')}`,
      `form-action 'self' ${origin}`,
      "base-uri 'none'",
      "object-src 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  )
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set('X-Frame-Options', 'DENY')
}

function sendAsset(ctx: RouteContext, file: AppFile, isPublic: boolean): void {
  ctx.set('Cache-Control', isPublic ? 'public, no-cache' : 'private, no-cache')
  ctx.vary('Accept-Encoding')
  const isZipped = mayZip(file) && ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  ctx.set('ETag', isZipped ? file.etag.replace(/"$/, '-gzip"') : file.etag)
  ctx.status = 200
  ctx.type = file.type
  if (ctx.fresh) {
    void file.handle.close()
    ctx.status = 304
    return
  }
  if (isZipped) ctx.set('Content-Encoding', 'gzip')
  else ctx.length = file.size
  if (ctx.method === 'HEAD' || file.size === 0) {
    void file.handle.close()
    // An empty stream rather than an empty text: that would be taken for the length.
    ctx.body = Readable.from([])
    return
  }
  // The stream closes the file. A file that grows meanwhile is cut where its length said.
  const content = file.handle.createReadStream({ end: file.size - 1 })
  // Whichever of the two ends first, the other one ends with it, and the file is closed.
  ctx.body = isZipped ? pipeline(content, createGzip(), () => {}) : content
}

const ZIP_FROM_BYTES = 512

/** Texts that are the same for everybody: never a page, which holds a token (its length would tell of it). */
function mayZip({ type, size, isHtml }: AppFile): boolean {
  return !isHtml && size >= ZIP_FROM_BYTES && /^text\/|\/json|\+json|\+xml/.test(type)
}

async function sendPage(ctx: RouteContext, file: AppFile, visit: AppVisit): Promise<void> {
  try {
    const html = await file.handle.readFile('utf8')
    ctx.set('Cache-Control', 'no-store')
    ctx.status = 200
    ctx.type = file.type
    const attributes = Object.entries(visit.attributes)
      .map(([name, value]) => `${name}="${escapeAttribute(value)}"`)
      .join(' ')
    // Only the first mark counts: what follows in a page may come from a template of the app.
    ctx.body = html.replace(MARK, (_whole, before: string) => `${before} ${attributes}`)
  } finally {
    await file.handle.close()
  }
}

/** The element that takes the attributes: the first one with `data-svc-app`. */
const MARK = /(<[a-zA-Z][^<>]*?\sdata-svc-app)(?:="[^"]*")?(?=[\s/>])/

function escapeAttribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
