import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context, Middleware } from 'koa'
import type { HostLog } from '../log/log.ts'

/** Which request a line of the log belongs to. @see security.md 113 */
export interface RequestScope {
  /** As the given log; lines written while a request is served carry its `requestId` and the client's `address`. */
  readonly log: HostLog
  /** Serves a request in its scope; in front of everything that logs. */
  middleware(clientAddress: (ctx: Context) => string): Middleware
}

export function createRequestScope(log: HostLog): RequestScope {
  const scope = new AsyncLocalStorage<() => Readonly<Record<string, unknown>>>()

  function scoped(write: HostLog['info']): HostLog['info'] {
    return (event, fields) => write(event, { ...scope.getStore()?.(), ...fields })
  }

  return {
    log: {
      debug: scoped(log.debug),
      info: scoped(log.info),
      warn: scoped(log.warn),
      error: scoped(log.error),
      store: log.store,
      flush: log.flush,
    },
    middleware: (clientAddress) => (ctx, next) =>
      // Read when a line is written: the id is given later.
      scope.run(() => ({ requestId: ctx.state['requestId'], address: clientAddress(ctx) }), next),
  }
}
