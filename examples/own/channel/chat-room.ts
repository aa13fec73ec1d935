import type { ChannelOutcome, NotificationChannel } from '@svc/notify'
import type { Instance } from '@svc/platform'

/** A chat room with an address that takes messages, as team chats offer it. */
export interface ChatRoomOptions {
  /** The owner's room; undefined: the owner has none. */
  readonly roomOf: (instance: Instance) => Promise<string | undefined>
}

/** Notifications as messages in a chat room: `preferred_channels: ['chat', 'mail']`. */
export function chatRoom({ roomOf }: ChatRoomOptions): NotificationChannel {
  return {
    name: 'chat',
    label: { en: 'Chat room', fr: 'Salon de discussion', de: 'Chatraum', es: 'Sala de chat' },
    reaches: async (instance) => (await roomOf(instance)) !== undefined,
    async deliver({ idempotencyKey, instance, from, title, text, link }, signal) {
      const address = await roomOf(instance)
      if (address === undefined) return { class: 'permanent', code: 'no_room' }
      const heading = from === undefined ? title : `${from}: ${title}`
      const lines = [heading, text, link?.url].filter((line) => line !== undefined && line !== '')
      const answer = await fetch(address, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
        body: JSON.stringify({ text: lines.join('\n') }),
        redirect: 'error',
        signal,
      })
      await answer.body?.cancel()
      return outcomeOf(answer)
    },
  }
}

/** What the room's answer means for the next try. */
function outcomeOf({ status, ok, headers }: Response): ChannelOutcome {
  if (ok) return { class: 'sent' }
  if (status === 404 || status === 410) return { class: 'permanent', code: 'room_gone' }
  if (status !== 429 && status < 500) return { class: 'config', code: `http_${status}` }
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN)
  const code = `http_${status}`
  return Number.isFinite(seconds)
    ? { class: 'transient', code, retryAfterMs: seconds * 1000 }
    : { class: 'transient', code }
}
