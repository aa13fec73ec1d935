import type { Instance, RouteContext } from '@svc/platform'
import { type Listening, listen } from '@svc/testkit'
import Koa from 'koa'
import { createPages } from '../../src/pages/create-pages.ts'
import { createMessages } from '../../src/messages.ts'
import type { PageRenderer } from '../../src/pages/page-renderer.ts'
import type { Slots } from '../../src/pages/slots.ts'
import type { ThemeOption } from '../../src/pages/theme-option.ts'
import { SAMPLES } from './sample-models.ts'
import { REQUEST_OPTIONS } from './step-models.ts'

export interface SampleServerOptions {
  readonly locale?: string
  readonly publicName?: string
  readonly domain?: string
  readonly theme?: ThemeOption
  readonly slots?: Slots
  /** What `POST` answers, after the body was recorded. */
  readonly answer?: (ctx: Koa.Context) => void | Promise<void>
}

export interface SampleServer extends Listening {
  readonly pages: PageRenderer
  /** Bodies that were posted, in order. */
  readonly posted: URLSearchParams[]
}

/** Serves `/<sample>?locale=` and the pages' own files: real views, scripts and headers, no rules behind them. */
export async function sampleServer(options: SampleServerOptions = {}): Promise<SampleServer> {
  const posted: URLSearchParams[] = []
  const pages = createPages({
    namespace: 'io.svc',
    messages: createMessages({ pseudo: true }),
    localeOf: (ctx, instance) => String(ctx.query['locale'] ?? instance.locale),
    ...(options.theme === undefined ? {} : { theme: options.theme }),
    ...(options.slots === undefined ? {} : { slots: options.slots }),
  })
  const app = new Koa()
  app.use(async (plain) => {
    // The pages read `instance` only.
    const ctx = plain as RouteContext
    ctx.state.instance = {
      domain: options.domain ?? 'alice.example.com',
      locale: options.locale ?? 'en',
      publicName: options.publicName ?? 'Alice Martin',
    } as Instance
    if (ctx.path === '/auth/login/passkey/options') {
      const { allowCredentials: _none, ...asked } = REQUEST_OPTIONS
      ctx.body = { ...asked, userVerification: 'required' }
      return
    }
    if (ctx.method === 'POST') {
      posted.push(new URLSearchParams(await readBody(ctx)))
      await options.answer?.(ctx)
      return
    }
    const name = ctx.path.slice(1)
    const asset = /^\/auth\/assets\/([^/]+)\/([^/]+)$/u.exec(ctx.path)
    if (asset !== null) {
      Object.assign(ctx, { params: { version: asset[1], name: asset[2] } })
      await pages.rows[0]?.handler(ctx)
      return
    }
    await SAMPLES[name]?.(pages, ctx)
  })
  return { ...(await listen(app)), pages, posted }
}

async function readBody(ctx: Koa.Context): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of ctx.req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
