import type { AuthorizePages, OwnerSessions } from '@svc/oauth-core'
import { bindRoutes, type Instance, type RouteContext, type RouteRow } from '@svc/platform'
import type { Middleware } from 'koa'
import { type AppPages, createAppPages } from './apps/app-pages.ts'
import { assembleCodeLogins } from './assemble-code-logins.ts'
import { assemblePassphrase } from './assemble-passphrase.ts'
import { createAuthorizePages } from './authorize/authorize-pages.ts'
import { createBackground } from './background.ts'
import { createConfirm } from './confirm/confirm.ts'
import { createConfirmTargets } from './confirm/confirm-targets.ts'
import { createConfirmFlow } from './confirm/create-confirm-flow.ts'
import { createConfirmations } from './confirm/create-confirmations.ts'
import { confirmRows } from './confirm/rows.ts'
import { bindSecondFactor, bindTrustedDevices } from './factors/bound.ts'
import { passkeyRequestOptions } from './factors/passkeys.ts'
import { createSecondStep } from './login/create-second-step.ts'
import { settingsRoutes } from './settings/settings-routes.ts'
import { createTwoFactor } from './two-factor/two-factor.ts'
import { createTwoFactorRefusals } from './two-factor/two-factor-refusals.ts'
import { twoFactorRows } from './two-factor/two-factor-rows.ts'
import { createIsConfirmed, type IsConfirmed } from './confirm/is-confirmed.ts'
import { createCsrf } from './web/csrf.ts'
import { createActivation } from './login/activation.ts'
import { createArrival } from './login/arrival.ts'
import { createAdmit, createEnter } from './login/enter.ts'
import { createHome } from './passphrase/home.ts'
import { createKnownDevices } from './session/known-device.ts'
import { createLogin } from './login/login.ts'
import { createLogout } from './login/logout.ts'
import { createSessionOpener } from './login/open-session.ts'
import { createPassphraseCheck } from './login/passphrase-check.ts'
import { createRedirects } from './web/redirect-target.ts'
import { createMagicCodes } from './magic-link/magic-codes.ts'
import { createMove } from './move/move.ts'
import { createMoveFlow } from './move/move-flow.ts'
import { moveRows } from './move/rows.ts'
import { AUTH_UI_OPTIONS, type AuthUiOptions } from './options.ts'
import { createOwnerAccess } from './host/owner-access.ts'
import { createOwnerStore } from './owner/owner-store.ts'
import { createOwners, type Owners } from './host/owners.ts'
import type { NoticePageModel } from './pages/page-models.ts'
import { createPages } from './pages/create-pages.ts'
import { createChangePassphrase } from './passphrase/change-passphrase.ts'
import { createHashQueue, hashesAtATime } from './passphrase/hash-queue.ts'
import { createHostReset } from './passphrase/host-reset.ts'
import { createOnboard } from './passphrase/onboard.ts'
import { createOnboarding } from './passphrase/onboarding.ts'
import { createRenewedNotice } from './login/renewed-notice.ts'
import type { StoredHash } from './owner/stored-hash.ts'
import { createPasswordHasher } from './passphrase/password-hash.ts'
import { createPrelogin } from './passphrase/prelogin.ts'
import { createReplacePassphrase } from './passphrase/replace-passphrase.ts'
import { createRateLimits } from './rate-limits.ts'
import { createRemoval } from './host/removal.ts'
import { createObserveRequest, type DescribeRequest, toFacts } from './web/request-facts.ts'
import { createRows } from './routes.ts'
import { createEmailVerifiedCodes } from './session/create-email-verified-codes.ts'
import { createOpenCodes } from './session/create-open-codes.ts'
import { createAuthorizeCode, createReceiveCode } from './session-code/receive-code.ts'
import { createLoginHistory } from './session/login-history.ts'
import { createSessionCarrier } from './session/session-carrier.ts'
import { createSessionCookies } from './session/session-cookie.ts'
import type { AuthUiServices } from './services.ts'
import { createSessionStore } from './session/session-store.ts'
import { createTransferCodes } from './session/transfer-code.ts'
import { createCallers } from './web/caller.ts'
import { sharePasswordRows } from './share-by-link/password.ts'
import { createShareCookies, type HasShareCookie } from './share-by-link/share-cookies.ts'
import { securityUrl } from './web/security-url.ts'

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

/** The owner in a browser. */
export interface AuthUi {
  /** The package's endpoints and the files of its pages; behind `oauth.resolveInstance()`. */
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
  /** For resources that are shared by links (oauth.md 9). */
  readonly hasShareCookie: HasShareCookie
  /** The password of a new link, for the host to keep. @throws AuthUiError `busy` */
  hashSharePassword(password: string): Promise<StoredHash>
  /** The rows of {@link AuthUi.routes}, for documents and tests. */
  readonly rows: readonly RouteRow[]
  /** Resolves when mails under way are handed over. */
  close(): Promise<void>
}

