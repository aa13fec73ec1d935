import type { Instance } from '@svc/platform'
import type { OwnerContacts } from '../../ports.ts'
import { renderText } from '../../render/content.ts'
import type { RenderServices } from '../../services.ts'
import { type Channel, type ChannelOutcome, KEPT } from '../channel.ts'
import type { SmsSender } from './sms-sender.ts'
import { fitText } from './sms-text.ts'

interface SmsChannelOptions {
  readonly sender: SmsSender
  /** Absent: no phone is known. */
  readonly contacts?: OwnerContacts
}

/**
 * Notifications as texts to the owner's phone: the message and nothing else.
 * @see notifications.md 10.1
 */
export function createSmsChannel(
  services: RenderServices,
  { sender, contacts }: SmsChannelOptions,
): Channel {
  const { log } = services

  async function numberOf(instance: Instance): Promise<{ number: string } | { fault: string }> {
    const contact = await contacts?.contactOf(instance)
    const written = contact?.phone?.trim() ?? ''
    if (written === '') return { fault: 'no_phone' }
    const number = parsePhoneNumber(written)
    return number === undefined ? { fault: 'bad_phone' } : { number }
  }

  return {
    name: 'sms',
    async attempt({ instance, record, signal }): Promise<ChannelOutcome> {
      const way = sender.wayFor(instance)
      if (way === undefined) return { class: 'config', code: 'not_configured' }
      const to = await numberOf(instance)
      if ('fault' in to) return { class: 'permanent', code: to.fault }
      const { body, warnings } = await renderText(services, 'sms', instance, record)
      const fitted = fitText(body, way.rule)
      if ('fault' in fitted) return { class: 'permanent', code: fitted.fault, warnings }
      const { number } = to
      const message = { notificationId: record.id, instance, number, text: fitted.text }
      const outcome = await way.send(message, signal)
      if (outcome.class === 'sent' && outcome.code !== KEPT) {
        log.info('notification.sms_sent', { domain: instance.domain, notification: record.id })
      }
      return warnings.length > 0 ? { ...outcome, warnings } : outcome
    },
  }
}

const E164 = /^\+[1-9]\d{6,14}$/

/** A number as people write it, in E.164; undefined for anything else. @see notifications.md 10.1 "number" */
export function parsePhoneNumber(written: string): string | undefined {
  if (written.length > 64) return undefined
  const number = written.replaceAll(/[\s.()\u2010-\u2015-]/g, '')
  return E164.test(number) ? number : undefined
}
