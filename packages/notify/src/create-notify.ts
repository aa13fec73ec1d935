import { createRateLimits } from '@svc/platform'
import { createCatalogues } from './mail/catalogue.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { createChannels } from './channels/create-channels.ts'
import { pushKeyRows } from './channels/mobile/push-key.ts'
import { createEngine } from './engine/engine.ts'
import { createRetention } from './engine/retention.ts'
import { createEvents } from './outbox/notification-events.ts'
import { createHeldBack } from './engine/held-back.ts'
import { createQuotas } from './channels/delivery-quotas.ts'
import { createSources } from './engine/sources.ts'
import { createFigures } from './metrics.ts'
import { createInboxRows } from './inbox/inbox.ts'
import { createIntake } from './intake/create-intake.ts'
import { toResource } from './outbox/notification-json.ts'
import { createSystemMails, lazyTemplates } from './mail/system-mailer.ts'
import { MailError } from './mail/mail-error.ts'
import { createMailSender, repliesOf } from './mail/mail-sender.ts'
import { createMailWaysOut } from './preferences/unsubscribe-link.ts'
import { NotifyError } from './notify-error.ts'
import type { Notify } from './notify.ts'
import { createOperator } from './operator.ts'
import { NOTIFY_OPTIONS, type NotifyOptions } from './options.ts'
import { createOutbox } from './outbox/outbox.ts'
import type { NoticePages } from './ports.ts'
import { createReleaseRules } from './preferences/release-rules.ts'
import { createDigests } from './engine/digests.ts'
import { createPreferenceRows } from './preferences/preferences-endpoint.ts'
import { createPreferenceStore } from './preferences/preference-store.ts'
import { createListSources } from './preferences/sources.ts'
import { createUnsubscribeRows } from './preferences/unsubscribe.ts'
import { createUnsubscribeTokens } from './preferences/unsubscribe-tokens.ts'
import { actionLinkOf } from './render/action-link.ts'
import { createContentRenderer } from './render/create-content-renderer.ts'
import { createDigestRenderer } from './engine/digest-mail.ts'

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
  const { oauth, apps, channels: asked, lifetimes, limits, log } = options
  const { clock, namespace, store } = oauth
  const shown: { pages?: NoticePages } = {}

  const loadTemplates = lazyTemplates({
    takesReplies: (instance) => repliesOf(instance, asked.mail) !== undefined,
  })
  const systemMails = createSystemMails({ log, mail: asked.mail, loadTemplates })
  const outbox = createOutbox({ store, clock, lifetimes, log })
  const preferences = createPreferenceStore(store)
  const tokens = createUnsubscribeTokens(oauth.sealer)
  const waysOut = createMailWaysOut({ ...options, tokens })
  // System mails have a sender without one: a security mail is always tried.
  const sender = createMailSender(asked.mail, createCircuitBreaker({ clock }))
  const quotas = createQuotas({ store, clock, limits })

  const channels = createChannels(options, {
    renderer: createContentRenderer({ oauth, apps, log, loadTemplates }),
    ...{ sender, linksOf: waysOut.linksOf },
    pushQuota: quotas['notify-push'],
  })
  const renderDigest = createDigestRenderer({ oauth, apps, loadTemplates })
  const digests = createDigests({
    ...{ store, clock, log, outbox, preferences },
    isAlive: createSources(options).isAlive,
    instanceById: oauth.instances.byId,
    render: async (instance, items) =>
      renderDigest(instance, items, await waysOut.linksOfMany(instance)),
    async send(instance, messageId, mail) {
      const quota = quotas['notify-mail']
      if (!(await quota.take(instance))) throw new MailError('transient', 'quota_spent')
      try {
        const signal = AbortSignal.timeout(lifetimes.attempt)
        await sender.toOwner(instance, { ...mail, messageId, template: 'digest' }, signal)
      } catch (error) {
        await quota.giveBack(instance)
        throw error
      }
    },
  })

  const rules = createReleaseRules({ preferences, announce: digests.announce })
  const heldBack = createHeldBack({ oauth, outbox, rules, log })
  const engine = createEngine({
    ...options,
    ...{ outbox, channels: channels.all },
    quotas: { mail: quotas['notify-mail'], sms: quotas['notify-sms'] },
    rules,
    plan: { ...options, random: Math.random },
  })
  const retention = createRetention({ ...options, outbox })
  const events = createEvents({
    ...{ events: options.events, log },
    toResource: (record) => toResource(record, namespace),
  })
  outbox.onWritten(events.ofWrite)
  const figures = createFigures()
  outbox.onWritten(figures.note)
  oauth.instances.onRemove(async (instance) => {
    await outbox.removeAll(instance.id)
    await intake.forget(instance)
    await preferences.removeAll(instance)
    await intake.forget(instance)
  })

  const intake = createIntake({
    ...options,
    outbox,
    limits: createRateLimits({
      ...{ store, clock, limits },
      tooMany: (_bucket, retryAfterS) => new NotifyError('rate_limited', { retryAfterS }),
    }),
  })
  const listSources = createListSources({
    ...{ apps: oauth.apps, clients: oauth.clients, konnectors: apps.konnectors },
    namespace,
  })
  // Those with a parameter come last: it would take the other paths, too.
  const rows = [
    ...createPreferenceRows({ oauth, preferences, listSources, around: heldBack.around }),
    ...createUnsubscribeRows({
      ...{ tokens, preferences, listSources, around: heldBack.around },
      catalogueOf: createCatalogues(),
      settingsUrl: waysOut.settingsOf,
      pages: () => demandPages(shown.pages),
    }),
    ...pushKeyRows({ webpush: asked.mobile?.webpush, namespace }),
    ...createInboxRows({
      ...{ oauth, outbox },
      toResource: (record) => ({ ...toResource(record, namespace) }),
      linkOf: async (instance, { data }) =>
        (await actionLinkOf(oauth.apps, apps, instance, data?.['redirectLink']))?.url,
      changed: async ({ id }, record) => events.updated(id, record),
    }),
    ...intake.rows,
  ]

  return {
    mailer: systemMails.mailer,
    render: systemMails.render,
    rows,
    routes({ pages, errorPage }) {
      shown.pages = pages
      return oauth.mount(rows, errorPage === undefined ? {} : { page: errorPage })
    },
    post: intake.post,
    operator: createOperator({ outbox, clock }),
    figures: figures.read,
    sourceGone: retention.sourceGone,
    async start() {
      await retention.start()
      await digests.start()
      await heldBack.start()
      await engine.start()
    },
    async close() {
      await Promise.all([engine.close(), digests.close(), heldBack.close(), retention.close()])
      await channels.close()
    },
  }
}

function demandPages(pages: NoticePages | undefined): NoticePages {
  if (pages === undefined) throw new TypeError('the pages of routes() have to be given first')
  return pages
}
