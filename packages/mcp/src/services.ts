import type { RouteContext } from '@svc/platform'
import type { Middleware } from 'koa'
import type { Counters } from './calls/counters.ts'
import type { Protocol } from './protocol/library.ts'

/** What the endpoint of the package needs of it. */
export interface McpServices {
  /** Lets tokens of the resource pass; answers others itself. */
  readonly guard: Middleware
  readonly counters: Counters
  readonly clientAddress: (ctx: RouteContext) => string
  /** Origins that may call. Undefined: all that {@link isOriginFit} lets through. */
  readonly origins: ReadonlySet<string> | undefined
  readonly protocol: () => Promise<Protocol>
}
