import type { AuthorizePages, OwnerSessions } from '@svc/oauth-core'
import { type Instance, type RouteContext, type RouteRow, versionedStore } from '@svc/platform'
import type { Middleware } from 'koa'
import { type AppPages, visitApp } from './apps/app-pages.ts'
import { useBuiltInApps } from './apps/built-in-apps.ts'
import { FirstPages } from './apps/first-pages.ts'
import { createAuthorizePages } from './authorize/authorize-pages.ts'
import { Background } from './background.ts'
import { isConfirmed, type IsConfirmed } from './confirm/confirmation.ts'
import { bindOwners, type Owners } from './host/owners.ts'
import { removeRecords } from './host/removal.ts'
import { AUTH_UI_OPTIONS, type AuthUiOptions, type ResolvedOptions } from './options.ts'
import { createOwnerStore } from './owner/owner-store.ts'
import type { StoredHash } from './owner/stored-hash.ts'
import { createPages } from './pages/create-pages.ts'
import type { NoticePageModel } from './pages/page-models.ts'
import { type HashFigures, hashesAtATime, HashQueue } from './passphrase/hash-queue.ts'
import { PasswordHasher } from './passphrase/password-hash.ts'
import { TimingEqualizer } from './passphrase/timing-equalizer.ts'
import { createRateLimits } from './rate-limits.ts'
import { AUTH_UI_RECORDS } from './records.ts'
import { bindAuthUiRoutes } from './routes.ts'
import type { AuthUiServices } from './services.ts'
import { receiveCode, redeemOnAuthorize } from './session-code/receive-code.ts'
import { rightsInWords } from './settings/clients.ts'
import { SessionMiddleware } from './session/session-middleware.ts'
import { SessionCookies } from './session/session-cookie.ts'
import { createSessionStore } from './session/session-store.ts'
import { hasShareCookie, type HasShareCookie } from './share-by-link/share-password.ts'
import { requireSettingsApp } from './web/caller.ts'
import { createCsrf } from './web/csrf.ts'

/** Who is logged in, and how a session code lets somebody in. */
export interface UiSessions extends OwnerSessions {
  /**
   * Uses up a session code for this very request, whoever is logged in: true when it was good. Nobody logged in becomes
   * a short session. For rows of other packages. @see connectors.md 4.1
   */
  admit(ctx: RouteContext, code: string): Promise<boolean>
}

/** Pages in the words of other packages. */
export interface Notices {
  /** The status is the caller's. */
  notice(ctx: RouteContext, page: NoticePageModel): Promise<void>
}

/** Who may use endpoints of the settings app. */
export interface SettingsOwners {
  /** Throws unless the request has a token of the settings app. */
  requireSettingsApp(ctx: RouteContext): Promise<void>
  /** Whether the owner confirmed for the settings app a moment ago. */
  isConfirmed(
    instance: Instance,
    confirmation: { readonly code: string; readonly state: string },
  ): Promise<boolean>
  /** What the rules of a scope allow, in the owner's language. */
  rightsInWords(instance: Instance, scope: string): Promise<readonly string[]>
  /** What a kind of data is called, in the owner's language. */
  kindInWords(instance: Instance, type: string): string
}

/** The owner in a browser. */
export interface AuthUi {
  /** The package's endpoints, the files of its pages, and its apps on their hosts; behind `oauth.resolveInstance()`. */
  routes(): Middleware
  /** For `oauth.useSessions` (D49), and for packages with pages of their own. */
  readonly sessions: UiSessions
  /** For `oauth.routes`. */
  readonly pages: AuthorizePages
  /** For packages with something to ask the owner, in their own words. */
  readonly notices: Notices
  /** The host's side of owners. */
  readonly owners: Owners
  /** Sessions and tokens on app hosts. */
  readonly appPages: AppPages
  /** For resources that want a fresh confirmation beside a token. */
  readonly isConfirmed: IsConfirmed
  /** For packages with endpoints of the settings app alone, such as the record of activity. */
  readonly settingsOwners: SettingsOwners
  /** For resources that are shared by links (oauth.md 9). */
  readonly hasShareCookie: HasShareCookie
  /** The password of a new link, for the host to keep. @throws AuthUiError `busy` */
  hashSharePassword(password: string): Promise<StoredHash>
  /** How busy this process is with hashing, for monitoring. */
  readonly hashing: Hashing
  /** The rows of {@link AuthUi.routes}, for documents and tests. */
  readonly rows: readonly RouteRow[]
  /** Tells the log once how the first pages are reached. */
  start(): Promise<void>
  /** Resolves when mails under way are handed over. */
  close(): Promise<void>
}

