import type { Outbound } from '@svc/platform'
import { toHeaderText } from '../../mail/mail-address.ts'
import type { ChannelOutcome } from '../channel.ts'
import {
  callProvider,
  isTransientStatus,
  memberOf,
  type ProviderAnswer,
  transientOutcome,
} from '../mobile/provider-call.ts'
import type { OutgoingText, SmsGateway, SmsProvider } from './sms-options.ts'
import type { NotifyLog } from '../../log/log-events.ts'

/** Names of the members of a body, by provider; those of `http` can be chosen. */
const FIELDS = { content: 'content', receiver: 'receiver' }

interface GatewayParts {
  readonly provider: SmsProvider
  readonly outbound: Outbound
  readonly clock: { now(): number }
  readonly log: NotifyLog
}

/**
 * Sends each text with one POST: `{ "content": "<text>", "receiver": ["<number>"] }` and the token as bearer. The
 * address is the operator's, so it may lie in the operator's networks.
 * @see notifications.md 10.1
 */
export function createHttpSmsGateway({ provider, outbound, clock, log }: GatewayParts): SmsGateway {
  const names = provider.provider === 'http' ? { ...FIELDS, ...provider.fields } : FIELDS

  return {
    async send(message, signal) {
      const called = await callProvider(outbound, provider.url, {
        method: 'POST',
        headers: {
          Accept: 'application/json',
          'Content-Type': 'application/json',
          Authorization: `Bearer ${provider.token}`,
        },
        body: JSON.stringify({
          [names.content]: message.text,
          [names.receiver]: [message.number],
        }),
        signal,
        isTrusted: true,
      })
      if ('failure' in called) return called.failure
      const outcome = outcomeOf(called.answer, clock.now())
      if (outcome.class !== 'sent') logRefusal(log, message, called.answer)
      return outcome
    },
  }
}

function outcomeOf(answer: ProviderAnswer, now: number): ChannelOutcome {
  const { status } = answer
  const code = `http_${status}`
  if (status >= 200 && status < 300) return { class: 'sent' }
  if (isTransientStatus(status)) return transientOutcome(code, answer, now)
  // A redirect is not followed: the address is not the one to send to.
  const isConfig = status === 401 || status === 403 || status < 400
  return { class: isConfig ? 'config' : 'permanent', code }
}

/** The gateway's explanation goes to the operator only. */
function logRefusal(log: NotifyLog, message: OutgoingText, { status, json }: ProviderAnswer): void {
  log.warn('notification.sms_refused', {
    domain: message.instance.domain,
    notification: message.notificationId,
    status,
    type: wordsOf(memberOf(json, 'type')),
    detail: wordsOf(memberOf(json, 'detail')),
  })
}

/** Without what could be a phone number. */
function wordsOf(value: unknown): string | undefined {
  return typeof value === 'string'
    ? toHeaderText(value.slice(0, 1000).replaceAll(/\+?\d(?:[ .()-]?\d){5,}/g, '#'))
    : undefined
}
