import { type Instance, type Logger, randomHex, type RouteContext } from '@svc/platform'
import type { Store } from '@svc/store'
import type { Background } from '../background.ts'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { HostHooks, Mailer } from '../ports.ts'
import { isWithinLimit, type RateLimits } from '../rate-limits.ts'
import { type Observation, type ObserveRequest, toFacts } from '../web/request-facts.ts'
import type { LoginEntry, LoginHistory } from '../session/login-history.ts'
import type { LoginMethod, Session, SessionKind } from '../session/session.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { SecurityUrl } from '../web/security-url.ts'
import { tellHost } from '../tell-host.ts'
import type { Arrival } from './arrival.ts'
import type { KnownDevices } from '../session/known-device.ts'
import type { RedirectTarget } from '../web/redirect-target.ts'

/** What a log-in asks for. */
export interface SessionRequest {
  readonly kind: SessionKind
  readonly method: LoginMethod
  /** The log-in serves an authorization. */
  readonly clientRegistration: boolean
}

/** The end of every log-in: session and cookie, history, known browser, hooks, and the owner's mail. */
export interface SessionOpener {
  open(ctx: RouteContext, owner: Owner, request: SessionRequest): Promise<Session>
  /** Notes a log-in that opens no session, an app's: history, and the owner's mail. */
  note(ctx: RouteContext, method: LoginMethod): Promise<void>
  /**
   * The `Location` after a form. When it cannot be made, a session opened by this request is taken back: no error
   * carries a session cookie (login.md 10.4).
   */
  arrive(ctx: RouteContext, target: RedirectTarget, session: Session): Promise<string>
}

/** What {@link createSessionOpener} needs. */
export interface SessionOpenerOptions {
  readonly store: Pick<Store, 'write'>
  readonly owners: OwnerStore
  readonly arrival: Arrival
  readonly carrier: SessionCarrier
  readonly history: LoginHistory
  readonly devices: KnownDevices
  readonly limits: RateLimits
  readonly hooks: HostHooks
  readonly mailer: Mailer
  readonly background: Background
  readonly observeRequest: ObserveRequest
  readonly securityUrl: SecurityUrl
  readonly log: Logger
}

/** One write holds session, history and known browser. */
export function createSessionOpener(options: SessionOpenerOptions): SessionOpener {
  const { owners, carrier, history, devices, limits, hooks, mailer, background, log } = options
  const { arrival, observeRequest, securityUrl } = options

  function mailNewConnection(ctx: RouteContext, seen: Observation): void {
    const { instance } = ctx.state
    background.run('mail.new_connection', async () => {
      if (!(await isWithinLimit(limits, instance, 'new-connection-mail'))) return
      await mailer.send(instance, {
        template: 'new_connection',
        variables: { ...toFacts(seen), url: await securityUrl(instance) },
      })
    })
  }

  /**
   * Whether the passphrase is still that of the owner who logged in. A change that came after it was checked ends the
   * sessions it finds; one that is stored later than that is seen here.
   */
  async function isStillOwner(instance: Instance, owner: Owner): Promise<boolean> {
    return (await owners.get(instance.id))?.owner.securityStamp === owner.securityStamp
  }

  return {
    async open(ctx, owner, request) {
      const { instance } = ctx.state
      const { method, clientRegistration } = request
      const entry = { ...(await observeRequest(ctx)), method, clientRegistration }
      // Asked before this log-in is part of the history itself.
      const isNewPlace = await history.isNewPlace(instance, { ...entry, sessionId: NOBODY })
      // On an app's host nobody asks for a passphrase: the browser becomes no known one there.
      const isApp = ctx.state.appSlug !== undefined
      const device = isApp ? undefined : await devices.remember(ctx, owner)
      const session = await carrier.open(ctx, {
        kind: request.kind,
        method: request.method,
        also: (sessionId) => [
          ...(device === undefined ? [] : [device.change]),
          ...history.note(instance, { ...entry, sessionId }),
        ],
      })
      if (!(await isStillOwner(instance, owner))) {
        await carrier.undo(ctx)
        throw new AuthUiError('invalid_passphrase')
      }
      device?.setCookie()
      log.info('login.succeeded', {
        instance: instance.domain,
        method: request.method,
        kind: request.kind,
        address: entry.ip,
      })
      if (isNewPlace) mailNewConnection(ctx, entry)
      await tellHost(log, 'onLoggedIn', () =>
        hooks.onLoggedIn?.({
          instance,
          method: request.method,
          address: entry.ip,
          userAgent: entry.userAgent,
          sessionId: session.id,
        }),
      )
      return session
    },
    async note(ctx, method) {
      const { instance } = ctx.state
      const entry = { ...(await observeRequest(ctx)), method, clientRegistration: false }
      const isNewPlace = await history.isNewPlace(instance, { ...entry, sessionId: NOBODY })
      // An identifier that no session has.
      const sessionId = randomHex(16) as LoginEntry['sessionId']
      await options.store.write(history.note(instance, { ...entry, sessionId }))
      if (isNewPlace) mailNewConnection(ctx, entry)
    },
    async arrive(ctx, target, session) {
      try {
        return await arrival.locate(ctx, target, session, 'keep')
      } catch (error) {
        await carrier.undo(ctx)
        throw error
      }
    },
  }
}

/** The place of an entry does not depend on its session. */
const NOBODY = '' as LoginEntry['sessionId']
