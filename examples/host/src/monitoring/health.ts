import type { Store } from '@svc/store'
import type { Middleware } from 'koa'

/** Whether this process can take requests, for load balancers. @see security.md 117 */
export interface Health {
  /** Answers `GET /health/live` and `GET /health/ready` on every host; everything else passes by. */
  readonly middleware: Middleware
  /** The process is ready from now on; until then it says no. @see operation.md 6.4 */
  started(): void
  /** From now on `ready` says no. */
  stopping(): void
  /**
   * Looks at an answered request: once a value of the store did not open, `ready` says no until a start with the right
   * keys. @see operation.md 3.3
   */
  observe(request: { readonly failure?: string }): void
}

/** An answer of the store is as good as new for this long: probes of many balancers cost one look. */
const TRUST_MS = 250

export function createHealth(store: Store, clock: { now(): number }): Health {
  let phase: 'starting' | 'started' | 'stopping' = 'starting'
  let areKeysWrong = false
  let last: { readonly at: number; readonly isUsable: Promise<boolean> } | undefined

  function isUsable(): Promise<boolean> {
    const now = clock.now()
    if (last === undefined || Math.abs(now - last.at) > TRUST_MS) {
      const answer = store.health().then(
        () => true,
        () => false,
      )
      last = { at: now, isUsable: answer }
    }
    return last.isUsable
  }

  async function health(
    ctx: Parameters<Middleware>[0],
    next: Parameters<Middleware>[1],
  ): Promise<void> {
    // Not `ctx.path`: Koa parses the target, and nobody has judged it yet.
    const path = ctx.req.url?.split('?', 1)[0]
    const isLive = path === '/health/live'
    if (!isLive && path !== '/health/ready') return next()
    ctx.set('Cache-Control', 'no-store')
    ctx.set('X-Content-Type-Options', 'nosniff')
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.status = 405
      ctx.set('Allow', 'GET, HEAD')
      return
    }
    const isUp = isLive || (phase === 'started' && !areKeysWrong && (await isUsable()))
    ctx.status = isUp ? 200 : 503
    ctx.type = 'application/json; charset=utf-8'
    ctx.body = JSON.stringify({ status: isUp ? 'up' : 'down' })
  }

  return {
    middleware: health,
    started() {
      if (phase === 'starting') phase = 'started'
    },
    stopping() {
      phase = 'stopping'
    },
    observe({ failure }) {
      areKeysWrong ||= failure === 'keys_unavailable'
    },
  }
}
