import { defineRoute, requirement, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { AuthUiServices } from '../services.ts'
import { type LoginEntry, loginsOfSessions } from '../session/login-history.ts'
import { parseSessionId, type Session } from '../session/session.ts'
import { noteOwn, type OwnEvent } from '../web/activity.ts'
import { requirePermission, requireSettingsApp } from '../web/caller.ts'
import { answerResources, isoTime, type Resource } from './json-api.ts'
import { idOf } from './settings-owner.ts'

/** @throws AuthUiError `not_found`: what is asked for is the session itself */
const requireSession = requirement(
  ['session cookie'],
  async function requireSession(ctx: RouteContext, { sessionMiddleware }: AuthUiServices) {
    if ((await sessionMiddleware.current(ctx)) === undefined) throw new AuthUiError('not_found')
  },
)

/** @see login.md 7 */
export const sessionRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/sessions',
    handler: listSessions,
    auth: requirePermission('GET', 'sessions'),
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: "Lists the owner's sessions.",
    source: 'login.md 7',
  }),
  defineRoute({
    method: 'GET',
    path: '/settings/sessions/current',
    handler: showCurrentSession,
    auth: requireSession,
    statuses: [200, 400, 404],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Shows the session of the cookie.',
    source: 'login.md 7',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/sessions/:id',
    handler: endSession,
    auth: requireSettingsApp,
    statuses: [204, 400, 401, 403, 404],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: ['session.ended', 'logout'],
    summary: 'Ends one session; the own one is a logout.',
    source: 'login.md 7',
  }),
]

async function listSessions(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const current = await services.sessionMiddleware.current(ctx)
  const all = await services.sessions.list(ctx.state.instance)
  answerResources(ctx, await toResources(ctx, services, all, current?.id))
}

async function showCurrentSession(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const current = await services.sessionMiddleware.current(ctx)
  if (current === undefined) throw new AuthUiError('not_found')
  const [resource] = await toResources(ctx, services, [current], current.id)
  if (resource !== undefined) answerResources(ctx, resource)
}

async function endSession(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { sessionMiddleware, sessions } = services
  const id = parseSessionId(idOf(ctx))
  if (id === undefined) throw new AuthUiError('not_found')
  const current = await sessionMiddleware.current(ctx)
  if (id === current?.id) {
    await sessionMiddleware.end(ctx, noteOwn(services, ctx, { event: 'logout' }))
  } else {
    const { instance } = ctx.state
    const target = targetOf((await loginsOfSessions(services, instance, [id])).get(id))
    const note = noteOwn(services, ctx, { event: 'session.ended', ...target })
    if (!(await sessions.end(instance, id, 'revoked', note))) throw new AuthUiError('not_found')
  }
  ctx.status = 204
}

/** The browser whose session ends, never the session's id. */
function targetOf(login: LoginEntry | undefined): Pick<OwnEvent, 'target'> {
  const name = [login?.browser ?? '', login?.os ?? ''].filter((part) => part !== '').join(', ')
  return name === '' ? {} : { target: { kind: 'browser', id: 'session', name } }
}

async function toResources(
  ctx: RouteContext,
  services: AuthUiServices,
  shown: readonly Session[],
  currentId: string | undefined,
): Promise<readonly Resource[]> {
  const logins = await loginsOfSessions(
    services,
    ctx.state.instance,
    shown.map(({ id }) => id),
  )
  return shown.map((session) => ({
    type: `${services.namespace}.sessions`,
    id: session.id,
    attributes: toWire(session, logins.get(session.id), session.id === currentId),
  }))
}

function toWire(
  session: Session,
  login: LoginEntry | undefined,
  isCurrent: boolean,
): Readonly<Record<string, unknown>> {
  return {
    created_at: isoTime(session.createdAt),
    last_seen: isoTime(session.lastSeen),
    long_run: session.kind === 'long',
    short_run: session.kind === 'short',
    login_method: session.method,
    current: isCurrent,
    ...(login === undefined ? {} : { os: login.os, browser: login.browser, ip: login.ip }),
    ...(login?.country === undefined ? {} : { country: login.country }),
  }
}
