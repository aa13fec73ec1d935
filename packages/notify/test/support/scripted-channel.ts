import type { Channel, ChannelOutcome, Delivery } from '../../src/channels/channel.ts'
import type { ChannelName } from '../../src/outbox/notification.ts'

/** What a channel answers to its nth delivery (from 1) of a notification. */
export type Script = (delivery: Delivery, nth: number) => ChannelOutcome | Promise<ChannelOutcome>

/** A channel whose outcomes a test decides, and which notes what it was given. */
export interface ScriptedChannel extends Channel {
  script: Script
  readonly deliveries: readonly (Delivery & { readonly at: number })[]
  /** Titles, in the order of the deliveries. */
  titles(): readonly string[]
}

export function scriptedChannel(
  name: ChannelName,
  script: Script = () => ({ class: 'sent' }),
): ScriptedChannel {
  const deliveries: (Delivery & { at: number })[] = []
  const channel: ScriptedChannel = {
    name,
    script,
    deliveries,
    titles: () => deliveries.map(({ record }) => record.title),
    async attempt(delivery) {
      deliveries.push({ ...delivery, at: Date.now() })
      const { id } = delivery.record
      const nth = deliveries.filter(({ record }) => record.id === id).length
      return channel.script(delivery, nth)
    },
  }
  return channel
}
