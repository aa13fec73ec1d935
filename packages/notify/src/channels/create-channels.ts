import { createOutbound, type Instance } from '@svc/platform'
import type { Channel } from './channel.ts'
import { createMailChannel } from './mail-channel.ts'
import { createPushGateways } from './mobile/push-gateways.ts'
import { createMobileChannel } from './mobile/mobile-channel.ts'
import type { PushGateway } from './mobile/push-gateway.ts'
import { createSmsChannel } from './sms/sms-channel.ts'
import type { Quota } from './delivery-quotas.ts'
import type { MailSender } from '../mail/mail-sender.ts'
import type { ChannelName, NotificationRecord } from '../outbox/notification.ts'
import type { ContentRenderer } from '../render/content.ts'
import type { MailLinks } from '../mail/app-mails.ts'
import type { ResolvedOptions } from '../options.ts'

/** The ways to the owner that the options name. */
export interface Channels {
  readonly all: Readonly<Partial<Record<ChannelName, Channel>>>
  /** Lets go of connections. */
  close(): Promise<void>
}

/** Calls to the gateways of texts, which the operator names. @see notifications.md 18 */
const SMS_CALLS = {
  trustedNetworks: ['0.0.0.0/0', '::/0'],
  maxBytes: 65_536,
  totalMs: 10_000,
}

export function createChannels(
  options: ResolvedOptions,
  parts: {
    readonly renderer: ContentRenderer
    readonly sender: MailSender
    readonly linksOf: (instance: Instance, record: NotificationRecord) => Promise<MailLinks>
    readonly pushQuota: Quota
  },
): Channels {
  const { oauth, channels, contacts, pushCredentials: credentials, limits, log } = options
  const { renderer, sender, linksOf, pushQuota } = parts
  const { clock } = oauth
  const { mobile, sms } = channels
  let gateway: PushGateway | undefined

  // Not again in the same round, however short the window is. @see notifications.md 10.7
  const spentMs = Math.max(limits['notify-push'].windowMs, 61_000)

  function createMobile(given: NonNullable<typeof mobile>): Channel {
    gateway =
      given.gateway ??
      createPushGateways({ mobile: given, ...(credentials && { credentials }), clock, log })
    return createMobileChannel({
      ...{ oauth, gateway, renderer, clock, log },
      async hitPushQuota(instance, by) {
        if (by === 1) return (await pushQuota.take(instance)) ? 0 : spentMs
        await pushQuota.giveBack(instance)
        return 0
      },
    })
  }

  const all = {
    mail: createMailChannel({ options: channels.mail, renderer, sender, linksOf, log }),
    ...(mobile !== undefined && { mobile: createMobile(mobile) }),
    ...(sms !== undefined && {
      sms: createSmsChannel({
        ...{ options: sms, renderer, clock, log },
        ...(contacts !== undefined && { contacts }),
        outbound: createOutbound({ ...SMS_CALLS, log }),
      }),
    }),
  }
  return {
    all,
    close: async () => gateway?.close?.(),
  }
}
