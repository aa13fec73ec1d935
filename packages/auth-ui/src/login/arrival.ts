import { type Instance, prefersJson, type RouteContext } from '@svc/platform'
import type { Session } from '../session/session.ts'
import type { TransferCodes } from '../session/transfer-code.ts'
import {
  type LocationOptions,
  locationOf,
  needsSessionCode,
  type RedirectTarget,
} from './redirect-target.ts'

/** How a browser with a session gets where it wants to go. */
export interface Arrival {
  /** The `Location` of a target, with a fresh transfer code where its host needs one. */
  locate(
    ctx: RouteContext,
    target: RedirectTarget,
    session: Session | undefined,
    fragment: LocationOptions['fragment'],
  ): Promise<string>
}

/** Decides whether a target needs a code. */
export function createArrival(codes: TransferCodes): Arrival {
  return {
    async locate(ctx, target, session, fragment) {
      const { instance } = ctx.state
      const { slug } = target
      // A HEAD request makes nothing.
      const needsCode = needsSessionCode(instance, target) && ctx.method !== 'HEAD'
      if (session === undefined || slug === undefined || !needsCode) {
        return locationOf(target, { fragment })
      }
      const sessionCode = await codes.mint(instance, slug, session.id)
      return locationOf(target, { fragment, sessionCode })
    },
  }
}

/** Success of a browser form: 302, or 200 `{redirect}` for a client that prefers JSON (D32). */
export function answerRedirect(ctx: RouteContext, location: string): void {
  if (prefersJson(ctx)) answerJson(ctx, { redirect: location })
  else redirect(ctx, location)
}

/** 302 to an address of ours, byte for byte: Koa's own `redirect` would encode it again. */
export function redirect(ctx: RouteContext, location: string): void {
  ctx.status = 302
  ctx.set('Location', location)
  ctx.type = 'text/plain; charset=utf-8'
  ctx.body = 'Redirecting.'
}

/** 200 with a JSON object. */
export function answerJson(ctx: RouteContext, body: Readonly<Record<string, unknown>>): void {
  ctx.status = 200
  ctx.type = 'application/json; charset=utf-8'
  ctx.body = JSON.stringify(body)
}

/** What CSP `form-action` must name beside `'self'` for a form that ends there (D48). */
export function formActionSources(instance: Instance, target: RedirectTarget): readonly string[] {
  return target.origin === instance.origin ? [] : [target.origin]
}
