import type { RouteContext } from '@svc/platform'
import type { Owner } from '../owner/owner.ts'
import type { HostHooks } from '../ports.ts'
import { isUpgrade, type LoginMethod, type Session, type SessionKind } from '../session/session.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { SessionOpener } from './open-session.ts'
import type { Redirects, RedirectTarget } from '../web/redirect-target.ts'

/** A log-in whose every step was passed. */
export interface PassedLogin {
  /** Undefined: home. */
  readonly target: RedirectTarget | undefined
  readonly isLongRun: boolean
  readonly method: LoginMethod
  /** The host was asked already. */
  readonly isAdmitted?: boolean
  /** Uses up what the log-in stands on, after the host's veto and before the session; not for a session that is kept. */
  readonly useUp?: () => Promise<void>
}

/** Lets the owner in: a session of the right kind, and the `Location` that leads on. @see login.md 2.2, 5.1 */
export type Enter = (ctx: RouteContext, owner: Owner, login: PassedLogin) => Promise<string>

/**
 * Asks the host, whose veto leaves everything as it was: to be called before anything is used up (login.md 10.10).
 * A session that is kept needs no leave. @throws HttpError of the host
 */
export type Admit = (
  ctx: RouteContext,
  login: Pick<PassedLogin, 'target' | 'isLongRun' | 'method'>,
) => Promise<void>

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
  const { redirects, carrier, opener } = options
  const admit = createAdmit(options)

  /** A live session is kept, unless it is short and more is asked for (login.md 5.1, D59). */
  async function ensureSession(
    ctx: RouteContext,
    owner: Owner,
    login: PassedLogin,
  ): Promise<Session> {
    const kind = kindOf(login)
    const { method, useUp } = login
    const live = await carrier.current(ctx)
    if (live !== undefined && !isUpgrade(live.kind, kind)) return live
    if (login.isAdmitted !== true) await admit(ctx, login)
    await useUp?.()
    return opener.open(ctx, owner, { kind, method, clientRegistration: kind === 'short' })
  }

  return async function enter(ctx, owner, login) {
    // Before the session: what fails here leaves none behind.
    const to = login.target ?? (await redirects.home(ctx.state.instance))
    const session = await ensureSession(ctx, owner, login)
    return opener.arrive(ctx, to, session)
  }
}

/** @see Admit */
export function createAdmit(
  options: Pick<EnterOptions, 'carrier' | 'hooks' | 'clientAddress'>,
): Admit {
  const { carrier, hooks, clientAddress } = options
  return async function admit(ctx, login) {
    const live = await carrier.current(ctx)
    if (live !== undefined && !isUpgrade(live.kind, kindOf(login))) return
    const { instance } = ctx.state
    const { method } = login
    const address = clientAddress(ctx)
    await hooks.onLogin?.({ instance, method, address, userAgent: ctx.get('User-Agent') })
  }
}

function kindOf({ target, isLongRun }: Pick<PassedLogin, 'target' | 'isLongRun'>): SessionKind {
  if (target?.isAuthorize === true) return 'short'
  return isLongRun ? 'long' : 'normal'
}
