import { equalSecrets } from '@svc/platform'
import Koa, { type Context, type Next } from 'koa'
import { koaBody } from 'koa-body'
import Router from 'koa-router'
import { readAuthorizationRequest } from './authorization-request.ts'
import { createProviderGrants, type ProviderTokens } from './provider-grants.ts'
import { consentPage, grantsPage, problemPage } from './provider-pages.ts'
import { PHOTOS } from './photos.ts'

export interface ProviderAppOptions {
  /** Its own, such as `http://127.0.0.1:8090`. */
  readonly origin: () => string
  readonly clientId: string
  readonly clientSecret: string
  readonly tokenLifeMs: number
  readonly clock: { now(): number }
}

type Handle = (ctx: Context) => void
type Form = Readonly<Record<string, unknown>>

/** An OAuth 2 provider as they are: code with PKCE, expiring access tokens, rotating refresh tokens, revocation. */
export function createProviderApp(options: ProviderAppOptions): Koa {
  const { origin, clientId, clientSecret, tokenLifeMs } = options
  const grants = createProviderGrants(options)
  const router = new Router({ sensitive: true, strict: true })
  const readForm = koaBody({ json: false, text: false, urlencoded: true, formLimit: '16kb' })

  function route(method: 'get' | 'post', path: string, handle: Handle): void {
    // The types of koa-router and koa-body are of Koa 2; the context is the same object.
    const handler = (ctx: unknown): void => handle(ctx as Context)
    if (method === 'get') router.get(path, handler)
    else router.post(path, readForm as never, handler)
  }

  route('get', '/authorize', (ctx) => {
    const request = readAuthorizationRequest(new URLSearchParams(ctx.querystring), clientId)
    if (typeof request === 'string') problemPage(ctx, request)
    else consentPage(ctx, grants.ask(request), request)
  })

  route('post', '/authorize', (ctx) => {
    const form = formOf(ctx)
    const request = grants.decide(text(form, 'request'))
    if (request === undefined) return problemPage(ctx, 'it was answered already, or is too old')
    const isAllowed = form['answer'] === 'allow'
    const target = new URL(request.redirectUri)
    if (isAllowed) target.searchParams.set('code', grants.allow(request))
    else target.searchParams.set('error', 'access_denied')
    target.searchParams.set('state', request.state)
    ctx.status = 302
    ctx.set('Location', target.href)
  })

  route('post', '/token', (ctx) => {
    const form = formOf(ctx)
    if (!isClient(form)) return refuse(ctx, 401, 'invalid_client')
    const kind = form['grant_type']
    if (kind !== 'authorization_code' && kind !== 'refresh_token') {
      return refuse(ctx, 400, 'unsupported_grant_type')
    }
    const tokens =
      kind === 'refresh_token'
        ? grants.refresh(text(form, 'refresh_token'))
        : grants.exchange(
            text(form, 'code'),
            text(form, 'redirect_uri'),
            text(form, 'code_verifier'),
          )
    if (tokens === undefined) refuse(ctx, 400, 'invalid_grant')
    else answerTokens(ctx, tokens)
  })

  route('post', '/revoke', (ctx) => {
    const form = formOf(ctx)
    if (!isClient(form)) return refuse(ctx, 401, 'invalid_client')
    grants.revokeToken(text(form, 'token'))
    ctx.status = 200
    ctx.body = ''
  })

  route('get', '/photos', (ctx) => {
    const [, token = ''] = /^Bearer (\S{1,100})$/.exec(ctx.get('Authorization')) ?? []
    if (grants.grantOf(token) === undefined) {
      ctx.set('WWW-Authenticate', 'Bearer error="invalid_token"')
      return refuse(ctx, 401, 'invalid_token')
    }
    ctx.body = { photos: PHOTOS }
  })

  route('get', '/grants', (ctx) => grantsPage(ctx, grants.list()))

  route('post', '/grants/:id/revoke', (ctx) => {
    // A page of somebody else's must not end what the person allowed.
    if (!isOwnPage(ctx.get('Origin'))) return problemPage(ctx, 'it comes from another page')
    grants.revoke(String(ctx['params'].id))
    ctx.status = 302
    ctx.set('Location', '/grants')
  })

  /** It is reached by the machine's name, too. */
  function isOwnPage(from: string): boolean {
    return from === origin() || from === origin().replace('127.0.0.1', 'localhost')
  }

  function isClient(form: Form): boolean {
    const isId = equalSecrets(text(form, 'client_id'), clientId)
    return equalSecrets(text(form, 'client_secret'), clientSecret) && isId
  }

  function answerTokens(ctx: Context, { accessToken, refreshToken, scope }: ProviderTokens): void {
    ctx.body = {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: Math.round(tokenLifeMs / 1000),
      refresh_token: refreshToken,
      scope,
      api_url: origin(),
    }
  }

  const koa = new Koa()
  koa.silent = true
  koa.use(async function noStore(ctx: Context, next: Next): Promise<void> {
    ctx.set('Cache-Control', 'no-store')
    ctx.set('X-Content-Type-Options', 'nosniff')
    await next()
  })
  koa.use(router.routes() as unknown as Koa.Middleware) // the types of koa-router are of Koa 2
  return koa
}

function formOf(ctx: Context): Form {
  return (ctx.request as { readonly body?: Form }).body ?? {}
}

/** A parameter that was given once; empty otherwise. */
function text(form: Form, name: string): string {
  const value = form[name]
  return typeof value === 'string' ? value : ''
}

function refuse(ctx: Context, status: number, error: string): void {
  ctx.status = status
  ctx.body = { error }
}
