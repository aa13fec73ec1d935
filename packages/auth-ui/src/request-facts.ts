import type { Logger, RouteContext } from '@svc/oauth-core'
import type { Place, RequestFacts } from './ports.ts'
import { readUserAgent } from './session/login-history.ts'

/** What a mail says about the request that caused it. */
export type DescribeRequest = (ctx: RouteContext) => Promise<RequestFacts>

/** What {@link createDescribeRequest} needs. */
export interface DescribeRequestOptions {
  readonly clientAddress: (ctx: RouteContext) => string
  readonly locate: ((address: string) => Promise<Place | undefined>) | undefined
  readonly clock: { now(): number }
  readonly log: Logger
}

/** A geo database that fails costs the place, not the mail. */
export function createDescribeRequest(options: DescribeRequestOptions): DescribeRequest {
  const { clientAddress, locate, clock, log } = options
  return async function describeRequest(ctx) {
    const address = clientAddress(ctx)
    const found = await locate?.(address).catch((error: unknown) => {
      log.warn('login.place_unknown', { cause: String(error) })
      return undefined
    })
    const { os, browser } = readUserAgent(ctx.get('User-Agent'))
    const place = [found?.city, found?.country].filter((part) => part !== undefined).join(', ')
    return {
      time: clock.now(),
      address,
      ...(browser === '' ? {} : { browser }),
      ...(os === '' ? {} : { os }),
      ...(place === '' ? {} : { place }),
    }
  }
}
