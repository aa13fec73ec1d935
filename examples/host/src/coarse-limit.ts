import type { Context, Middleware } from 'koa'
import rateLimit from 'koa-ratelimit'
import { BoundedMap } from './bounded-map.ts'

/** Client addresses remembered; older ones start again. */
const MAX_ADDRESSES = 50_000
const MINUTE_MS = 60_000

export interface CoarseLimitOptions {
  /** Per client address and process; 0: no limit. */
  readonly requestsPerMinute: number
  readonly clientAddress: (ctx: Context) => string
}

/**
 * Keeps one address from using up the process. The exact limits on secrets are elsewhere, shared by all processes;
 * this one stands in memory so that a flood costs nothing else. @see decision D3
 */
export function limitRequests(options: CoarseLimitOptions): Middleware {
  const { requestsPerMinute, clientAddress } = options
  if (requestsPerMinute === 0) return (_ctx, next) => next()
  // The types of koa-ratelimit are of Koa 2; the context is the same object.
  return rateLimit({
    driver: 'memory',
    db: new BoundedMap(MAX_ADDRESSES),
    duration: MINUTE_MS,
    max: requestsPerMinute,
    id: (ctx: unknown) => clientAddress(ctx as Context),
    disableHeader: true,
    throw: true,
  }) as unknown as Middleware
}
