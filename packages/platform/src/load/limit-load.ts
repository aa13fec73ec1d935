import type { IncomingMessage } from 'node:http'
import { RequestLoad } from './request-load.ts'
import { SharedBound } from './shared-bound.ts'

/** What of a Koa context is needed. */
export interface LoadContext {
  readonly req: IncomingMessage
  readonly state: object
}

/**
 * Bounds of what one process works on at a time, each with its default.
 * @typeParam Context - what the middleware of the server is given
 * @see docs/embedding.md of the repository
 */
export interface LimitLoadOptions<Context extends LoadContext> {
  /** Of the client, behind proxies the one they saw. It has an eighth of each bound at most. */
  readonly clientAddress: (ctx: Context) => string
  /** Requests that are handled at a time. @defaultValue 1 000 */
  readonly requests?: number
  /** Bytes of bodies that are held at a time. @defaultValue 64 MiB */
  readonly bodyBytes?: number
}

/**
 * What a process works on now, for its metrics. Bodies are counted in bytes.
 * @see docs/reference/metrics.md of the repository
 */
export interface LoadFigures {
  /** That are being handled. */
  readonly requests: number
  readonly bodyBytes: number
}

/** The bounds of a process at work. */
export interface LoadLimits<Context extends LoadContext> {
  /**
   * In front of everything that costs something, behind health checks. It keeps the request's {@link RequestLoad} as
   * `ctx.state.load`, which whoever reads its body asks.
   * @throws OverloadedError
   */
  readonly middleware: (ctx: Context, next: () => Promise<unknown>) => Promise<void>
  figures(): LoadFigures
}

const REQUESTS = 1000
const BODY_BYTES = 64 * 1024 * 1024

/**
 * Bounds what the requests of a process take at a time, so that it answers 503 instead of becoming slow for everybody.
 */
export function limitLoad<Context extends LoadContext>(
  options: LimitLoadOptions<Context>,
): LoadLimits<Context> {
  const { clientAddress, requests = REQUESTS, bodyBytes = BODY_BYTES } = options
  const places = new SharedBound(requests)
  const bytes = new SharedBound(bodyBytes)

  return {
    async middleware(ctx, next) {
      const load = new RequestLoad(clientAddress(ctx), { places, bytes })
      if (!hasBody(ctx.req)) load.enter()
      const state: { load?: RequestLoad } = ctx.state
      state.load = load
      try {
        await next()
      } finally {
        load.end()
      }
    },
    figures: () => ({ requests: places.total, bodyBytes: bytes.total }),
  }
}

/** A GET is never waited for, whatever it announces. */
function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
