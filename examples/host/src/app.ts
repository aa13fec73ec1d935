import { fileURLToPath } from 'node:url'
import { createActivity } from '@svc/activity'
import { appFolders, createAuthUi } from '@svc/auth-ui'
import { OAuthError } from '@svc/oauth-core'
import { bindRoutes, limitLoad, type SealingKey, versionedStore } from '@svc/platform'
import { createRealtime } from '@svc/realtime'
import type { Clock, Scheduler, Store } from '@svc/store'
import Koa from 'koa'
import { createHostConnectors } from './accounts/host-connectors.ts'
import { konnectorListRoutes } from './accounts/konnector-list.ts'
import { serveApps } from './apps/app-pages.ts'
import { endAssistants } from './assistants/end-assistants.ts'
import { createHostAssistants } from './assistants/host-assistants.ts'
import { restoredSpaces } from './backups/restored-record.ts'
import { permissionTexts } from './apps/permission-texts.ts'
import { createHostApps } from './apps/registry.ts'
import { hasTls } from './config/addressing.ts'
import type { Config } from './config/config.ts'
import { assistantSwitches } from './config/assistants.ts'
import { realtimeOverrides, uiOverrides } from './config/overrides.ts'
import { createDocumentStore } from './documents/document-store.ts'
import { createHostOAuth } from './host-oauth.ts'
import { limitRequests } from './http/coarse-limit.ts'
import { type AnsweredRequest, noteBrokenAnswers, noteRequests } from './http/request-log.ts'
import { createRequestScope } from './http/request-scope.ts'
import { createHostKeys } from './keys/host-keys.ts'
import { createHostKonnectors } from './konnectors/registry.ts'
import { audit, withAuditMarks } from './log/audit.ts'
import type { HostLog } from './log/log.ts'
import { createHealth } from './monitoring/health.ts'
import { createMetrics } from './monitoring/metrics.ts'
import { countRefreshes } from './monitoring/refresh-figures.ts'
import { createStatus } from './monitoring/status-lines.ts'
import { observeStore } from './monitoring/observed-store.ts'
import { createSettableFigures } from './monitoring/settable-figures.ts'
import { StoreFigures } from './monitoring/store-figures.ts'
import { createProbe } from './checks/probe.ts'
import { tellClientChanges } from './notifications/client-events.ts'
import { tellAboutAssistants } from './notifications/assistant-notices.ts'
import { createHostNotifications } from './notifications/host-notifications.ts'
import { createQuotaNotices } from './quota/quota-notices.ts'
import { createDiskQuota } from './quota/disk-quota.ts'
import { hostRecords } from './records.ts'
import { inTurn } from './processes/in-turn.ts'
import { listProcesses } from './processes/process-record.ts'
import { type HostServices, NO_DEV_PAGES } from './services.ts'

export interface HostAppOptions {
  readonly config: Config
  readonly store: Store
  /** The scheduler of the store, or what stands in front of it. */
  readonly wakeUps: Scheduler
  readonly keys: readonly SealingKey[]
  readonly log: HostLog
  readonly clock: Clock
  /** Tells the operator something in a sentence. */
  readonly notice: (text: string) => void
  /** Whether nothing may grow for now. */
  readonly isSpaceLow?: () => boolean
}

/**
 * The half that only shows. Nothing else imports it, so that production runs without it.
 * @see docs/decisions/0296-production-runs-without-the-demo.md
 */
const importDemo = () => import('./demo/demo.ts')

/** It, where the configuration wants anything of it. */
function loadDemo(config: Config): ReturnType<typeof importDemo> | undefined {
  const isWanted = !config.isProduction || config.demo || config.demoApps
  return isWanted ? importDemo() : undefined
}

