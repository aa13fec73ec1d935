import { randomUUID } from 'node:crypto'
import type { Context } from 'koa'
import { OAuthError } from '../errors.ts'
import type { Logger } from '../ports.ts'
import { type HttpError, isHttpError } from './http-error.ts'
import { prefersJson } from './negotiate.ts'
import type { RouteFamily } from './route.ts'

export interface ErrorRendering {
  readonly log: Logger
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
  if (error.status >= 500 && isHttpError(thrown)) {
    log.error('request.failed', {
      code: error.code,
      detail: error.detail,
      cause: describe(error.cause),
    })
  }
  ctx.status = error.status
  ctx.body = null
  // `null` made Koa choose 204: the status is set again below, with the body.
  for (const [name, value] of Object.entries(error.headers ?? {})) ctx.set(name, value)
  ctx.status = error.status
  if (family === 'html' && page !== undefined && !prefersJson(ctx)) {
    await page(ctx, error)
    ctx.status = error.status
    return
  }
  const body = toBody(error, family)
  if (body === undefined) return
  ctx.body = JSON.stringify(body)
  ctx.status = error.status
  ctx.type = family === 'jsonapi' ? 'application/vnd.api+json' : 'application/json; charset=utf-8'
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
  if (family === 'jsonapi') {
    return {
      errors: [
        { status: String(error.status), code: error.code, title: description ?? error.code },
      ],
    }
  }
  if (description === undefined || description === error.code)
    return { error: error.code, ...error.extra }
  return { error: description, code: error.code, ...error.extra }
}

function unexpected(ctx: Context, thrown: unknown, log: Logger): HttpError {
  const id = typeof ctx.state['requestId'] === 'string' ? ctx.state['requestId'] : randomUUID()
  log.error('request.crashed', { requestId: id, cause: describe(thrown) })
  return new OAuthError('internal_error', { headers: { 'X-Request-Id': id } })
}

function describe(thrown: unknown): string | undefined {
  if (thrown === undefined) return undefined
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}
