import { type ChannelName, CHANNELS } from '../outbox/notification.ts'
import type { NotificationChannel } from '../ports.ts'
import type { NotifyServices } from '../services.ts'

/** The channels that an owner may choose of; mail, the last resort, comes last. */
export function channelNames({
  hostChannels,
}: Pick<NotifyServices, 'hostChannels'>): readonly ChannelName[] {
  const own = hostChannels.map(({ name }) => name)
  return [...CHANNELS.filter((name) => name !== 'mail'), ...own, 'mail']
}

/** Label of a host channel: in the language of the tag, else its language, else English. */
export function labelOf({ label, name }: NotificationChannel, locale: string): string {
  const language = locale.split('-')[0]?.toLowerCase() ?? ''
  return label[locale] ?? label[language] ?? label['en'] ?? name
}