/** @throws TypeError listing every fault of the options with its path */
export function createAuthUi(given: AuthUiOptions): AuthUi {
  const options = AUTH_UI_OPTIONS.settle(given)
  const { oauth, mailer, store, apps, clock, log, hooks, events, lifetimes, locate } = options
  const { keyring, namespace } = oauth
  const shared = { store, clock, lifetimes }
  const clientAddress = (ctx: RouteContext): string => oauth.clientAddress(ctx)
  const authenticate = (ctx: RouteContext): Promise<void> => oauth.authenticate(ctx)

  const background = createBackground(log)
  const limits = createRateLimits({ store, clock, limits: options.limits })
  const csrf = createCsrf({ keyring, lifetimeMs: lifetimes.csrf })
  const renderer = createPages({
    namespace,
    permissionTexts: options.permissionTexts,
    ...(options.theme === undefined ? {} : { theme: options.theme }),
  })
  const observeRequest = createObserveRequest({ clientAddress, locate, clock, log })
  const describeRequest: DescribeRequest = async (ctx) => toFacts(await observeRequest(ctx))
  const pages = createAuthorizePages({
    ...{ pages: renderer, csrf, mailer, describeRequest, clock, apps, namespace },
    ...{ appTokens: oauth.appTokens, settingsSlug: options.settingsSlug },
    raiseLimitUrl: options.raiseLimitUrl,
    current: (ctx) => carrier.current(ctx),
  })

  const queue = createHashQueue({
    atATime: hashesAtATime(options.passphrase.threadPoolSize),
    waiting: options.passphrase.waiting,
  })
  const hasher = createPasswordHasher({ queue, log, cost: options.passphrase.cost })
  const owners = createOwnerStore(store)

  const { revoked } = oauth
  const sessions = createSessionStore({ store, lifetimes, hooks, log, revoked })
  const cookies = createSessionCookies({ keyring, clock })
  const carrier = createSessionCarrier({ ...shared, sessions, cookies })
  const codes = createTransferCodes({ ...shared, limits })
  const history = createLoginHistory(shared)
  const devices = createKnownDevices(shared)

  const services: AuthUiServices = {
    ...{ options, oauth, store, apps, clock, log, keyring, namespace, hooks, events, mailer },
    ...{ lifetimes, background, limits, csrf, pages: renderer, owners, hasher },
    ...{ sessions, cookies, carrier },
  }
  const redirects = createRedirects({
    apps,
    requireInstalledApp: options.requireInstalledApp,
    homeSlug: options.homeSlug,
  })
  const arrival = createArrival(codes)
  const base = {
    ...services,
    ...{ describeRequest, codes, history, devices, redirects, arrival },
    ...{ observeRequest, clientAddress, authenticate, allowRaw: options.passphrase.allowRaw },
    securityUrl: (instance: Instance) => securityUrl(services, instance),
    settingsSlug: options.settingsSlug,
    answerActivation: createActivation(renderer, csrf),
    openCodes: createOpenCodes({ ...shared, limits }),
    emailVerifiedCodes: createEmailVerifiedCodes(shared),
    magicCodes: createMagicCodes(shared),
    trustedDevices: bindTrustedDevices(services),
    passkeys: { requestOptions: passkeyRequestOptions },
    renewedNotice: createRenewedNotice({ keyring, clock }),
    confirmations: createConfirmations(shared),
    confirmTargets: createConfirmTargets({
      redirects,
      apps,
      confirmHosts: options.confirm.authorizedHosts,
    }),
    callers: createCallers({ authenticate, settingsSlug: options.settingsSlug }),
  }
  const replacePassphrase = createReplacePassphrase(base)
  const changePassphrase = createChangePassphrase({
    ...{ ...base, replacePassphrase, clients: oauth.clients },
    revokeOAuthOnReset: options.passphrase.revokeOAuthOnReset,
  })
  const opener = createSessionOpener(base)
  const parts = {
    ...base,
    secondFactor: bindSecondFactor(services),
    secondStep: createSecondStep(base),
    ...{
      changePassphrase,
      opener,
      enter: createEnter({ ...base, opener }),
      admit: createAdmit(base),
    },
    onboard: createOnboard({ ...base, replacePassphrase }),
    resetPassphrase: createHostReset({ ...base, changePassphrase }),
    confirmFlow: createConfirmFlow(base),
    moveFlow: createMoveFlow({ moves: oauth.moves, diskUsage: options.move.diskUsage }),
    passphrases: createPassphraseCheck(base),
  }
  const { shares } = options
  const shareCookies = createShareCookies({ shares, keyring, clock })
  const receiveCode = createReceiveCode(parts)
  const onboarding = createOnboarding(parts)
  const rows = createRows({
    home: createHome({ ...parts, checkToken: onboarding.checkToken }),
    login: createLogin(parts),
    logout: createLogout(parts),
    onboarding,
    prelogin: createPrelogin(owners),
  })
  oauth.instances.onRemove(createRemoval(store))
  const access = createOwnerAccess(parts)
  const ownersOfHost = createOwners({ ...parts, instances: oauth.instances, access })
  const { createOnboardingUrl } = ownersOfHost
  const allRows = [
    ...rows,
    ...twoFactorRows(createTwoFactor({ ...parts, refusals: createTwoFactorRefusals(parts) })),
    ...moveRows(createMove(parts)),
    ...sharePasswordRows({ ...parts, shares, shareCookies }),
    ...assembleCodeLogins({ ...parts, checkRegisterToken: onboarding.checkToken }),
    ...confirmRows(createConfirm(parts)),
    ...bindRoutes(settingsRoutes, services),
    ...assemblePassphrase({ ...parts, createOnboardingUrl }),
    ...renderer.rows,
  ]

  return {
    routes: () => oauth.mount(allRows, { log, page: pages.error, checkCsrf: pages.checkCsrf }),
    sessions: {
      current: (ctx) => carrier.current(ctx),
      redeem: createAuthorizeCode(receiveCode),
      admit: (ctx, code) => receiveCode(ctx, code, 'short'),
    },
    pages,
    notices: { notice: (ctx, page) => renderer.noticePage(ctx, page) },
    owners: ownersOfHost,
    appPages: createAppPages({
      ...{ ...parts, receiveCode },
      appTokens: oauth.appTokens,
      attributePrefix: options.appAttributePrefix,
    }),
    isConfirmed: createIsConfirmed(owners, parts.confirmations),
    hasShareCookie: shareCookies.has,
    hashSharePassword: (password) => hasher.hash(password),
    rows: allRows,
    close: () => background.idle(),
  }
}