/** Passphrases that are hashed, a few at a time. */
export interface Hashing {
  /** Hashes that run and that wait now. */
  figures(): HashFigures
  /** Calls the listener with the seconds that each hash took; one listener, the last one. */
  onRun(listener: (seconds: number) => void): void
}

/** @throws TypeError listing every fault of the options with its path */
export function createAuthUi(given: AuthUiOptions): AuthUi {
  const options = AUTH_UI_OPTIONS.settle(given)
  const services = assembleServices(options)
  const { oauth, log } = services
  oauth.records.declare(AUTH_UI_RECORDS)
  const pages = createAuthorizePages(services)
  oauth.instances.onRemove((instance) => removeRecords(services, instance))
  const rows = [...bindAuthUiRoutes(services), ...services.pages.rows]
  const serveApps = useBuiltInApps(services)
  const firstPages = new FirstPages(services)
  const owners = bindOwners(services)

  return {
    routes() {
      const { limits } = services
      const own = oauth.mount(rows, {
        log,
        page: pages.error,
        checkCsrf: pages.checkCsrf,
        limits,
        demandsActivity: true,
      })
      return (ctx, next) => serveApps(ctx, () => own(ctx, next))
    },
    sessions: {
      current: (ctx) => services.sessionMiddleware.current(ctx),
      redeem: (ctx, code) => redeemOnAuthorize(services, ctx, code),
      admit: (ctx, code) => receiveCode(services, ctx, code, 'short'),
    },
    pages,
    notices: { notice: (ctx, page) => services.pages.noticePage(ctx, page) },
    owners: {
      ...owners,
      async createInstance(...given) {
        const made = await owners.createInstance(...given)
        await firstPages.note(made.instance)
        return made
      },
    },
    appPages: { visit: (ctx, request) => visitApp(services, ctx, request) },
    isConfirmed: (instance, presented) => isConfirmed(services, instance, presented),
    settingsOwners: {
      requireSettingsApp: async (ctx) => requireSettingsApp(ctx, services),
      isConfirmed: (instance, confirmation) =>
        isConfirmed(services, instance, { ...confirmation, slug: options.settingsSlug }),
      rightsInWords: (instance, scope) => rightsInWords(services, instance, scope),
      kindInWords: ({ locale }, type) => services.pages.kindWords(locale, { type }),
    },
    hasShareCookie: (ctx, permId) => hasShareCookie(services, ctx, permId),
    hashSharePassword: (password) => services.hasher.hash(password),
    hashing: services.hasher.queue,
    rows,
    start: () => firstPages.start(),
    close: () => services.background.idle(),
  }
}

/** The only place where they are put together. */
function assembleServices(options: ResolvedOptions): AuthUiServices {
  const { oauth, mailer, apps, clock, log, hooks, events, lifetimes, passphrase } = options
  const store = versionedStore(options.store, AUTH_UI_RECORDS, log)
  const { keyring, namespace, revoked } = oauth
  const queue = new HashQueue({
    atATime: hashesAtATime(passphrase.threadPoolSize),
    waiting: passphrase.waiting,
  })
  const sessions = createSessionStore({ store, lifetimes, hooks, log, revoked })
  const cookies = new SessionCookies({ keyring, clock })
  return {
    options,
    oauth,
    store,
    apps,
    clock,
    log,
    keyring,
    namespace,
    hooks,
    events,
    mailer,
    lifetimes,
    background: new Background(log),
    limits: createRateLimits({ store, clock, limits: options.limits }),
    csrf: createCsrf({ keyring, lifetimeMs: lifetimes.csrf }),
    pages: createPages({
      namespace,
      permissionTexts: options.permissionTexts,
      ...(options.theme !== undefined && { theme: options.theme }),
    }),
    owners: createOwnerStore(store),
    hasher: new PasswordHasher({ queue, log, cost: passphrase.cost }),
    timing: new TimingEqualizer(),
    sessions,
    cookies,
    sessionMiddleware: new SessionMiddleware({ store, clock, lifetimes, sessions, cookies }),
  }
}
