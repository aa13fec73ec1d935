import { createOutbound, type Texter } from '@svc/platform'
import type { ResolvedOptions } from '../options.ts'
import type { ChannelName } from '../outbox/notification.ts'
import { notificationLinks } from '../preferences/unsubscribe-link.ts'
import type { NotifyServices, RenderServices } from '../services.ts'
import type { Channel } from './channel.ts'
import type { Quota } from './delivery-quotas.ts'
import { createHostChannel } from './host-channel.ts'
import { createMailChannel } from './mail-channel.ts'
import { createMobileChannel } from './mobile/mobile-channel.ts'
import type { PushGateway } from './mobile/push-gateway.ts'
import { createPushGateways } from './mobile/push-gateways.ts'
import { createSmsChannel } from './sms/sms-channel.ts'
import { createSmsSender } from './sms/sms-sender.ts'
import { createTexter } from './sms/system-texts.ts'

type ChannelServices = RenderServices &
  Pick<NotifyServices, 'clock' | 'mailSender' | 'settingsSlug'>

/** The channels that the options name. */
export interface Channels {
  readonly all: Readonly<Partial<Record<ChannelName, Channel>>>
  /** Texts of the server itself. */
  readonly texter: Texter
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
  services: ChannelServices,
  {
    channels: { custom, mobile, sms },
    contacts,
    limits,
    pushCredentials: credentials,
  }: ResolvedOptions,
  pushQuota: Quota,
): Channels {
  const { clock, log } = services
  let gateway: PushGateway | undefined

  // Not again in the same round, however short the window is. @see notifications.md 10.7
  const spentMs = Math.max(limits['notify-push'].windowMs, 61_000)

  function createMobile(given: NonNullable<typeof mobile>): Channel {
    gateway =
      given.gateway ??
      createPushGateways({ mobile: given, ...(credentials && { credentials }), clock, log })
    return createMobileChannel(services, {
      gateway,
      async hitPushQuota(instance, by) {
        if (by === 1) return (await pushQuota.take(instance)) ? 0 : spentMs
        await pushQuota.giveBack(instance)
        return 0
      },
    })
  }

  const sender =
    sms === undefined
      ? undefined
      : createSmsSender(services, {
          options: sms,
          outbound: createOutbound({ ...SMS_CALLS, log }),
        })
  const all = {
    mail: createMailChannel(services, (instance, record) =>
      notificationLinks(services, instance, record),
    ),
    ...(mobile !== undefined && { mobile: createMobile(mobile) }),
    ...(sender !== undefined && {
      sms: createSmsChannel(services, {
        sender,
        ...(contacts !== undefined && { contacts }),
      }),
    }),
    ...Object.fromEntries(custom.map((own) => [own.name, createHostChannel(services, own)])),
  }
  return {
    all,
    texter: createTexter(log, sender, services.catalogueOf),
    close: async () => gateway?.close?.(),
  }
}
