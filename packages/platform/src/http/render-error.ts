import { randomUUID } from 'node:crypto'
import { describeError } from '@svc/store'
import type { Context } from 'koa'
import { RequestError } from './request-error.ts'
import { type HttpError, isHttpError } from './http-error.ts'
import { namesHtml, prefersJson } from './negotiate.ts'
import type { RequestState } from './request-state.ts'
import type { RouteFamily } from './route.ts'
import type { PlatformLog } from '../log/log-events.ts'

/**
 * How errors become answers: where what nobody expected is logged, and who draws pages.
 * @see docs/errors.md of the repository
 */
export interface ErrorRendering {
  readonly log: PlatformLog
  /** Renders an error as a page; without one, rows of family `html` answer JSON. */
  readonly page?: (ctx: Context, error: HttpError) => Promise<void>
}

/** Answers a thrown value in the row's family. Anything unknown becomes 500 with an id that is in the log. */
export async function renderError(
  ctx: Context,
  thrown: unknown,
  family: RouteFamily,
  { log, page }: ErrorRendering,
): Promise<void> {
  const error = isHttpError(thrown) ? thrown : unexpected(ctx, thrown, log)
  if (error === thrown) logRefusal(ctx, error, log)
  ctx.state['failure'] = error.code
  clear(ctx)
  for (const [name, value] of Object.entries(error.headers ?? {})) ctx.set(name, value)
  ctx.status = error.status
  if (page !== undefined && wantsPage(ctx, family)) {
    try {
      await page(ctx, error)
      ctx.status = error.status
      return
    } catch (cause) {
      // The page about the failure failed: the bare code is still an answer.
      log.error('page.failed', { code: error.code, cause: describe(cause) })
    }
  }
  const body = toBody(error, family)
  if (body === undefined) return
  ctx.type = isJsonApi(family) ? 'application/vnd.api+json' : 'application/json; charset=utf-8'
  ctx.body = JSON.stringify(body)
  ctx.status = error.status
}

function wantsPage(ctx: Context, family: RouteFamily): boolean {
  // SPEC: connectors.md 4 - a page to those who name it.
  if (family === 'html-jsonapi') return namesHtml(ctx)
  return family === 'html' && !prefersJson(ctx)
}

/** Takes back what a handler had begun to answer. */
function clear(ctx: Context): void {
  ctx.remove('Location')
  // SPEC: login.md 10.4 - no session cookie on an error. A page's own form token is set after this.
  ctx.remove('Set-Cookie')
  // With a JSON type still set Koa would turn the empty body into the text `null`.
  ctx.remove('Content-Type')
  ctx.body = null
}

/** The administrator's will, and what a flood gets: metrics count it, and the log must not grow with it. */
const EXPECTED: ReadonlySet<string> = new Set([
  'blocked',
  'instance_frozen',
  'instance_moving',
  'overloaded',
])

function logRefusal(ctx: Context, error: HttpError, log: PlatformLog): void {
  const { status, code, detail, cause } = error
  const route = (ctx.state as Partial<RequestState>).route?.path
  // SPEC: operation.md 3.3 - an event of its own, so that operators can wait for it.
  if (code === 'keys_unavailable') {
    log.error('keys.open_failed', { route, kid: (error as { readonly kid?: unknown }).kid })
  }
  if (status >= 500 && !EXPECTED.has(code)) {
    log.error('request.failed', { route, status, code, detail, cause: describe(cause) })
  } else if (detail !== undefined) {
    log.info('request.refused', { route, status, code, detail })
  }
}

function toBody(error: HttpError, family: RouteFamily): unknown {
  const description = error.expose ? error.description : undefined
  if (family === 'empty') return undefined
  if (family === 'oauth') {
    return {
      error: error.code,
      ...(description === undefined ? {} : { error_description: description }),
      ...error.extra,
    }
  }
  if (isJsonApi(family)) {
    const errors = error.errors ?? [{ code: error.code, title: description ?? error.code }]
    return { errors: errors.map((one) => ({ status: String(error.status), ...one })) }
  }
  if (description === undefined || description === error.code)
    return { error: error.code, ...error.extra }
  return { error: description, code: error.code, ...error.extra }
}

function isJsonApi(family: RouteFamily): boolean {
  return family === 'jsonapi' || family === 'html-jsonapi'
}

function unexpected(ctx: Context, thrown: unknown, log: PlatformLog): HttpError {
  const id = typeof ctx.state['requestId'] === 'string' ? ctx.state['requestId'] : randomUUID()
  log.error('request.crashed', { request_id: id, cause: describe(thrown) })
  return new RequestError('internal_error', { headers: { 'X-Request-Id': id } })
}

function describe(thrown: unknown): string | undefined {
  return thrown === undefined ? undefined : describeError(thrown)
}
