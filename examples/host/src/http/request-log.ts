import { renderError, setBaseHeaders } from '@svc/platform'
import { describeError } from '@svc/store'
import type Koa from 'koa'
import type { Context, Middleware, Next } from 'koa'
import type { HostEventLog, HostLog } from '../log/log.ts'
import { HSTS } from './http-server.ts'

/** One answered request, for the log and the metrics. */
export interface AnsweredRequest {
  readonly method: string
  /** Pattern of the matched route; paths may hold codes. */
  readonly route: string
  readonly status: number
  /** Seconds. */
  readonly seconds: number
  /** Code of the error that was answered. */
  readonly failure?: string
}

export interface RequestLogOptions {
  readonly log: Pick<HostLog, 'debug' | 'error' | 'info' | 'warn'>
  readonly observe: (request: AnsweredRequest) => void
  /** Whether the listener is reached by https, by itself or through a proxy. */
  readonly isHttps: boolean
}

/** The outermost middleware: answers whatever nobody else did, and notes what was answered. */
export function noteRequests({ log, observe, isHttps }: RequestLogOptions): Middleware {
  return async function requests(ctx: Context, next: Next): Promise<void> {
    const startedAt = performance.now()
    // Health and unknown hosts too: what is not an instance's answer is still the server's (security.md 4).
    if (isHttps) ctx.set('Strict-Transport-Security', HSTS)
    try {
      await next()
    } catch (error) {
      setBaseHeaders(ctx, undefined)
      ctx.set('Cache-Control', 'no-store')
      await renderError(ctx, error, 'json', { log })
    }
    const seconds = (performance.now() - startedAt) / 1000
    const { method, status } = ctx
    // Set by koa-router to the pattern, never to the path.
    const route = typeof ctx['_matchedRoute'] === 'string' ? ctx['_matchedRoute'] : 'none'
    const failure = ctx.state['failure']
    observe({ method, route, status, seconds, ...(typeof failure === 'string' && { failure }) })
    // Of the limits on secrets and mails; a flood that the coarse limit stops, before any route, writes nothing.
    if (status === 429 && route !== 'none') log.info('limit.hit', { method, route })
    log.debug?.('http.request', {
      ms: Math.round(seconds * 1000),
      method,
      route,
      status,
    })
  }
}

const GONE = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

/** What Koa can only tell: an answer that broke while it was sent. */
export function noteBrokenAnswers(app: Koa, log: HostEventLog): void {
  app.on('error', (error: NodeJS.ErrnoException) => {
    if (!GONE.has(error.code ?? '')) log.error('request.broken', { cause: describeError(error) })
  })
}
