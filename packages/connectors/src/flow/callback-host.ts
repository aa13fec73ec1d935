import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { OAuthError } from '@svc/oauth-core'
import {
  claiming,
  Parameters,
  renderError,
  setBaseHeaders,
  setEndpointHeaders,
} from '@svc/platform'
import type { Context, Middleware, Next } from 'koa'
import type { ConnectorsServices } from '../services.ts'
import { handleRedirectOnCallbackHost } from './callback.ts'
import { callbackPage } from './callback-page.ts'
import { answerPrefetch } from './flow-requests.ts'

const PATH = /^\/accounts\/([^/]+)\/redirect$/
/** Without what would make it something else than a host in an address: a user, a path, a query. */
const HOST = /^[A-Za-z0-9.:[\]-]+$/
const HSTS = 'max-age=31536000; includeSubDomains'

/**
 * Answers one path of one host and passes everything else by: the host may be an instance's too.
 * @param callbackUrl - origin of the host that takes the answers of all providers
 */
export function answerCallbackHost(callbackUrl: string, services: ConnectorsServices): Middleware {
  const { host, protocol } = new URL(callbackUrl)

  const typeIn = (request: IncomingMessage): string | undefined =>
    isAddressed(request, host, protocol) ? typeOf(request) : undefined

  async function callbackHost(ctx: Context, next: Next): Promise<void> {
    const accountType = typeIn(ctx.req)
    if (accountType === undefined) return next()
    ctx.state['requestId'] = randomUUID()
    setBaseHeaders(ctx, undefined)
    if (protocol === 'https:') ctx.set('Strict-Transport-Security', HSTS)
    setEndpointHeaders(ctx)
    ctx.set('Referrer-Policy', 'no-referrer')
    try {
      await answer(ctx, services, accountType)
    } catch (error) {
      await renderError(ctx, error, 'html-jsonapi', { log: services.log, page: callbackPage })
    }
  }
  return claiming(callbackHost, {
    mounts: [],
    takes: (request) => typeIn(request) !== undefined,
  })
}

function typeOf({ url = '' }: IncomingMessage): string | undefined {
  return PATH.exec(url.split('?', 1)[0] ?? '')?.[1]
}

/** Malformed and doubled hosts are `resolveInstance`'s to refuse. */
function isAddressed(request: IncomingMessage, host: string, protocol: string): boolean {
  const { headers, rawHeaders, url = '' } = request
  const hosts = rawHeaders.filter((_, at) => at % 2 === 0 && /^host$/i.test(rawHeaders[at] ?? ''))
  const given = headers.host ?? ''
  const named = HOST.test(given) ? URL.parse(`${protocol}//${given}`)?.host : undefined
  return url.startsWith('/') && hosts.length <= 1 && named === host
}

async function answer(
  ctx: Context,
  services: ConnectorsServices,
  accountType: string,
): Promise<void> {
  if (ctx.method !== 'GET') {
    throw new OAuthError('method_not_allowed', { headers: { Allow: 'GET' } })
  }
  if (answerPrefetch(ctx)) return
  const query = Parameters.parseQuery(ctx.querystring)
  if (query.duplicate !== undefined) {
    throw new OAuthError('invalid_request', { description: 'a parameter is given twice' })
  }
  await handleRedirectOnCallbackHost(ctx, services, accountType, query)
}
