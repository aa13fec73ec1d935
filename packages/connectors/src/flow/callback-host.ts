import { randomUUID } from 'node:crypto'
import { OAuthError } from '@svc/oauth-core'
import {
  type Logger,
  Parameters,
  renderError,
  setBaseHeaders,
  setEndpointHeaders,
} from '@svc/platform'
import type { Context, Middleware, Next } from 'koa'
import type { CallbackHandlers } from './callback.ts'
import { callbackPage } from './callback-page.ts'
import { isPrefetch } from './flow-requests.ts'

export interface CallbackHostOptions {
  /** Origin of the host that takes the answers of all providers. */
  readonly callbackUrl: string
  readonly callback: Pick<CallbackHandlers, 'redirectOnCallbackHost'>
  readonly log: Logger
}

const PATH = /^\/accounts\/([^/]+)\/redirect$/
/** Without what would make it something else than a host in an address: a user, a path, a query. */
const HOST = /^[A-Za-z0-9.:[\]-]+$/
const HSTS = 'max-age=31536000; includeSubDomains'

/** Answers one path of one host and passes everything else by: the host may be an instance's too. */
export function createCallbackHost(options: CallbackHostOptions): Middleware {
  const { callback, log } = options
  const { host, protocol } = new URL(options.callbackUrl)

  /** Malformed and doubled hosts are `resolveInstance`'s to refuse. */
  function isAddressed(ctx: Context): boolean {
    const { rawHeaders, url = '' } = ctx.req
    const hosts = rawHeaders.filter((_, at) => at % 2 === 0 && /^host$/i.test(rawHeaders[at] ?? ''))
    const given = ctx.get('Host')
    const named = HOST.test(given) ? URL.parse(`${protocol}//${given}`)?.host : undefined
    return url.startsWith('/') && hosts.length <= 1 && named === host
  }

  async function answer(ctx: Context, accountType: string): Promise<void> {
    if (ctx.method !== 'GET') {
      throw new OAuthError('method_not_allowed', { headers: { Allow: 'GET' } })
    }
    if (isPrefetch(ctx)) {
      ctx.status = 204
      return
    }
    const query = Parameters.parseQuery(ctx.querystring)
    if (query.duplicate !== undefined) {
      throw new OAuthError('invalid_request', { description: 'a parameter is given twice' })
    }
    await callback.redirectOnCallbackHost(ctx, accountType, query)
  }

  return async function callbackHost(ctx: Context, next: Next): Promise<void> {
    const accountType = PATH.exec(ctx.path)?.[1]
    if (accountType === undefined || !isAddressed(ctx)) return next()
    ctx.state['requestId'] = randomUUID()
    setBaseHeaders(ctx, undefined)
    if (protocol === 'https:') ctx.set('Strict-Transport-Security', HSTS)
    setEndpointHeaders(ctx)
    ctx.set('Referrer-Policy', 'no-referrer')
    try {
      await answer(ctx, accountType)
    } catch (error) {
      await renderError(ctx, error, 'html-jsonapi', { log, page: callbackPage })
    }
  }
}
