import type { RouteContext } from './request-state.ts'
import type { BodyRule, RouteRow } from './route.ts'
import { bindAuth, type RouteAuth } from './route-auth.ts'
import type { BodySchema } from './route-body.ts'
import type { EnforcedLimit, LimitInRule } from './route-limit.ts'

/**
 * One endpoint of a package, as a constant: its handler is a plain function of the request and of what the package is
 * made of. The router executes what it says about callers, limits and bodies.
 */
export interface Route<in Services>
  extends Omit<RouteRow, 'auth' | 'handler' | 'isEnforced' | 'limit' | 'use'> {
  readonly handler: (ctx: RouteContext, services: Services) => Promise<void> | void
  readonly auth: RouteAuth<Services>
  readonly limit?: readonly (LimitInRule | LimitOf<Services>)[]
}

/** {@link EnforcedLimit} whose subject may ask the package's services. */
export interface LimitOf<in Services> extends Omit<EnforcedLimit, 'by'> {
  /** @defaultValue one counter for the whole instance */
  readonly by?: (ctx: RouteContext, services: Services) => string
}

/**
 * A route whose handler is typed by the schema of its body: `ctx.state.body` is what the schema let through. An
 * optional body may be absent.
 * @example
 * const greeting = defineRoute<{ readonly greeting: string }, unknown>({
 *   method: 'GET',
 *   path: '/greetings',
 *   handler: (ctx, { greeting }) => void (ctx.body = { greeting }),
 *   auth: anybody,
 *   statuses: [200],
 *   family: 'json',
 *   summary: 'Greets whoever asks.',
 *   source: 'docs/greetings.md',
 * })
 * app.use(oauth.mount(bindRoutes([greeting], { greeting: 'Good morning' })))
 */
export function defineRoute<Services, Body>(
  route: Omit<Route<Services>, 'body' | 'handler'> & {
    readonly body?: BodyRule & { readonly schema?: BodySchema<Body> }
    readonly handler: (ctx: RouteContext<Body>, services: Services) => Promise<void> | void
  },
): Route<Services> {
  // The router calls it with a body that satisfied the schema, which describes this very type.
  return { ...route, handler: route.handler as Route<Services>['handler'] }
}

/** The rows of a package: its routes with its services. */
export function bindRoutes<Services>(
  routes: readonly Route<Services>[],
  services: Services,
): readonly RouteRow[] {
  return routes.map(({ auth, handler, limit, ...row }) => ({
    ...row,
    isEnforced: true,
    handler: (ctx) => handler(ctx, services),
    auth: bindAuth(auth, services),
    ...(limit !== undefined && { limit: limit.map((one) => bindLimit(one, services)) }),
  }))
}

function bindLimit<Services>(
  limit: LimitInRule | LimitOf<Services>,
  services: Services,
): LimitInRule | EnforcedLimit {
  if ('inRule' in limit) return limit
  const { by, ...rest } = limit
  if (by === undefined) return rest
  // The documents print the name.
  const bound = Object.defineProperty((ctx: RouteContext) => by(ctx, services), 'name', {
    value: by.name,
  })
  return { ...rest, by: bound }
}
