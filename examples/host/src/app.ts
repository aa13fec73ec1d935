import type { RequestListener, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { appFolders, type AuthUi, createAuthUi } from '@svc/auth-ui'
import type { Mailer, Notify } from '@svc/notify'
import { createOAuth, type OAuth, OAuthError } from '@svc/oauth-core'
import { limitLoad, type RouteRow, type SealingKey } from '@svc/platform'
import { createRealtime, type Realtime } from '@svc/realtime'
import type { Clock, Store } from '@svc/store'
import Koa from 'koa'
import { hasTls, isLocalhost } from './config/addressing.ts'
import { serveApps } from './apps/app-pages.ts'
import { createHostApps, type HostApps, listAppFolders } from './apps/registry.ts'
import { audit, withAuditMarks } from './log/audit.ts'
import { tellClientChanges } from './notifications/client-events.ts'
import { limitRequests } from './http/coarse-limit.ts'
import type { Config } from './config/config.ts'
import { readDeprecatedApps } from './config/deprecated-apps.ts'
import { createHostConnectors, type HostConnectors } from './accounts/host-connectors.ts'
import { konnectorListRows } from './accounts/konnector-list.ts'
import { createConfirmedTypes } from './demo/data/confirmed-types.ts'
import { createDocumentStore } from './documents/document-store.ts'
import { dataRoutes } from './demo/data/data-routes.ts'
import { publicDocuments } from './demo/data/doctype-rules.ts'
import { mailRoutes } from './demo/pages/mail-routes.ts'
import type { DevMailbox } from './demo/pages/mailbox.ts'
import { previewRoutes } from './demo/pages/preview-routes.ts'
import type { DevOutbox } from './demo/pages/outbox.ts'
import { outboxRoutes } from './demo/pages/outbox-routes.ts'
import { createDevPages, type DevPages } from './demo/pages/dev-pages.ts'
import { flagshipOptions } from './config/flagship.ts'
import { createHealth, type Health } from './monitoring/health.ts'
import { HSTS } from './http/http-server.ts'
import { createHostKonnectors, type HostKonnectors } from './konnectors/registry.ts'
import type { HostLog } from './log/log.ts'
import { createMetrics, type Metrics } from './monitoring/metrics.ts'
import { createHostNotifications } from './notifications/host-notifications.ts'
import type { OwnerPhones } from './notifications/owner-phone.ts'
import { permissionTexts } from './apps/permission-texts.ts'
import { noteBrokenAnswers, noteRequests } from './http/request-log.ts'
import { coreOverrides, realtimeOverrides, uiOverrides } from './config/overrides.ts'
import { createRequestScope } from './http/request-scope.ts'
import { shareRoutes } from './demo/shares/share-routes.ts'
import { createShareStore } from './demo/shares/share-store.ts'
import { createSharingOffers } from './demo/shares/sharing-offers.ts'
import { sharingRoutes } from './demo/shares/sharing-routes.ts'

/** Everything a host is made of, assembled; it listens nowhere yet. */
export interface HostApp {
  readonly koa: Koa
  /** All endpoints but those of development. */
  readonly rows: readonly RouteRow[]
  readonly oauth: OAuth
  readonly ui: AuthUi
  readonly realtime: Realtime
  readonly apps: HostApps
  readonly konnectors: HostKonnectors
  readonly accounts: HostConnectors
  readonly mailer: Mailer
  readonly notify: Notify
  readonly phones: OwnerPhones
  /** Only where no SMTP server is set and this is not production. */
  readonly mailbox: DevMailbox | undefined
  /** Only where nobody takes pushes, or nobody takes texts, and this is not production. */
  readonly outbox: DevOutbox | undefined
  readonly devPages: DevPages
  readonly health: Health
  readonly metrics: Metrics
  /** Starts timers. */
  start(): Promise<void>
  /** Finishes what is under way. The store is the caller's. */
  close(): Promise<void>
}

export interface HostAppOptions {
  readonly config: Config
  readonly store: Store
  readonly keys: readonly SealingKey[]
  readonly log: HostLog
  readonly clock: Clock
  /** Tells the operator something in a sentence. */
  readonly notice: (text: string) => void
}

/** Apps that every new instance has. */
const INITIAL_APPS = ['home', 'safe', 'settings']

/** Assembles the packages in the order of `architecture.md` 1. */
export async function createHostApp(options: HostAppOptions): Promise<HostApp> {
  const { config, store, keys, clock } = options
  const scope = createRequestScope(withAuditMarks(options.log))
  const { log } = scope
  const apps = await createHostApps({
    store,
    clock,
    namespace: config.namespace,
    folders: [
      ...listAppFolders(fileURLToPath(new URL('../apps', import.meta.url))),
      // The demo store: nobody has these at first.
      ...listAppFolders(fileURLToPath(new URL('../store-apps', import.meta.url))),
      appFolders.settings,
    ],
    initial: INITIAL_APPS,
  })
  const konnectors = createHostKonnectors({
    store,
    folder: fileURLToPath(new URL('../konnectors', import.meta.url)),
    namespace: config.namespace,
  })
  const documents = createDocumentStore(store)
  const shares = createShareStore(store)
  const sharings = createSharingOffers({ store, clock, apps, documents })
  const oauth = createOAuth({
    store,
    sharings,
    apps,
    keys,
    clock,
    log,
    namespace: config.namespace,
    subdomains: config.subdomains,
    isHttps: (domain) => hasTls(config) || !isLocalhost(domain),
    trustProxy: config.trustProxy,
    requirePkce: config.requirePkce,
    consent: { choose: config.consentChoose },
    deprecatedApps: readDeprecatedApps(config.deprecatedAppsFile),
    flagship: flagshipOptions(config.flagship),
    konnectors,
    ...coreOverrides(config),
  })
  if (config.flagship.skipCertification === true) log.warn('flagship.certification_skipped')
  konnectors.onUninstalled((instance, slug) => oauth.revoked(instance, 'app', [slug]))
  apps.onChange(async (instance, slug) => {
    await oauth.revoked(instance, 'app', [slug])
    if ((await apps.installed(instance, slug)) !== undefined) return
    await oauth.clients.onWebappUninstalled(instance, slug)
  })
  const realtime = createRealtime({ oauth, ...realtimeOverrides(config) })
  tellClientChanges(oauth, realtime)
  const { notify, phones, mailbox, outbox } = await createHostNotifications({
    ...{ config, store, clock, oauth, apps, konnectors, events: realtime },
    pushCredentials: { getRaw: async (id) => accounts.connectors.accountTypes.getRaw(id) },
  })
  const { mailer, render } = notify
  const ui = createAuthUi({
    oauth,
    mailer,
    events: realtime,
    shares,
    move: { diskUsage: async (instance) => ({ used: await documents.size(instance) }) },
    permissionTexts: permissionTexts(config.namespace),
    ...(config.raiseLimitUrl !== undefined && { raiseLimitUrl: config.raiseLimitUrl }),
    passphrase: {
      threadPoolSize: config.threadPoolSize,
      revokeOAuthOnReset: config.revokeOauthOnReset,
    },
    ...uiOverrides(config),
  })
  oauth.useSessions(ui.sessions)
  audit(oauth, log)
  const accounts = createHostConnectors({
    ...{ config, oauth, realtime, documents, konnectors, notify, log, clock },
    sessions: ui.sessions,
  })
  const { connectors } = accounts

  oauth.instances.onRemove(async (instance) => {
    await documents.removeAll(instance)
    await shares.removeAll(instance)
    await sharings.removeAll(instance)
    await apps.removeAll(instance)
    await konnectors.removeAll(instance)
  })

  const clientAddress = (ctx: Koa.Context): string => oauth.clientAddress(ctx)
  const { requestsInFlight, requestsPerMinute = 0 } = config.limits
  const load = limitLoad({
    clientAddress,
    ...(requestsInFlight !== undefined && { requests: requestsInFlight }),
  })
  const metrics = createMetrics({
    load: load.figures,
    sockets: realtime.stats,
    notifications: notify.figures,
    providers: connectors.figures,
  })
  const health = createHealth(store, clock)
  const koa = new Koa()
  noteBrokenAnswers(koa, log)
  koa.use(scope.middleware(clientAddress))
  koa.use(noteRequests({ log, clientAddress, observe: metrics.observe, isHttps: hasTls(config) }))
  koa.use(health.middleware)
  koa.use(load.middleware)
  koa.use(limitRequests({ requestsPerMinute, clientAddress }))
  koa.use(connectors.callbackHost())
  koa.use(oauth.resolveInstance())
  koa.use(serveApps({ apps, visits: ui.appPages }))
  koa.use(ui.routes())
  koa.use(oauth.routes({ pages: ui.pages }))
  koa.use(realtime.routes())
  koa.use(notify.routes({ pages: ui.notices, errorPage: ui.pages.error }))
  koa.use(connectors.routes({ pages: ui.pages }))
  const confirmedTypes = createConfirmedTypes({
    types: [`${config.namespace}.safe.secrets`],
    isConfirmed: ui.isConfirmed,
  })
  const rules = [accounts.rules]
  const shown = publicDocuments(documents, rules)
  // A link shows documents to whoever has it, and an offer makes them another owner's, both without what the types of
  // some of them ask for.
  const isShareable = (type: string): boolean => !confirmedTypes.has(type)
  const isOfferable = (type: string): boolean =>
    isShareable(type) && !realtime.isServerType(type) && rules.every((rule) => rule.type !== type)
  const own = [
    ...konnectorListRows({ ...config, oauth, konnectors, connectors }),
    ...dataRoutes(oauth, documents, { events: realtime, confirmedTypes, rules }),
    ...shareRoutes({ oauth, ui, shares, documents: shown, isShareable }),
    ...sharingRoutes({ oauth, offers: sharings, documents: shown, isOfferable }),
  ]
  koa.use(oauth.mount(own))
  const mails = mailbox && [...previewRoutes({ render, clock }), ...mailRoutes(mailbox)]
  const kept = [...(mails ?? []), ...(outbox === undefined ? [] : outboxRoutes(outbox))]
  const devPages = createDevPages({
    ...{ config, store, log, instances: oauth.instances, notice: options.notice },
    isUsed: kept.length > 0,
  })
  koa.use(oauth.mount(devPages.guard(kept), { page: ui.pages.error }))
  koa.use(() => {
    throw new OAuthError('not_found')
  })

  return {
    koa,
    rows: [oauth, ui, realtime, notify, connectors, { rows: own }].flatMap(({ rows }) => rows),
    oauth,
    ui,
    realtime,
    apps,
    konnectors,
    accounts,
    mailer,
    notify,
    phones,
    mailbox,
    outbox,
    devPages,
    health,
    metrics,
    async start() {
      await oauth.start()
      await accounts.start()
      await notify.start()
    },
    async close() {
      await connectors.close()
      await realtime.close()
      await notify.close()
      await ui.close()
      await oauth.close()
      await apps.close()
    },
  }
}

/** Answers what Koa must not see: a target that it cannot parse (security.md 0: `ctx.path` throws on it). */
export function toListener(koa: Koa, isHttps = false): RequestListener {
  const handle = koa.callback()
  return function listener(request, response) {
    const target = request.url ?? ''
    if (target.startsWith('/') || URL.canParse(target)) void handle(request, response)
    else refuseTarget(response, isHttps)
  }
}

function refuseTarget(response: ServerResponse, isHttps: boolean): void {
  response.writeHead(400, {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    ...(isHttps && { 'Strict-Transport-Security': HSTS }),
    Connection: 'close',
  })
  response.end('Bad Request')
}