/** Assembles the packages in the order of `architecture.md` 1. */
export async function createHostApp(options: HostAppOptions): Promise<HostServices> {
  const { config, keys, clock } = options
  const storeFigures = new StoreFigures()
  const audited = new Map<string, number>()
  const scope = createRequestScope(withAuditMarks(options.log, audited))
  const { log } = scope
  const kinds = hostRecords(config.namespace)
  const observed = observeStore(options.store, clock, storeFigures, options.wakeUps)
  const store = versionedStore(observed, kinds, log)
  const demo = await loadDemo(config)
  const demoApps = config.demoApps ? demo?.demoApps : undefined
  const apps = await createHostApps({
    store,
    clock,
    namespace: config.namespace,
    folders: [...(demoApps?.folders() ?? []), appFolders.settings],
    initial: [...(demoApps?.initial ?? []), 'settings'],
    activity: { pending: (instance, event) => oauth.activity.pending(instance, event) },
  })
  const konnectors = createHostKonnectors({
    store,
    folder: fileURLToPath(new URL('../konnectors', import.meta.url)),
    namespace: config.namespace,
  })
  const quota = createDiskQuota(store, config.limits['disk'] ?? 0)
  const documents = createDocumentStore(store, quota)
  const shareParts = { store, clock, apps, quota }
  const shared = config.demoApps ? demo?.createSharedData(shareParts) : undefined
  const oauth = createHostOAuth(config, {
    store,
    apps,
    keys,
    clock,
    log,
    konnectors,
    ...(shared !== undefined && { sharings: shared.sharings }),
  })
  const { isSpaceLow = () => false } = options
  oauth.useSpace(isSpaceLow)
  oauth.records.declare(kinds)
  if (config.flagship.skipCertification === true) log.warn('flagship.certification_skipped')
  konnectors.onUninstalled((instance, slug) => oauth.revoked(instance, 'app', [slug]))
  apps.onChange(async (instance, slug) => {
    await oauth.revoked(instance, 'app', [slug])
    if ((await apps.installed(instance, slug)) !== undefined) return
    await oauth.clients.onWebappUninstalled(instance, slug)
  })
  const realtime = createRealtime({ oauth, ...realtimeOverrides(config) })
  tellClientChanges(oauth, realtime)
  const { notify, ownerPorts, phones, tellSeal, mailbox, outbox } = await createHostNotifications({
    config,
    store,
    oauth,
    apps,
    konnectors,
    events: realtime,
    ...(demo !== undefined &&
      !config.isProduction && { development: demo.createDevelopment(store, clock) }),
    pushCredentials: { getRaw: async (id) => accounts.connectors.accountTypes.getRaw(id) },
  })
  const { assistants, assistantChanges } = createHostAssistants({
    config,
    oauth,
    documents,
    quota,
    events: realtime,
    isShared: shared?.isShared,
    isSpaceLow,
  })
  const quotaNotices = createQuotaNotices({ store, notify, log })
  quota.onUse((instance, use) => void quotaNotices.look(instance, use))
  const ui = createAuthUi({
    oauth,
    ...ownerPorts,
    events: realtime,
    ...(shared !== undefined && { shares: shared.shares }),
    restored: restoredSpaces(store),
    assistantChanges,
    // The settings are among the apps of this host; the demo has a home of its own.
    builtInApps: { settings: false, home: !config.demoApps },
    move: { diskUsage: quota.use },
    permissionTexts: permissionTexts(config.namespace),
    ...(config.raiseLimitUrl !== undefined && { raiseLimitUrl: config.raiseLimitUrl }),
    passphrase: {
      threadPoolSize: config.threadPoolSize,
      revokeOAuthOnReset: config.revokeOauthOnReset,
    },
    ...uiOverrides(config),
  })
  tellAboutAssistants({ oauth, notify, owners: ui.settingsOwners })
  oauth.useSessions(ui.sessions)
  const activity = createActivity({ platform: oauth, owners: ui.settingsOwners, tellSeal })
  audit(oauth, log)
  const accounts = createHostConnectors({
    config,
    oauth,
    realtime,
    documents,
    konnectors,
    notify,
    log,
    clock,
    sessions: ui.sessions,
  })
  const { connectors } = accounts

  oauth.instances.onRemove(async (instance) => {
    await documents.removeAll(instance)
    await quotaNotices.remove(instance)
    // What was shared while the demo was on goes as well.
    const data = shared ?? (await importDemo()).createSharedData(shareParts)
    await data.removeAll(instance)
    await apps.removeAll(instance)
    await konnectors.removeAll(instance)
  })

  const clientAddress = (ctx: Koa.Context): string => oauth.clientAddress(ctx)
  const { requestsInFlight, requestsPerMinute = 0 } = config.limits
  const load = limitLoad({
    clientAddress,
    ...(requestsInFlight !== undefined && { requests: requestsInFlight }),
  })
  const settable = createSettableFigures()
  const metrics = createMetrics({
    config,
    store,
    instances: oauth.instances,
    hashing: ui.hashing,
    audited,
    settable,
    storeFigures,
    load: load.figures,
    oauth,
    isSpaceLow,
    sockets: realtime.stats,
    notifications: notify.figures,
    providers: connectors.figures,
    refreshes: countRefreshes(oauth),
    ...(assistants !== undefined && { onCall: assistants.onCall, assistants: oauth.assistants }),
  })
  const health = createHealth(store, clock)
  const probe = createProbe({ config, store, clock, instances: oauth.instances, clientAddress })
  const koa = new Koa()
  noteBrokenAnswers(koa, log)
  koa.use(scope.middleware({ clientAddress, trustsProxy: config.trustProxy > 0 }))
  const observe = (request: AnsweredRequest): void => {
    metrics.observe(request)
    health.observe(request)
  }
  koa.use(noteRequests({ log, observe, isHttps: hasTls(config) }))
  koa.use(health.middleware)
  koa.use(load.middleware)
  koa.use(limitRequests({ requestsPerMinute, clientAddress }))
  koa.use(probe.middleware)
  koa.use(connectors.callbackHost())
  const devPages = demo?.createDevPages({
    config,
    store,
    log,
    instances: oauth.instances,
    notice: options.notice,
    isUsed: mailbox !== undefined || outbox !== undefined,
  })
  if (demo && devPages) koa.use(demo.listInstances(devPages, oauth.instances))
  koa.use(oauth.resolveInstance())
  koa.use(ui.routes())
  koa.use(serveApps({ apps, visits: ui.appPages }))
  koa.use(oauth.routes({ pages: ui.pages }))
  koa.use(activity.routes())
  koa.use(realtime.routes())
  if (assistants !== undefined) koa.use(assistants.routes())
  koa.use(notify.routes({ pages: ui.notices, errorPage: ui.pages.error }))
  koa.use(connectors.routes({ pages: ui.pages }))
  const own = [
    ...bindRoutes(konnectorListRoutes, {
      namespace: config.namespace,
      oauth,
      konnectors,
      connectors,
    }),
    ...(demo === undefined || shared === undefined
      ? []
      : demo.demoRows(demo.demoServices({ accounts, oauth, realtime, ui }, { documents, shared }))),
  ]
  koa.use(oauth.mount(own, { demandsActivity: true }))
  if (demo && devPages) {
    const devRows = demo.devRows({ clock, devPages, mailbox, notify, outbox })
    koa.use(oauth.mount(devRows, { page: ui.pages.error }))
  }
  koa.use(() => {
    throw new OAuthError('not_found')
  })

  const hostKeys = createHostKeys({
    config,
    keys,
    oauth,
    ui,
    log,
    processes: () => listProcesses(store),
  })

  let ending: Promise<void> | undefined
  const services: HostServices = {
    koa,
    rows: [oauth, ui, activity, realtime, assistants, notify, connectors, { rows: own }].flatMap(
      (part) => part?.rows ?? [],
    ),
    log,
    oauth,
    ui,
    activity,
    realtime,
    apps,
    konnectors,
    accounts,
    notify,
    phones,
    quota,
    mailbox,
    outbox,
    devPages: devPages ?? NO_DEV_PAGES,
    health,
    probe,
    settable,
    keys: hostKeys,
    metrics,
    status: createStatus({ config, store, keyStatus: hostKeys.status, settable, notify }),
    async welcome(port) {
      if (!config.demo) return
      await demo?.welcome({ app: services, store, config, port, notice: options.notice })
    },
    async start() {
      await inTurn([oauth, ui, activity, accounts, notify], (part) => part.start())
      if (!assistantSwitches(config.assistants).isOn) ending = endAssistants(oauth)
    },
    async close() {
      await ending
      await inTurn([hostKeys, connectors, realtime, notify, ui, activity, oauth, apps], (part) =>
        part.close(),
      )
    },
  }
  return services
}
