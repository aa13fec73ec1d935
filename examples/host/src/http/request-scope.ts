import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger, RequestState } from '@svc/platform'
import type { Context, Middleware } from 'koa'
import type { HostLog } from '../log/log.ts'

/** What the lines of a request have in common. */
type Facts = Readonly<Record<string, unknown>>

/** Which request a line of the log belongs to. @see security.md 113, operation.md 7.7 */
export interface RequestScope {
  /**
   * As the given log; lines written while a request is served carry its `request_id`, the `domain` of its instance, the
   * client's `address`, and what a trusted proxy calls the request.
   */
  readonly log: HostLog
  /** Serves a request in its scope; in front of everything that logs. */
  middleware(options: RequestScopeOptions): Middleware
}

export interface RequestScopeOptions {
  readonly clientAddress: (ctx: Context) => string
  /** Whether a proxy in front of this server is trusted. */
  readonly trustsProxy: boolean
}

export function createRequestScope(log: HostLog): RequestScope {
  const scope = new AsyncLocalStorage<() => Facts>()
  const { info, warn, error }: Logger = log
  const { debug } = log

  function scoped(write: Logger['info']): Logger['info'] {
    return (event, fields) => write(event, { ...scope.getStore()?.(), ...fields })
  }

  return {
    log: {
      ...log,
      ...(debug !== undefined && {
        debug: (event, fields) => debug(event, { ...scope.getStore()?.(), ...fields }),
      }),
      info: scoped(info),
      warn: scoped(warn),
      error: scoped(error),
    },
    middleware: ({ clientAddress, trustsProxy }) =>
      function requestScope(ctx, next) {
        const proxyId = trustsProxy ? proxyRequestId(ctx.get('X-Request-Id')) : undefined
        // Read when a line is written: the id and the instance are known later.
        const facts = (): Facts => {
          const { requestId, instance } = ctx.state as Partial<RequestState>
          return {
            ...(requestId !== undefined && { request_id: requestId }),
            ...(proxyId !== undefined && { proxy_request_id: proxyId }),
            ...(instance !== undefined && { domain: instance.domain }),
            address: clientAddress(ctx),
          }
        }
        return scope.run(facts, next)
      },
  }
}

/** A proxy's own name of a request, where it can stand in a log as it is. */
export function proxyRequestId(header: string): string | undefined {
  return /^[A-Za-z0-9_-]{8,64}$/.test(header) ? header : undefined
}
