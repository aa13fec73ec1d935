import { cookieValues } from '@svc/platform'
import type { Context } from 'koa'

/** Every cookie is `HttpOnly` and `SameSite=Lax`; the rest is its own. */
export interface CookieAttributes {
  readonly path: string
  /** Absent: host-only. */
  readonly domain?: string
  /** Milliseconds; absent: until the browser closes; 0 clears. */
  readonly maxAgeMs?: number
  readonly secure: boolean
}

/**
 * All values sent under a name, at most five: a sibling host may have planted one beside ours (login.md 3.5), and
 * Koa's own reader knows only the first.
 */
export function readCookies(ctx: Context, name: string): readonly string[] {
  return cookieValues(ctx.get('Cookie'), name)
}

/**
 * Sets a cookie, replacing one of the same name set before in this answer. Not Koa's own writer: that one judges
 * `Secure` by the socket, ours by the instance's base (security.md 24).
 */
export function writeCookie(
  ctx: Context,
  name: string,
  value: string,
  attributes: CookieAttributes,
): void {
  const { path, domain, maxAgeMs, secure } = attributes
  const parts = [`${name}=${value}`, `Path=${path}`]
  if (domain !== undefined) parts.push(`Domain=${domain}`)
  if (maxAgeMs !== undefined) parts.push(`Max-Age=${toSeconds(maxAgeMs)}`)
  parts.push('HttpOnly', 'SameSite=Lax')
  if (secure) parts.push('Secure')
  const before = ctx.res.getHeader('Set-Cookie')
  const others = (before === undefined ? [] : [before].flat()).filter(
    (cookie) => !String(cookie).startsWith(`${name}=`),
  )
  ctx.set('Set-Cookie', [...others.map(String), parts.join('; ')])
}

/** Not longer than what the cookie stands for; what is set at all is not cleared by rounding. */
function toSeconds(maxAgeMs: number): number {
  return maxAgeMs <= 0 ? 0 : Math.max(1, Math.floor(maxAgeMs / 1000))
}
