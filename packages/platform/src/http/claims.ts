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

/** Notes on a middleware what it answers. */
export function claiming<Given extends Middleware>(middleware: Given, claims: Claims): Given {
  return Object.defineProperty(middleware, CLAIMS, { value: claims })
}

/** Undefined for a middleware that is not of the packages. */
export function claimsOf(middleware: Middleware): Claims | undefined {
  return (middleware as { readonly [CLAIMS]?: Claims })[CLAIMS]
}

/** Notes on a middleware that it answers what these answer, which it calls. */
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
