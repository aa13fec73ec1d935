import type { ChannelName, NotificationRecord } from './notification.ts'

/** What a notification may go out over, in order: mail is always the last resort. @see notifications.md 10.1 */
export function channelOrder({
  preferredChannels,
}: Pick<NotificationRecord, 'preferredChannels'>): readonly ChannelName[] {
  return [...new Set([...preferredChannels, 'mail' as const])]
}

/** The channel whose turn it is; undefined: none is left in this round. */
export function currentChannel(
  record: Pick<NotificationRecord, 'preferredChannels' | 'progress'>,
): ChannelName | undefined {
  return channelOrder(record).find((name) => record.progress[name]?.isDone === false)
}

/** The channel that a notification waits for; before its first round the one it would like best. */
export function nextChannel(
  record: Pick<NotificationRecord, 'preferredChannels' | 'progress'>,
): ChannelName {
  return currentChannel(record) ?? channelOrder(record)[0] ?? 'mail'
}
