import type { OwnerSessions } from '@svc/oauth-core'
import { type RequestView, viewOf } from '@svc/platform'
import type { OwnerLogins } from '../../src/ports.ts'

/** Owners who are logged in by a cookie `session`, and codes that log them in. */
export interface CookieLogins extends OwnerLogins {
  /** Live sessions. */
  readonly live: Set<string>
  /** Codes that were not used yet. */
  readonly codes: Set<string>
  /** For `oauth.useSessions`. */
  readonly owners: OwnerSessions
}

export function cookieLogins(live: Set<string> = new Set(['tab'])): CookieLogins {
  const codes = new Set<string>()
  let opened = 0
  /** Of this very request, when a code just opened one. */
  const fresh = new WeakMap<object, string>()

  async function current(
    request: Pick<RequestView, 'cookies'>,
  ): Promise<{ id: string } | undefined> {
    const id = fresh.get(request) ?? request.cookies.get('session')
    return id !== undefined && live.has(id) ? { id } : undefined
  }

  return {
    live,
    codes,
    current,
    async admit(ctx, code) {
      if (!codes.delete(code)) return false
      const request = viewOf(ctx, ({ ip }) => ip)
      if ((await current(request)) !== undefined) return true
      opened += 1
      const id = `short-${opened}`
      live.add(id)
      fresh.set(request, id)
      ctx.append('Set-Cookie', `session=${id}; Path=/; Max-Age=300; HttpOnly`)
      return true
    },
    owners: {
      async current(request) {
        const session = await current(request)
        return session && { ...session, kind: 'normal', createdAt: 0 }
      },
    },
  }
}
