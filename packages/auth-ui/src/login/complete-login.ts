import { type Observation, toFacts } from '../web/request-facts.ts'
import { type Instance, randomHex, type RouteContext } from '@svc/platform'
import type { Change } from '@svc/store'
import { sendNews } from '../owner/news.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import {
  type DeviceId,
  isKept,
  type LoginMethod,
  type Session,
  type SessionId,
  type SessionKind,
} from '../session/session.ts'
import {
  homeTarget,
  locationOf,
  type LocationOptions,
  needsSessionCode,
  type RedirectTarget,
} from '../web/redirect-target.ts'
import { originOf } from '../web/activity.ts'
import { settingsUrl } from '../web/settings-app.ts'
import { rememberDevice } from '../session/known-device.ts'
import { boundLogins } from '../session/login-bounds.ts'
import { isNewPlace, loginChanges, type LoginEntry } from '../session/login-history.ts'
import { observeVisitor, visitorOf } from '../web/visitor.ts'
import { AuthUiError } from '../errors.ts'
import { isWithinLimit } from '../rate-limits.ts'
import { notifyHost } from '../background.ts'
import { createTransferCode } from '../session/transfer-code.ts'

/** A login whose every step was passed. */
export interface PassedLogin {
  /** Undefined: home. */
  readonly target: RedirectTarget | undefined
  readonly isLongRun: boolean
  readonly method: LoginMethod
  /** By a mailed link, in another browser than the one that asked for it. */
  readonly isElsewhere?: boolean
  /** The host was asked already. */
  readonly isAuthorized?: boolean
  /** Uses up what the login stands on, after the host's veto and before the session; not for a session that is kept. */
  readonly useUp?: () => Promise<void>
  /** Changes of the write that stores the session; not for a session that is kept. */
  readonly also?: (sessionId: SessionId) => readonly Change[]
}

/**
 * Lets the owner in: a session of the right kind, and the `Location` that leads on. What fails later takes the session
 * back.
 * @see login.md 2.2, 5.1
 */
export async function completeLogin(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  login: PassedLogin,
): Promise<string> {
  // Before the session: what fails here leaves none behind.
  const to = login.target ?? (await homeTarget(services, ctx.state.instance))
  const session = await ensureSession(services, ctx, owner, login)
  return leadOn(services, ctx, to, session)
}

/**
 * Asks the host, whose veto leaves everything as it was: to be called before anything is used up (login.md 10.10).
 * A session that is kept needs no leave.
 * @throws HttpError of the host
 */
export async function authorizeLogin(
  {
    sessionMiddleware,
    hooks,
    oauth,
  }: Pick<AuthUiServices, 'sessionMiddleware' | 'hooks' | 'oauth'>,
  ctx: RouteContext,
  login: Pick<PassedLogin, 'target' | 'isLongRun' | 'isElsewhere' | 'method'>,
): Promise<void> {
  const live = await sessionMiddleware.current(ctx)
  if (live !== undefined && isKept(live, kindOf(login))) return
  const { instance } = ctx.state
  const { method } = login
  const address = oauth.clientAddress(ctx)
  await hooks.onLogin?.({ instance, method, address, userAgent: ctx.get('User-Agent') })
}

/** A live session is kept, unless it lives for minutes and more is asked for (login.md 5.1, D59). */
async function ensureSession(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  login: PassedLogin,
): Promise<Session> {
  const kind = kindOf(login)
  const { method, useUp, also, isElsewhere = false } = login
  const live = await services.sessionMiddleware.current(ctx)
  if (live !== undefined && isKept(live, kind)) return live
  if (login.isAuthorized !== true) await authorizeLogin(services, ctx, login)
  await useUp?.()
  return openSession(services, ctx, owner, {
    kind,
    method,
    isElsewhere,
    clientRegistration: login.target?.isAuthorize === true,
    ...(also === undefined ? {} : { also }),
  })
}

function kindOf({
  target,
  isLongRun,
  isElsewhere,
}: Pick<PassedLogin, 'target' | 'isLongRun' | 'isElsewhere'>): SessionKind {
  if (isElsewhere === true) return 'short'
  if (target?.isAuthorize === true) return 'short'
  return isLongRun ? 'long' : 'normal'
}

/** What a login asks for. */
export interface SessionRequest {
  readonly kind: SessionKind
  readonly method: LoginMethod
  /** @defaultValue false */
  readonly isElsewhere?: boolean
  /** The login serves an authorization. */
  readonly clientRegistration: boolean
  /** Changes of the same write. */
  readonly also?: (sessionId: SessionId) => readonly Change[]
}

/**
 * The end of every login: session and cookie, history, known browser, hooks, and the owner's mail. One write holds
 * session, history and known browser.
 */
