import { type Instance, type RequestView, viewOf } from '@svc/platform'
import type { Change, Key, Store } from '@svc/store'
import type { Context } from 'koa'
import type { createSession } from 'koa-session'
import type { Lifetimes } from '../lifetimes.ts'
import {
  cookieMaxAgeMs,
  type DeviceId,
  type LoginMethod,
  needsTouch,
  type Session,
  type SessionId,
  type SessionKind,
} from './session.ts'
import type { SessionCookies } from './session-cookie.ts'
import type { SessionStore, StoredSession } from './session-store.ts'

/** A session to open. */
export interface NewSession {
  readonly kind: SessionKind
  readonly method: LoginMethod
  readonly device?: DeviceId
  readonly isElsewhere?: boolean
  /** More changes of the same write. */
  readonly also?: (id: SessionId) => readonly Change[]
}

/** What {@link SessionMiddleware} needs. */
export interface SessionMiddlewareOptions {
  readonly sessions: SessionStore
  readonly cookies: SessionCookies
  readonly store: Store
  readonly clock: { now(): number }
  readonly lifetimes: Lifetimes
  readonly clientAddress: (ctx: Context) => string
}

/** One request as koa-session sees it. */
interface Exchange {
  readonly instance: Instance
  readonly loaded: StoredSession | undefined
  readonly also: NewSession['also']
  readonly setCookie: (id: SessionId, maxAgeMs: number | undefined) => void
  readonly clearCookie: () => void
  /** The old session that goes in the write that stores the new one. */
  replaced?: SessionId
  saved?: Session
}

/** koa-session's own object, as far as it is used here. */
interface KoaSession extends Partial<Omit<Session, 'id'>> {
  manuallyCommit(): Promise<void>
  regenerate(): Promise<void>
}

/** The context koa-session runs on: ours, so that an embedding app's own koa-session is left alone. */
interface Facade {
  session: KoaSession | Omit<Session, 'id'> | null
}

type RunKoaSession = ReturnType<typeof createSession>

/** The write that stores a session did not happen. */
export class SessionNotStored extends Error {
  /** Whose condition was not met: the session's own, or that of a change that came along. */
  readonly failed: Key

  constructor(failed: Key) {
    super('the session was not stored')
    this.failed = failed
  }
}

/**
 * Carries a session from request to request, on koa-session (D10). The only file that knows koa-session; the store and
 * the cookie are ours.
 */
export class SessionMiddleware {
  readonly #options: SessionMiddlewareOptions
  readonly #lookups = new WeakMap<RequestView, Promise<StoredSession | undefined>>()
  readonly #opened = new WeakMap<Context, Session>()
  readonly #application = { context: {}, use: () => {} }
  #loading: Promise<RunKoaSession> | undefined

  constructor(options: SessionMiddlewareOptions) {
    this.#options = options
  }

  /** The live session of this request, looked up once. Reads only. */
  current(ctx: Context): Promise<Session | undefined> {
    return this.currentOf(this.#viewOf(ctx))
  }

  /** The same of a request that came through any framework. */
  async currentOf(request: RequestView): Promise<Session | undefined> {
    return (await this.#lookUp(request))?.session
  }

  /** Opens a session under a new identifier, in place of the request's own, and sets its cookie. */
  async open(
    ctx: Context,
    { kind, method, device, isElsewhere = false, also }: NewSession,
  ): Promise<Session> {
    const now = this.#options.clock.now()
    const exchange = await this.#withKoaSession(ctx, also, async (facade) => {
      facade.session = {
        kind,
        method,
        createdAt: now,
        lastSeen: now,
        ...(device === undefined ? {} : { device }),
        ...(isElsewhere && { isElsewhere }),
      }
      await koaSessionOf(facade).regenerate()
    })
    if (exchange.saved === undefined) throw new Error('the session was not stored')
    this.#opened.set(ctx, exchange.saved)
    return exchange.saved
  }

