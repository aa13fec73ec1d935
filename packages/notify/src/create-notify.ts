import { createRateLimits, type Texter, versionedStore } from '@svc/platform'
import { createChannels } from './channels/create-channels.ts'
import { createQuotas } from './channels/delivery-quotas.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { createDigests } from './engine/digests.ts'
import { createEngine } from './engine/engine.ts'
import { createHeldBack } from './engine/held-back.ts'
import { expireOverdue } from './engine/overdue.ts'
import { createRetention, removeGoneSource } from './engine/retention.ts'
import { postInternal } from './intake/post-internal.ts'
import { createPosting } from './intake/posting.ts'
import { removeQueues } from './intake/source-queue.ts'
import { createCatalogues } from './mail/catalogue.ts'
import { mailFooter } from './mail/mail-footer.ts'
import { repliesOf } from './mail/mail-sender.ts'
import { createSystemMails, lazyTemplates } from './mail/system-mailer.ts'
import { createMetrics } from './metrics.ts'
import type { Notify } from './notify.ts'
import { NotifyError } from './notify-error.ts'
import { createOperator } from './operator.ts'
import { NOTIFY_OPTIONS, type NotifyOptions, type ResolvedOptions } from './options.ts'
import { publishWrite } from './outbox/notification-events.ts'
import { createOutbox } from './outbox/outbox.ts'
import { removePreferences } from './preferences/preference-store.ts'
import { NOTIFY_RECORDS } from './outbox/records.ts'
import { createRenderWorker } from './render/render-worker.ts'
import { bindNotifyRoutes, notifyRoutes } from './routes.ts'
import type { NotifyServices } from './services.ts'

/**
 * Routes from this server and its apps to the owners. Nothing is delivered before `start`.
 * @throws TypeError listing every fault of the options with its path
 * @example
 * const notify = createNotify({
 *   oauth,
 *   channels: { mail: { transport: smtpTransport({ host: 'mail.example.org', port: 587 }) } },
 * })
 * app.use(notify.routes({ pages: ui.notices }))
 * await notify.start()
 */
export function createNotify(given: NotifyOptions): Notify {
  const options = NOTIFY_OPTIONS.settle(given)
  const { services, texter, closeChannels } = assembleServices(options)
  const { loadTemplates, log, oauth, outbox, pages } = services
  const systemMails = createSystemMails({ log, mail: options.channels.mail, loadTemplates })
  const metrics = createMetrics()
  outbox.onWritten((write) => publishWrite(services, write))
  outbox.onWritten(metrics.note)
  oauth.instances.onRemove(async (instance) => {
    await outbox.removeAll(instance.id)
    await removeQueues(services, instance)
    await removePreferences(services, instance)
    await removeQueues(services, instance)
  })
  const background = [
    createRetention(services, options.maxKept),
    createDigests(services),
    createHeldBack(services),
    createEngine(services, options.concurrency),
  ]
  const rows = bindNotifyRoutes(notifyRoutes, services)

  return {
    mailer: systemMails.mailer,
    texter,
    render: systemMails.render,
    rows,
    routes({ pages: shown, errorPage }) {
      pages.current = shown
      return oauth.mount(rows, {
        demandsActivity: true,
        ...(errorPage !== undefined && { page: errorPage }),
      })
    },
    post: (instance, notification) => postInternal(services, instance, notification),
    operator: createOperator(services),
    figures: metrics.read,
    sourceGone: (instance, source) => removeGoneSource(services, instance, source),
    expireOverdue: (instance, before) => expireOverdue(services, instance, before),
    async start() {
      for (const each of background) await each.start()
    },
    async close() {
      await Promise.all(background.map((each) => each.close()))
      await closeChannels()
    },
  }
}

function assembleServices(options: ResolvedOptions): {
  readonly services: NotifyServices
  readonly texter: Texter
  readonly closeChannels: () => Promise<void>
} {
  const { oauth, apps, lifetimes, limits, log, maxUnfinished, settingsSlug, sourcePrefix } = options
  const { channelDelays, roundDelays } = options
  const { custom, mail, mobile } = options.channels
  const { clock, namespace } = oauth
  if (mobile?.webpush !== undefined) oauth.useWebPushKey(mobile.webpush.publicKey)
  oauth.records.declare(NOTIFY_RECORDS)
  const store = versionedStore(oauth.store, NOTIFY_RECORDS, log)
  const rateLimits = createRateLimits({
    store,
    clock,
    limits,
    tooMany: (_bucket, retryAfterS) => new NotifyError('rate_limited', { retryAfterS }),
  })
  const catalogueOf = createCatalogues(options.locales)
  const quotas = createQuotas({ store, clock, limits })
  const base = {
    oauth,
    store,
    clock,
    log,
    namespace,
    apps,
    lifetimes,
    settingsSlug,
    retryPlan: { channelDelays, roundDelays, random: Math.random },
    outbox: createOutbox({ store, clock, lifetimes, log }),
    posting: createPosting({ limits: rateLimits, maxUnfinished, sourcePrefix }),
    hostChannels: custom,
    quotas: {
      mail: quotas['notify-mail'],
      sms: quotas['notify-sms'],
      ...Object.fromEntries(custom.map(({ name }) => [name, quotas['notify-host']])),
    },
    // System mails have a sender without a circuit breaker: a security mail is always tried.
    mailSender: { options: mail, breaker: createCircuitBreaker({ clock }) },
    catalogueOf,
    loadTemplates: lazyTemplates({
      catalogueOf,
      takesReplies: (instance) => repliesOf(instance, mail) !== undefined,
      footerOf: mailFooter(mail, log),
    }),
    renderWorker: createRenderWorker(),
    events: options.events,
    pages: {},
    webpush: mobile?.webpush,
  }
  const { all, texter, close } = createChannels(base, options, quotas['notify-push'])
  return { services: { ...base, channels: all }, texter, closeChannels: close }
}
