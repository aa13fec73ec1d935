import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type { Instance } from '../instances/instance.ts'
import type { Mount } from './route-table.ts'

/** What a middleware of the packages answers, for whoever has to know before it is called. */
export interface Claims {
  readonly mounts: readonly Mount[]
  /** Whether it serves the host of an app. */
  readonly servesApp?: (instance: Instance, slug: string) => Promise<boolean>
  /** Whether it answers a request before anybody looks whose host it names. */
  readonly takes?: (request: IncomingMessage) => boolean
}

/** The same in every copy of this package. */
const CLAIMS = Symbol.for('svc.claims')

/**
 * Notes on a middleware what it answers.
 * @example
 * const answer: Middleware = (ctx) => void (ctx.body = 'here')
 * const files = claiming(answer, { mounts: [], takes: ({ url }) => url === '/health' })
 */
export function claiming<Given extends Middleware>(middleware: Given, claims: Claims): Given {
  return Object.defineProperty(middleware, CLAIMS, { value: claims })
}

/** Undefined for a middleware that is not of the packages. */
export function claimsOf(middleware: Middleware): Claims | undefined {
  return (middleware as { readonly [CLAIMS]?: Claims })[CLAIMS]
}

/**
 * Notes on a middleware that it answers what these answer, which it calls.
 * @example
 * const inner = oauth.routes({ pages })
 * const answer: Middleware = (ctx, next) => inner(ctx, next)
 * const routes = claimingAs(answer, [inner])
 */
export function claimingAs<Given extends Middleware>(
  middleware: Given,
  inner: readonly Middleware[],
  more: Omit<Claims, 'mounts'> = {},
): Given {
  return claiming(middleware, {
    mounts: inner.flatMap((each) => claimsOf(each)?.mounts ?? []),
    ...more,
  })
}
