import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Listening, listen } from '@svc/testkit'
import Koa from 'koa'
import { appFolders, KIT_PATH } from '../../src/app-folders.ts'

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
    const content = await readFile(fileOf(path), 'utf8')
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
    const locale = String(ctx.query['locale'] ?? options.locale ?? 'en')
    return (
      `data-svc-app data-svc-token="token-${generation}" data-svc-origin="http://${ctx.host}" ` +
      `data-svc-domain="${options.domain ?? 'alice.example.com'}" ` +
      `data-svc-name="${options.name ?? 'Alice Martin'}" ` +
      `data-svc-apps='${JSON.stringify(options.apps ?? [])}' ` +
      `data-svc-locale="${locale}" data-svc-slug="settings"`
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
