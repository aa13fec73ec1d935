import type { Logger, RouteContext } from '@svc/platform'
import { describeError } from '@svc/store'
import type { Place, RequestFacts } from './ports.ts'
import { readUserAgent } from './session/login-history.ts'

/** When, from where and with what a request came, as the history of log-ins keeps it. */
export interface Observation extends Place {
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly ip: string
  readonly userAgent: string
  /** Empty when unknown. */
  readonly os: string
  /** Empty when unknown. */
  readonly browser: string
}

export type ObserveRequest = (ctx: RouteContext) => Promise<Observation>

/** What a mail says about the request that caused it. */
export type DescribeRequest = (ctx: RouteContext) => Promise<RequestFacts>

/** What {@link createObserveRequest} needs. */
export interface ObserveRequestOptions {
  readonly clientAddress: (ctx: RouteContext) => string
  readonly locate: ((address: string) => Promise<Place | undefined>) | undefined
  readonly clock: { now(): number }
  readonly log: Logger
}

/** A geo database that fails costs the place, nothing else. */
export function createObserveRequest(options: ObserveRequestOptions): ObserveRequest {
  const { clientAddress, locate, clock, log } = options
  return async function observeRequest(ctx) {
    const ip = clientAddress(ctx)
    const place = await locate?.(ip).catch((error: unknown) => {
      log.warn('login.place_unknown', { cause: describeError(error) })
      return undefined
    })
    return { ...place, ...readUserAgent(ctx.get('User-Agent')), ip, createdAt: clock.now() }
  }
}

/** An observation for mails: what is not known is not there. */
export function toFacts({ createdAt, ip, browser, os, city, country }: Observation): RequestFacts {
  const place = [city, country].filter((part) => part !== undefined).join(', ')
  return {
    time: createdAt,
    address: ip,
    ...(browser === '' ? {} : { browser }),
    ...(os === '' ? {} : { os }),
    ...(place === '' ? {} : { place }),
  }
}
