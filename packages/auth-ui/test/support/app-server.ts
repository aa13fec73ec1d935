import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Listening, listen } from '@svc/testkit'
import Koa from 'koa'
import { appFolders, KIT_PATH } from '../../src/app-folders.ts'
import { pseudoText, turnedText } from '../../src/messages.ts'

export interface AppServerOptions {
  /** Folder of the app. */
  readonly folder: string
  readonly locale?: string
  /** @defaultValue `Alice Martin` */
  readonly name?: string
  /** @defaultValue `alice.example.com` */
  readonly domain?: string
  /** What the page that owners land on leads to. @defaultValue none */
  readonly apps?: readonly { readonly slug: string; readonly name: string }[]
  /** Answers of the endpoints by `METHOD /path`; anything else is 404. */
  readonly answers: Readonly<Record<string, (ctx: Koa.Context) => void | Promise<void>>>
}

export interface AppServer extends Listening {
  /** `METHOD /path` of each call to an endpoint with the token it carried, in order. */
  readonly calls: string[]
  /** Makes the page's current token a dead one: the next fetch of the page gives another. */
  expireToken(): void
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

/** What not every server has, by the endpoint that answers where it does. */
const PARTS = {
  accounts: 'GET /data/io.svc.accounts',
  activity: 'GET /settings/activity',
  konnectors: 'GET /konnectors',
  notifications: 'GET /notifications',
}

/** Serves an app's files and the kit as the host does, with attributes for the mark, and stands in for the instance's endpoints. */
export async function appServer(options: AppServerOptions): Promise<AppServer> {
  const calls: string[] = []
  let generation = 1
  const app = new Koa()
  app.use(async (ctx) => {
    const path = ctx.path === '/' ? '/index.html' : ctx.path
    const type = TYPES[extname(path)]
    if (type === undefined) {
      await answer(ctx)
      return
    }
    ctx.set('Content-Security-Policy', policy)
    const content = await contentOf(path)
    if (content === undefined) return
    ctx.type = type
    if (path.endsWith('.html')) {
      ctx.body = content.replace('data-svc-app', attributes(ctx))
      return
    }
    ctx.set('Content-Encoding', 'gzip')
    ctx.body = gzipSync(content)
  })

  function fileOf(path: string): string {
    const inKit = path.startsWith(`${KIT_PATH}/`)
    return inKit ? join(appFolders.kit, path.slice(KIT_PATH.length)) : join(options.folder, path)
  }

  /** A file's, or a pseudo-language's made of the English texts; undefined where there is none. */
  async function contentOf(path: string): Promise<string | undefined> {
    const pseudo = /^\/locales\/(en-XA|ar-XB)\.json$/u.exec(path)?.[1]
    const file = fileOf(pseudo === undefined ? path : '/locales/en.json')
    const content = await readFile(file, 'utf8').catch(() => undefined)
    if (content === undefined || pseudo === undefined) return content
    const texts = JSON.parse(content) as Record<string, string> // Our own file.
    return JSON.stringify(
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, pseudoOf(text, pseudo)])),
    )
  }

  async function answer(ctx: Koa.Context): Promise<void> {
    calls.push(`${ctx.method} ${ctx.path} ${ctx.get('Authorization')}`)
    if (ctx.get('Authorization') !== `Bearer token-${generation}`) {
      ctx.status = 401
      ctx.body = { error: 'invalid_token' }
      return
    }
    await options.answers[`${ctx.method} ${ctx.path}`]?.(ctx)
  }

  function attributes(ctx: Koa.Context): string {
    const parts = Object.entries(PARTS)
      .filter(([, endpoint]) =>
        Object.keys(options.answers).some((answered) => answered.startsWith(endpoint)),
      )
      .map(([name]) => name)
    const locale = String(ctx.query['locale'] ?? options.locale ?? 'en')
    return (
      `data-svc-app data-svc-token="token-${generation}" data-svc-origin="http://${ctx.host}" ` +
      `data-svc-domain="${options.domain ?? 'alice.example.com'}" ` +
      `data-svc-name="${options.name ?? 'Alice Martin'}" ` +
      `data-svc-apps='${JSON.stringify(options.apps ?? [])}' ` +
      `data-svc-locale="${locale}" data-svc-slug="settings" data-svc-parts="${parts.join(' ')}"`
    )
  }

  return {
    ...(await listen(app)),
    calls,
    expireToken: () => {
      generation += 1
    },
  }
}

/** The words of a text, but not the names of its values. */
function pseudoOf(text: string, locale: string): string {
  return text
    .split(/(\{\w+\})/u)
    .map((part) => (part.startsWith('{') ? part : pseudoText(part)))
    .map((part) => (part.startsWith('{') || locale === 'en-XA' ? part : turnedText(part)))
    .join('')
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
