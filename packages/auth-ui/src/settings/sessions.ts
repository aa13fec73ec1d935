import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { LoginEntry, LoginHistory } from '../session/login-history.ts'
import { parseSessionId, type Session } from '../session/session.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { SessionStore } from '../session/session-store.ts'
import { answerResources, isoTime, type Resource } from './json-api.ts'

/** What {@link createSessionSettings} needs. */
export interface SessionSettingsOptions {
  readonly sessions: SessionStore
  readonly carrier: SessionCarrier
  readonly history: LoginHistory
  readonly namespace: string
}

export interface SessionSettings {
  /** `GET /settings/sessions` */
  list(ctx: RouteContext): Promise<void>
  /** `GET /settings/sessions/current` */
  showCurrent(ctx: RouteContext): Promise<void>
  /** `DELETE /settings/sessions/:id` */
  end(ctx: RouteContext): Promise<void>
}

/** @see login.md 7 */
export function createSessionSettings(options: SessionSettingsOptions): SessionSettings {
  const { sessions, carrier, history, namespace } = options

  async function answer(
    ctx: RouteContext,
    shown: readonly Session[],
    currentId: string | undefined,
  ): Promise<readonly Resource[]> {
    const logins = await history.bySession(
      ctx.state.instance,
      shown.map(({ id }) => id),
    )
    return shown.map((session) => ({
      type: `${namespace}.sessions`,
      id: session.id,
      attributes: toWire(session, logins.get(session.id), session.id === currentId),
    }))
  }

  return {
    async list(ctx) {
      const current = await carrier.current(ctx)
      const all = await sessions.list(ctx.state.instance)
      answerResources(ctx, await answer(ctx, all, current?.id))
    },
    async showCurrent(ctx) {
      const current = await carrier.current(ctx)
      if (current === undefined) throw new AuthUiError('not_found')
      const [resource] = await answer(ctx, [current], current.id)
      if (resource !== undefined) answerResources(ctx, resource)
    },
    async end(ctx) {
      const id = parseSessionId(String((ctx as { params?: { id?: unknown } }).params?.id))
      if (id === undefined) throw new AuthUiError('not_found')
      const current = await carrier.current(ctx)
      if (id === current?.id) await carrier.end(ctx)
      else if (!(await sessions.end(ctx.state.instance, id, 'revoked'))) {
        throw new AuthUiError('not_found')
      }
      ctx.status = 204
    },
  }
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
