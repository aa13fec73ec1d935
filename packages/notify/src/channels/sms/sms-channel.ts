import type { Instance, Outbound } from '@svc/platform'
import { createCircuitBreaker } from '../../circuit-breaker.ts'
import type { OwnerContacts } from '../../ports.ts'
import { renderText } from '../../render/content.ts'
import type { NotifyServices, RenderServices } from '../../services.ts'
import type { Channel, ChannelOutcome } from '../channel.ts'
import { createHttpSmsGateway } from './http-sms-gateway.ts'
import {
  type OutgoingText,
  providerFor,
  type SmsGateway,
  type SmsOptions,
  type SmsProvider,
} from './sms-options.ts'
import { fitText } from './sms-text.ts'

interface SmsChannelOptions {
  readonly options: SmsOptions
  /** Absent: no phone is known. */
  readonly contacts?: OwnerContacts
  readonly outbound: Outbound
}

/**
 * Notifications as texts to the owner's phone: the message and nothing else.
 * @see notifications.md 10.1
 */
export function createSmsChannel(
  services: RenderServices & Pick<NotifyServices, 'clock'>,
  { options, contacts, outbound }: SmsChannelOptions,
): Channel {
  const { clock, log } = services
  const gateways = new Map<SmsProvider, SmsGateway>()
  const breaker = createCircuitBreaker<SmsGateway>({ clock })

  function gatewayOf(provider: SmsProvider | undefined): SmsGateway | undefined {
    if (options.gateway !== undefined || provider === undefined) return options.gateway
    const known = gateways.get(provider)
    const gateway = known ?? createHttpSmsGateway({ provider, outbound, clock, log })
    gateways.set(provider, gateway)
    return gateway
  }

  async function numberOf(instance: Instance): Promise<{ number: string } | { fault: string }> {
    const contact = await contacts?.contactOf(instance)
    const written = contact?.phone?.trim() ?? ''
    if (written === '') return { fault: 'no_phone' }
    const number = parsePhoneNumber(written)
    return number === undefined ? { fault: 'bad_phone' } : { number }
  }

  async function send(
    gateway: SmsGateway,
    message: OutgoingText,
    signal: AbortSignal,
  ): Promise<ChannelOutcome> {
    const ask = (): Promise<ChannelOutcome> => gateway.send(message, signal)
    const answer = await breaker.call(gateway, signal, ask, isSilence)
    return typeof answer === 'string' ? { class: 'transient', code: answer } : answer.result
  }

  return {
    name: 'sms',
    async attempt({ instance, record, signal }): Promise<ChannelOutcome> {
      const provider = providerFor(options, instance.context)
      const gateway = gatewayOf(provider)
      if (gateway === undefined) return { class: 'config', code: 'not_configured' }
      const to = await numberOf(instance)
      if ('fault' in to) return { class: 'permanent', code: to.fault }
      const { body, warnings } = await renderText(services, 'sms', instance, record)
      const fitted = fitText(body, provider ?? {})
      if ('fault' in fitted) return { class: 'permanent', code: fitted.fault, warnings }
      const { number } = to
      const message = { notificationId: record.id, instance, number, text: fitted.text }
      const outcome = await send(gateway, message, signal)
      if (outcome.class === 'sent') {
        log.info('notification.sms_sent', { domain: instance.domain, notification: record.id })
      }
      return warnings.length > 0 ? { ...outcome, warnings } : outcome
    },
  }
}

function isSilence(end: ChannelOutcome | Error): boolean {
  return !(end instanceof Error) && end.code === 'timeout'
}

const E164 = /^\+[1-9]\d{6,14}$/

/** A number as people write it, in E.164; undefined when it is none. @see notifications.md 10.1 "number" */
export function parsePhoneNumber(written: string): string | undefined {
  if (written.length > 64) return undefined
  const number = written.replaceAll(/[\s.()\u2010-\u2015-]/g, '')
  return E164.test(number) ? number : undefined
}
