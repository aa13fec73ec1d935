import { OAuthError } from '@svc/oauth-core'
import { MINUTE_MS } from '@svc/platform'
import type { Context, Middleware, Next } from 'koa'
import rateLimit from 'koa-ratelimit'
import { BoundedMap } from './bounded-map.ts'

/** Client addresses remembered; older ones start again. */
const MAX_ADDRESSES = 50_000

export interface CoarseLimitOptions {
  /** Per client address and process; 0: no limit. */
  readonly requestsPerMinute: number
  readonly clientAddress: (ctx: Context) => string
}

/**
 * Keeps one address from using up the process. The exact limits on secrets are elsewhere, shared by all processes;
 * this one counts in the memory of each process, with both stores: in Redis it would add a round trip to every request
 * and protect nothing more. @see decision D3
 */
export function limitRequests(options: CoarseLimitOptions): Middleware {
  const { requestsPerMinute, clientAddress } = options
  if (requestsPerMinute === 0) return (_ctx, next) => next()
  const limit = rateLimit({
    driver: 'memory',
    db: new BoundedMap(MAX_ADDRESSES),
    duration: MINUTE_MS,
    max: requestsPerMinute,
    id: (ctx: unknown) => clientAddress(ctx as Context), // the types of koa-ratelimit are of Koa 2
    disableHeader: true,
    throw: true,
  }) as unknown as Middleware // for the same reason

  return async function limitAddress(ctx: Context, next: Next): Promise<void> {
    let isAllowed = false
    try {
      await limit(ctx, () => {
        isAllowed = true
        return next()
      })
    } catch (error) {
      if (isAllowed) throw error
      // koa-ratelimit cuts the fraction off: whoever waits that long would come too early.
      const waitS = Math.min(MINUTE_MS / 1000, Number(ctx.response.get('Retry-After')) + 1)
      throw new OAuthError('too_many_requests', { headers: { 'Retry-After': String(waitS) } })
    }
  }
}
