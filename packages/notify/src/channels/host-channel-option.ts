import { instance, list, type Option } from '@svc/platform/options'
import { CHANNELS, HOST_CHANNEL } from '../outbox/notification.ts'
import type { NotificationChannel } from '../ports.ts'

/** Channels of the host that a server may have. */
const MOST = 5

/** The option that holds the channels of the host. */
export function hostChannels(): Option<readonly NotificationChannel[]> {
  const channel = instance<NotificationChannel>(
    'a channel with name ([a-z][a-z0-9_-]{1,15}, none of mobile, sms, mail), label (with en), reaches and deliver',
    isChannel,
  )
  return list(channel, MOST).that((given) => {
    const names = given.map(({ name }) => name)
    const twice = names.find((name, place) => names.indexOf(name) !== place)
    return twice === undefined ? undefined : `must not have two channels named ${twice}`
  })
}

function isChannel(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { name, label, reaches, deliver } = value as Partial<NotificationChannel>
  return (
    typeof name === 'string' &&
    HOST_CHANNEL.test(name) &&
    // Names are members of objects: none that every object has.
    !(name in {}) &&
    !CHANNELS.some((known) => known === name) &&
    isLabel(label) &&
    typeof reaches === 'function' &&
    typeof deliver === 'function'
  )
}

function isLabel(label: unknown): boolean {
  if (typeof label !== 'object' || label === null || !('en' in label)) return false
  return Object.values(label).every(
    (text) => typeof text === 'string' && text.length > 0 && text.length <= 60,
  )
}
