import type {
  AssistantView,
  AuthorizePages,
  Client,
  ConsentView,
  OwnerSession,
  OwnerSessions,
  SharingView,
} from '@svc/oauth-core'
import {
  claimingAs,
  type Instance,
  type RequestLike,
  type RouteContext,
  type RouteRow,
  versionedStore,
} from '@svc/platform'
import type { Context, Middleware } from 'koa'
import { type AppPages, visitApp } from './apps/app-pages.ts'
import { useBuiltInApps } from './apps/built-in-apps.ts'
import { FirstPages } from './apps/first-pages.ts'
import { type OwnForm, ownForm } from './authorize/own-form.ts'
import { createAuthorizePages } from './authorize/authorize-pages.ts'
import { Background } from './background.ts'
import { isConfirmed, type IsConfirmed } from './confirm/confirmation.ts'
import { describeInstance } from './host/describe-instance.ts'
import { type DescribedRule, describeScope } from './host/describe-scope.ts'
import { bindOwners, type Owners } from './host/owners.ts'
import { removeRecords } from './host/removal.ts'
import { createMessages } from './messages.ts'
import { AUTH_UI_OPTIONS, type AuthUiOptions, type ResolvedOptions } from './options.ts'
import { createOwnerStore } from './owner/owner-store.ts'
import type { StoredHash } from './owner/stored-hash.ts'
import { createPages } from './pages/create-pages.ts'
import { checkViews } from './pages/view-check.ts'
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
  /** What a client is called in the owner's language: its name, or words for a client without one. */
  clientName(instance: Instance, client: Client): string
  /** What a kind of data is called, in the owner's language. */
  kindInWords(instance: Instance, type: string): string
}

/** The owner in a browser. */
export interface AuthUi {
  /** The package's endpoints, the files of its pages, and its apps on their hosts; behind `oauth.resolveInstance()`. */
  routes(): Middleware
  /** For `oauth.useSessions` (D49), and for packages with pages of their own. */
  readonly sessions: UiSessions
  /**
   * Who is logged in with a request of any framework, by its cookies; undefined for nobody. Reads only. A route that
   * changes something for a session alone has to refuse other origins itself.
   * @throws StoreUnavailableError
   */
  currentSession(request: RequestLike): Promise<OwnerSession | undefined>
  /** For `oauth.routes`. */
  readonly pages: AuthorizePages
  /**
   * For pages of the host in the place of ours, such as `oauth.routes({ pages: { ...ui.pages, consent } })`: the form that
   * such a page has to have, and the headers of its answer.
   */
  form(ctx: Context, view: AssistantView | ConsentView | SharingView): Promise<OwnForm>
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
  /**
   * What the rules of a scope let a client do, in the words of the consent page and of `permissionTexts`, for pages and
   * mails of the host. @param locale - BCP 47 tag @throws TypeError for a text that is no scope
   */
  describeScope(scope: string, locale: string): readonly DescribedRule[]
  /** The password of a new link, for the host to keep. @throws AuthUiError `busy` */
  hashSharePassword(password: string): Promise<StoredHash>
  /** How busy this process is with hashing, for monitoring. */
  readonly hashing: Hashing
  /** The rows of {@link AuthUi.routes}, for documents and tests. */
  readonly rows: readonly RouteRow[]
  /**
   * Where an instance is reached, as text for whoever starts the server: over plain http with a link for an owner who has
   * yet to choose a passphrase, and with names that this computer cannot resolve.
   */
  describe(instance: Instance): Promise<string>
  /** Looks at the host's templates, and tells the log once how the first pages are reached. @throws TypeError for a template */
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
      return claimingAs((ctx, next) => serveApps.serve(ctx, () => own(ctx, next)), [own], {
        servesApp: serveApps.has,
      })
    },
    sessions: {
      current: (request) => services.sessionMiddleware.currentOf(request),
      redeem: (request, code) => redeemOnAuthorize(services, request, code),
      admit: (ctx, code) => receiveCode(services, ctx, code, 'short'),
    },
    currentSession: (request) => currentSession(services, request),
    pages,
    form: (ctx, view) => ownForm(services, ctx, view),
    notices: { notice: (ctx, page) => services.pages.noticePage(ctx, page) },
    owners: {
      ...owners,
      async createInstance(...given) {
        const made = await owners.createInstance(...given)
        await firstPages.note(made.instance)
        return made
      },
    },
    describe: (instance) => describeInstance(services, instance),
    appPages: { visit: (ctx, request) => visitApp(services, ctx, request) },
    isConfirmed: (instance, presented) => isConfirmed(services, instance, presented),
    settingsOwners: {
      requireSettingsApp: async (ctx) => requireSettingsApp(ctx, services),
      isConfirmed: (instance, confirmation) =>
        isConfirmed(services, instance, { ...confirmation, slug: options.settingsSlug }),
      rightsInWords: (instance, scope) => rightsInWords(services, instance, scope),
      clientName: ({ locale }, client) => services.pages.clientName(locale, client),
      kindInWords: ({ locale }, type) => services.pages.kindWords(locale, { type }),
    },
    hasShareCookie: (ctx, permId) => hasShareCookie(services, ctx, permId),
    describeScope: (scope, locale) => describeScope(services, scope, locale),
    hashSharePassword: (password) => services.hasher.hash(password),
    hashing: services.hasher.queue,
    rows,
    async start() {
      await checkViews(options.views, services.pages)
      await firstPages.start()
    },
    close: () => services.background.idle(),
  }
}

async function currentSession(
  { oauth, sessionMiddleware }: AuthUiServices,
  request: RequestLike,
): Promise<OwnerSession | undefined> {
  const view = await oauth.view(request)
  return view && sessionMiddleware.currentOf(view)
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
      messages: createMessages({ texts: options.texts, languages: options.locales }),
      slots: options.slots,
      views: options.views,
      log,
      findClient: (instance, id) => oauth.clients.get(instance, id),
      ...(options.theme !== undefined && { theme: options.theme }),
    }),
    owners: createOwnerStore(store),
    hasher: new PasswordHasher({
      queue,
      log,
      cost: passphrase.cost,
      verifiers: passphrase.verifiers,
    }),
    timing: new TimingEqualizer(),
    sessions,
    cookies,
    sessionMiddleware: new SessionMiddleware({
      store,
      clock,
      lifetimes,
      sessions,
      cookies,
      clientAddress: oauth.clientAddress,
    }),
  }
}
