import type { Texter } from '@svc/platform'
import type { NotifyLog } from '../../log/log-events.ts'
import { type CatalogueOf, catalogueOf as ours } from '../../mail/catalogue.ts'
import { KEPT } from '../channel.ts'
import { CALL_MS } from '../mobile/provider-call.ts'
import type { SmsSender } from './sms-sender.ts'

/**
 * Texts of the server itself, by the gateways of notifications. They are short, so nothing is cut off.
 * @param sender - absent: no text can be sent
 * @param catalogueOf - the languages that there are
 * @see owner.md 1.9
 */
export function createTexter(
  log: NotifyLog,
  sender: SmsSender | undefined,
  catalogueOf: CatalogueOf = ours,
): Texter {
  return {
    canSend: (instance) => sender?.wayFor(instance) !== undefined,
    async send(instance, number, { template, variables }) {
      const { domain, locale } = instance
      const way = sender?.wayFor(instance)
      if (way === undefined) throw new Error('nobody takes texts')
      const text = catalogueOf(locale).text(`text.${template}`, { domain, ...variables })
      const message = { notificationId: template, instance, number, text }
      const outcome = await way.send(message, AbortSignal.timeout(CALL_MS))
      if (outcome.class !== 'sent') {
        const { code = '' } = outcome
        log.warn('text.failed', { domain, template, class: outcome.class, code })
        throw new Error(`the text was not taken: ${outcome.class} ${code}`)
      }
      log.info(outcome.code === KEPT ? 'text.kept' : 'text.sent', { domain, template })
    },
  }
}
