import { type Observation, readUserAgent, toFacts } from './request-facts.ts'
import type { Instance, RouteContext } from '@svc/platform'
import { describeError } from '@svc/store'
import type { RequestFacts } from '../ports.ts'
import type { AuthUiServices } from '../services.ts'

/** Whose request it is: what rules need to know of it. */
export interface Visitor {
  readonly instance: Instance
  readonly address: string
  /** The header as it was sent; empty without one. */
  readonly userAgent: string
}

/** Reads it of a request. */
export function visitorOf({ oauth }: Pick<AuthUiServices, 'oauth'>, ctx: RouteContext): Visitor {
  return {
    instance: ctx.state.instance,
    address: oauth.clientAddress(ctx),
    userAgent: ctx.get('User-Agent'),
  }
}

/** The subject of limits that count by address. */
export function clientAddress(ctx: RouteContext, { oauth }: Pick<AuthUiServices, 'oauth'>): string {
  return oauth.clientAddress(ctx)
}

/** Looks the address up. A geo database that fails costs the place, nothing else. */
export async function observeVisitor(
  { options, clock, log }: Pick<AuthUiServices, 'clock' | 'log' | 'options'>,
  { address, userAgent }: Visitor,
): Promise<Observation> {
  const place = await options.locate?.(address).catch((error: unknown) => {
    log.warn('login.place_unknown', { cause: describeError(error) })
    return undefined
  })
  return { ...place, ...readUserAgent(userAgent), ip: address, createdAt: clock.now() }
}

/** What a mail says about the request that caused it. */
export async function describeVisitor(
  services: Pick<AuthUiServices, 'clock' | 'log' | 'options'>,
  visitor: Visitor,
): Promise<RequestFacts> {
  return toFacts(await observeVisitor(services, visitor))
}
