import type { RouteContext } from '@svc/oauth-core'
import type { Owner } from '../owner/owner.ts'
import type { HostHooks } from '../ports.ts'
import { isUpgrade, type LoginMethod, type Session, type SessionKind } from '../session/session.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { SessionOpener } from './open-session.ts'
import type { Redirects, RedirectTarget } from './redirect-target.ts'

/** A log-in whose every step was passed. */
export interface PassedLogin {
  /** Undefined: home. */
  readonly target: RedirectTarget | undefined
  readonly isLongRun: boolean
  readonly method: LoginMethod
  /** Uses up what the log-in stands on, after the host's veto and before the session; not for a session that is kept. */
  readonly useUp?: () => Promise<void>
}

/** Lets the owner in: a session of the right kind, and the `Location` that leads on. @see login.md 2.2, 5.1 */
export type Enter = (ctx: RouteContext, owner: Owner, login: PassedLogin) => Promise<string>

/** What {@link createEnter} needs. */
export interface EnterOptions {
  readonly redirects: Redirects
  readonly carrier: SessionCarrier
  readonly opener: SessionOpener
  readonly hooks: HostHooks
  readonly clientAddress: (ctx: RouteContext) => string
}

/** The host may veto before there is a session; what fails later takes the session back. */
export function createEnter(options: EnterOptions): Enter {
  const { redirects, carrier, opener, hooks, clientAddress } = options

  /** A live session is kept, unless it is short and more is asked for (login.md 5.1, D59). */
  async function ensureSession(
    ctx: RouteContext,
    owner: Owner,
    { target, isLongRun, method, useUp }: PassedLogin,
  ): Promise<Session> {
    const isAuthorize = target?.isAuthorize === true
    const kind: SessionKind = isAuthorize ? 'short' : isLongRun ? 'long' : 'normal'
    const live = await carrier.current(ctx)
    if (live !== undefined && !isUpgrade(live.kind, kind)) return live
    await hooks.onLogin?.({
      instance: ctx.state.instance,
      method,
      address: clientAddress(ctx),
      userAgent: ctx.get('User-Agent'),
    })
    await useUp?.()
    return opener.open(ctx, owner, { kind, method, clientRegistration: isAuthorize })
  }

  return async function enter(ctx, owner, login) {
    // Before the session: what fails here leaves none behind.
    const to = login.target ?? (await redirects.home(ctx.state.instance))
    const session = await ensureSession(ctx, owner, login)
    return opener.arrive(ctx, to, session)
  }
}