export async function openSession(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  request: SessionRequest,
): Promise<Session> {
  const { instance } = ctx.state
  const { method, clientRegistration, isElsewhere = false } = request
  const entry = {
    ...(await observeVisitor(services, visitorOf(services, ctx))),
    method,
    clientRegistration,
  }
  // Asked before this login is part of the history itself.
  const isNew = await isNewPlace(services, instance, { ...entry, sessionId: NOBODY })
  // On an app's host nobody asks for a passphrase, and a session elsewhere proves little: neither makes a known browser.
  const isKnown = ctx.state.appSlug === undefined && !isElsewhere
  const device = isKnown ? await rememberDevice(services, ctx, owner) : undefined
  const session = await services.sessionMiddleware.open(ctx, {
    kind: request.kind,
    method: request.method,
    isElsewhere,
    ...(device === undefined ? {} : { device: device.id }),
    also: (sessionId) => [
      ...(request.also?.(sessionId) ?? []),
      ...(device === undefined ? [] : [device.change]),
      ...loginChanges(services, instance, { ...entry, sessionId }),
      ...noteLoggedIn(services, ctx, 'login.succeeded', entry),
    ],
  })
  if (!(await isStillOwner(services, instance, owner))) {
    await services.sessionMiddleware.undo(ctx)
    throw new AuthUiError('invalid_passphrase')
  }
  device?.setCookie()
  boundLogins(services, instance)
  services.log.info('login.succeeded', {
    domain: instance.domain,
    method: request.method,
    kind: request.kind,
    address: entry.ip,
  })
  if (isNew || isElsewhere)
    mailNewConnection(services, ctx, entry, { device: device?.id, isElsewhere })
  await notifyHost(services.log, 'onLoggedIn', () =>
    services.hooks.onLoggedIn?.({
      instance,
      method: request.method,
      address: entry.ip,
      userAgent: entry.userAgent,
      sessionId: session.id,
    }),
  )
  return session
}

/** Notes a login that opens no session, an app's: history, and the owner's mail. */
export async function noteLogin(
  services: AuthUiServices,
  ctx: RouteContext,
  method: LoginMethod,
): Promise<void> {
  const { instance } = ctx.state
  const entry = {
    ...(await observeVisitor(services, visitorOf(services, ctx))),
    method,
    clientRegistration: false,
  }
  const isNew = await isNewPlace(services, instance, { ...entry, sessionId: NOBODY })
  // An identifier that no session has.
  const sessionId = randomHex(16) as LoginEntry['sessionId']
  await services.store.write([
    ...loginChanges(services, instance, { ...entry, sessionId }),
    ...noteLoggedIn(services, ctx, 'flagship.login', entry),
  ])
  boundLogins(services, instance)
  if (isNew) mailNewConnection(services, ctx, entry)
}

function noteLoggedIn(
  services: AuthUiServices,
  ctx: RouteContext,
  event: 'flagship.login' | 'login.succeeded',
  { method, country, ip, userAgent }: Omit<LoginEntry, 'sessionId'>,
): readonly Change[] {
  const origin = { ...originOf(ip, userAgent), ...(country !== undefined && { country }) }
  return services.oauth.activity.pending(ctx.state.instance, {
    event,
    actor: { kind: 'owner' },
    origin,
    detail: { method },
  })
}

/**
 * The `Location` after a form. When it cannot be made, a session opened by this request is taken back: no error
 * carries a session cookie (login.md 10.4).
 */
export async function leadOn(
  services: AuthUiServices,
  ctx: RouteContext,
  target: RedirectTarget,
  session: Session,
): Promise<string> {
  try {
    return await locateTarget(services, ctx, target, session, 'keep')
  } catch (error) {
    await services.sessionMiddleware.undo(ctx)
    throw error
  }
}

function mailNewConnection(
  services: AuthUiServices,
  ctx: RouteContext,
  seen: Observation,
  {
    device,
    isElsewhere = false,
  }: { readonly device?: DeviceId | undefined; readonly isElsewhere?: boolean } = {},
): void {
  const { instance } = ctx.state
  services.background.run('mail.new_connection', async () => {
    const { limits } = services
    // Each session elsewhere is mailed; the limit of the links bounds them.
    if (!isElsewhere && !(await isWithinLimit(limits, instance, 'new-connection-mail'))) return
    await sendNews(services, instance, {
      template: 'new_connection',
      variables: {
        ...toFacts(seen),
        url: await settingsUrl(services, instance, 'devices', device),
      },
    })
  })
}

/**
 * Whether the passphrase is still that of the owner who logged in. A change that came after it was checked ends the
 * sessions it finds; one that is stored later than that is seen here.
 */
async function isStillOwner(
  services: AuthUiServices,
  instance: Instance,
  owner: Owner,
): Promise<boolean> {
  return (await services.owners.get(instance.id))?.owner.securityStamp === owner.securityStamp
}

/** The place of an entry does not depend on its session. */
const NOBODY = '' as LoginEntry['sessionId']

/** The `Location` of a target for a browser with a session, with a fresh transfer code where its host needs one. */
export async function locateTarget(
  services: AuthUiServices,
  ctx: RouteContext,
  target: RedirectTarget,
  session: Session | undefined,
  fragment: LocationOptions['fragment'],
): Promise<string> {
  const { instance } = ctx.state
  const { slug } = target
  // A HEAD request makes nothing.
  const needsCode = needsSessionCode(instance, target) && ctx.method !== 'HEAD'
  if (session === undefined || slug === undefined || !needsCode) {
    return locationOf(target, { fragment })
  }
  const sessionCode = await createTransferCode(services, instance, slug, session.id)
  return locationOf(target, { fragment, sessionCode })
}
