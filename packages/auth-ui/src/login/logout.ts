import { type HttpError, isHttpError, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { Session } from '../session/session.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { SessionStore } from '../session/session-store.ts'

/** What {@link createLogout} needs. */
export interface LogoutOptions {
  readonly sessions: SessionStore
  readonly carrier: SessionCarrier
  /** Verifies the bearer and sets `ctx.state.access`. */
  readonly authenticate: (ctx: RouteContext) => Promise<void>
}

/** Both ends of a session that its owner asks for. */
export interface LogoutHandlers {
  /** `DELETE /auth/login` */
  logout(ctx: RouteContext): Promise<void>
  /** `DELETE /auth/login/others` */
  logoutOthers(ctx: RouteContext): Promise<void>
}

/** @see login.md 5.2 */
export function createLogout({ sessions, carrier, authenticate }: LogoutOptions): LogoutHandlers {
  /** Only a web app of the instance, with a token of the very session whose cookie came along, may log out. */
  async function requireAppAndSession(ctx: RouteContext): Promise<Session> {
    const session = await carrier.current(ctx)
    try {
      await authenticate(ctx)
    } catch (error) {
      if (!isHttpError(error) || error.status >= 500) throw error
      if (session === undefined && isSessionWanted(ctx)) throw new AuthUiError('no_session')
      throw new AuthUiError('logout_forbidden', { cause: error, ...challengeOf(error) })
    }
    const { access } = ctx.state
    if (access?.kind !== 'app' || session === undefined || access.sessionId !== session.id) {
      throw new AuthUiError('logout_forbidden')
    }
    return session
  }

  return {
    async logout(ctx) {
      await requireAppAndSession(ctx)
      await carrier.end(ctx)
      ctx.status = 204
    },
    async logoutOthers(ctx) {
      const session = await requireAppAndSession(ctx)
      await sessions.endAll(ctx.state.instance, 'logout_others', session.id)
      ctx.status = 204
    },
  }
}

/** An app's token without its session's cookie: told apart only where the source does (login.md 5.2, others). */
function isSessionWanted(ctx: RouteContext): boolean {
  return ctx.path.endsWith('/others') && ctx.get('Authorization') !== ''
}

function challengeOf(error: HttpError): { headers?: Readonly<Record<string, string>> } {
  const challenge = error.headers?.['WWW-Authenticate']
  return challenge === undefined ? {} : { headers: { 'WWW-Authenticate': challenge } }
}
