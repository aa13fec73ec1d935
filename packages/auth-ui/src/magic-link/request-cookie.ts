import { type Instance, randomId, type RouteContext } from '@svc/platform'
import { readCookies, writeCookie } from '../web/cookies.ts'

const PATH = '/auth/magic_link'

/** A secret for a browser that asks for a link; one that it brings along is never taken over (login.md 10.9). */
export function newBrowserSecret(): string {
  return randomId()
}

/** Remembers in the browser that it asked. */
export function setRequestCookie(ctx: RouteContext, secret: string, maxAgeMs: number): void {
  const { instance } = ctx.state
  writeCookie(ctx, cookieName(instance), secret, {
    path: PATH,
    maxAgeMs,
    secure: instance.isHttps,
  })
}

/** What the request's cookies say, at most five. */
export function readRequestCookies(ctx: RouteContext): readonly string[] {
  return readCookies(ctx, cookieName(ctx.state.instance))
}

function cookieName(instance: Instance): string {
  return instance.isHttps ? '__Secure-magic-request' : 'magic-request'
}