  /** Notes a use, at most once a day; a session that ended meanwhile stays ended. Nothing on HEAD. */
  async touch(ctx: Context): Promise<void> {
    const { clock, lifetimes } = this.#options
    const stored = await this.#lookUp(this.#viewOf(ctx))
    if (stored === undefined || ctx.method === 'HEAD') return
    if (!needsTouch(stored.session, clock.now(), lifetimes)) return
    try {
      await this.#withKoaSession(ctx, undefined, async (facade) => {
        Object.assign(koaSessionOf(facade), { lastSeen: clock.now() })
        await koaSessionOf(facade).manuallyCommit()
      })
    } catch (error) {
      if (!(error instanceof SessionNotStored)) throw error
    }
  }

  /** Takes back what `open` did in this request, cookies included; nothing when it did nothing. */
  async undo(ctx: Context): Promise<void> {
    const session = this.#opened.get(ctx)
    if (session === undefined) return
    ctx.remove('Set-Cookie')
    this.#lookups.delete(this.#viewOf(ctx))
    // What failed before may fail again: without its cookie the session is nobody's.
    await this.#options.sessions.end(instanceOf(ctx), session.id, 'replaced').catch(() => {})
  }

  /** The session that this request came with is gone: nothing remembers it. */
  forget(ctx: Context): void {
    this.#lookups.set(this.#viewOf(ctx), Promise.resolve(undefined))
  }

  /** Ends the request's session and clears its cookie. @param also - more changes of the same write */
  async end(ctx: Context, also: readonly Change[] = []): Promise<void> {
    const exchange = await this.#withKoaSession(ctx, undefined, async (facade) => {
      const session = koaSessionOf(facade)
      facade.session = null
      await session.manuallyCommit()
    })
    if (exchange.replaced !== undefined)
      await this.#options.sessions.end(exchange.instance, exchange.replaced, 'logout', also)
    exchange.clearCookie()
    this.forget(ctx)
  }

  async #withKoaSession(
    ctx: Context,
    also: NewSession['also'],
    change: (facade: Facade) => Promise<void>,
  ): Promise<Exchange> {
    const { cookies } = this.#options
    const exchange: Exchange = {
      instance: instanceOf(ctx),
      loaded: await this.#lookUp(this.#viewOf(ctx)),
      also,
      setCookie: await cookies.writer(ctx),
      clearCookie: () => cookies.clear(ctx),
    }
    this.#loading ??= this.#loadKoaSession().catch((error: unknown) => {
      // Such as too many open files: the next one tries again.
      this.#loading = undefined
      throw error
    })
    // It adds to what the facade is made of.
    const runKoaSession = await this.#loading
    const facade: Facade = Object.assign(Object.create(this.#application.context), {
      app: { emit: () => {} },
      // koa-session writes a cookie by itself only to remove one, also before it puts a new one in its place.
      cookies: { get: () => undefined, set: () => {} },
      exchange,
    })
    await runKoaSession(facade, () => change(facade))
    this.#lookups.delete(this.#viewOf(ctx))
    return exchange
  }

  /** Loaded when the first session is opened: the library brings the largest one that a server without logins would hold. */
  async #loadKoaSession(): Promise<RunKoaSession> {
    const { sessions, lifetimes } = this.#options
    const koaSession = await import('koa-session')
    return koaSession.createSession(
      {
        autoCommit: false,
        externalKey: {
          // Undefined means "none" to koa-session, although its type has no word for it.
          get: (facade) => exchangeOf(facade).loaded?.session.id as string,
          set: (facade, key) => {
            const { saved, loaded, setCookie } = exchangeOf(facade)
            const isSame = key === loaded?.session.id
            // A session until the browser closes needs its cookie once; a long one gets its days anew.
            if (saved === undefined || (isSame && saved.kind !== 'long')) return
            setCookie(saved.id, cookieMaxAgeMs(saved.kind, lifetimes))
          },
        },
        genid: () => sessions.newId(),
        maxAge: 'session',
        signed: false,
        store: {
          destroy,
          get: load,
          set: (key, data: Partial<Session>, _maxAge, { ctx }) =>
            this.#save(key as SessionId, data, exchangeOf(ctx)),
        },
      },
      this.#application,
    )
  }

  #viewOf(ctx: Context): RequestView {
    return viewOf(ctx, this.#options.clientAddress)
  }

  #lookUp(request: RequestView): Promise<StoredSession | undefined> {
    const known = this.#lookups.get(request)
    if (known !== undefined) return known
    const lookup = this.#findLive(request)
    this.#lookups.set(request, lookup)
    return lookup
  }

  async #findLive(request: RequestView): Promise<StoredSession | undefined> {
    const { cookies, sessions } = this.#options
    for (const id of await cookies.read(request)) {
      const stored = await sessions.get(request.instance, id)
      if (stored !== undefined) return stored
    }
    return undefined
  }

  async #save(id: SessionId, data: Partial<Session>, exchange: Exchange): Promise<void> {
    const { sessions, store } = this.#options
    const { instance, loaded, replaced, also } = exchange
    const session = toSession(id, data)
    const revision = id === loaded?.session.id ? loaded.revision : undefined
    const result = await store.write([
      sessions.put(instance, session, revision),
      ...(replaced === undefined ? [] : [sessions.remove(instance, replaced)]),
      ...(also?.(session.id) ?? []),
    ])
    if (!result.written) throw new SessionNotStored(result.failed)
    exchange.saved = session
    if (revision === undefined) await sessions.bound(instance, session.id)
    if (replaced !== undefined) await sessions.announceEnd(instance, [replaced], 'replaced')
  }
}

/** What koa-session reads of the session. */
async function load(_key: string, _maxAge: unknown, { ctx }: { ctx?: unknown }): Promise<unknown> {
  const { id: _id, ...fields } = exchangeOf(ctx).loaded?.session ?? ({} as Partial<Session>)
  return fields
}

/** The session goes in the write that stores the next one. */
async function destroy(key: string, { ctx }: { ctx?: unknown }): Promise<void> {
  const exchange = exchangeOf(ctx)
  // An identifier that was only generated has no record.
  if (key === exchange.loaded?.session.id) exchange.replaced = key as SessionId
}

function koaSessionOf(facade: Facade): KoaSession {
  // koa-session's setter makes its own object of whatever it is given, its getter answers that.
  return facade.session as KoaSession
}

function exchangeOf(facade: unknown): Exchange {
  // koa-session hands back the facade made in `withKoaSession`.
  return (facade as { exchange: Exchange }).exchange
}

function instanceOf(ctx: Context): Instance {
  // Everything here runs behind `resolveInstance`.
  return ctx.state['instance'] as Instance
}

function toSession(id: SessionId, data: Partial<Session>): Session {
  // The fields are those that `open` or `load` gave; koa-session adds its own.
  const { kind, method, createdAt, lastSeen, device, isElsewhere } = data as Session
  return {
    id,
    kind,
    method,
    createdAt,
    lastSeen,
    ...(device !== undefined && { device }),
    ...(isElsewhere === true && { isElsewhere }),
  }
}
