import {
  defineRoute,
  type HttpError,
  isHttpError,
  requirement,
  type Route,
  type RouteAuth,
  type RouteContext,
} from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { AuthUiError } from '../errors.ts'
import { noteOwn } from '../web/activity.ts'

const requireLoggedInApp: RouteAuth<AuthUiServices> = requirement(
  ['app token', 'session cookie'],
  requireAppAndSession,
)

/** Both ends of a session that its owner asks for. @see login.md 5.2 */
export const logoutRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'DELETE',
    path: '/auth/login',
    handler: logout,
    auth: requireLoggedInApp,
    statuses: [204, 400, 401],
    family: 'json',
    cors: 'app-origins',
    activity: 'logout',
    summary: 'Ends the session.',
    source: 'login.md 5.2',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/auth/login/others',
    handler: logoutOthers,
    auth: requireLoggedInApp,
    statuses: [204, 400, 401],
    family: 'json',
    cors: 'app-origins',
    activity: 'others.ended',
    summary: 'Ends every session but this one.',
    source: 'login.md 5.2',
  }),
]

/**
 * Only a web app of the instance, with a token of the very session whose cookie came along, may log out.
 * @throws AuthUiError `no_session`, `logout_forbidden`
 */
async function requireAppAndSession(
  ctx: RouteContext,
  { sessionMiddleware, oauth }: Pick<AuthUiServices, 'sessionMiddleware' | 'oauth'>,
): Promise<void> {
  const session = await sessionMiddleware.current(ctx)
  try {
    await oauth.authenticate(ctx)
  } catch (error) {
    if (!isHttpError(error) || error.status >= 500) throw error
    if (session === undefined && isSessionWanted(ctx)) throw new AuthUiError('no_session')
    throw new AuthUiError('logout_forbidden', { cause: error, ...challengeOf(error) })
  }
  const { access } = ctx.state
  if (access?.kind !== 'app' || session === undefined || access.sessionId !== session.id) {
    throw new AuthUiError('logout_forbidden')
  }
}

async function logout(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  await services.sessionMiddleware.end(ctx, noteOwn(services, ctx, { event: 'logout' }))
  ctx.status = 204
}

async function logoutOthers(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const session = await services.sessionMiddleware.current(ctx)
  const note = noteOwn(services, ctx, { event: 'others.ended' })
  await services.sessions.endAll(ctx.state.instance, 'logout_others', session?.id, note)
  ctx.status = 204
}

/** An app's token without its session's cookie: told apart only where the source does (login.md 5.2, others). */
function isSessionWanted(ctx: RouteContext): boolean {
  return ctx.path.endsWith('/others') && ctx.get('Authorization') !== ''
}

function challengeOf(error: HttpError): { headers?: Readonly<Record<string, string>> } {
  const challenge = error.headers?.['WWW-Authenticate']
  return challenge === undefined ? {} : { headers: { 'WWW-Authenticate': challenge } }
}
