import { integer, object, oneOf, type Option, port, record, text } from '@svc/platform/options'
import type { Instance } from '@svc/platform'
import type { ChannelOutcome } from '../channel.ts'
import { DEFAULT_MAX_LENGTH } from './sms-text.ts'

/** How texts leave, by the context of the instance. @see notifications.md 10.1 */
export interface SmsOptions {
  /** For instances of no context of the others. */
  readonly default?: SmsProvider
  /** For the instances of a context, by its name. */
  readonly contexts?: Readonly<Record<string, SmsProvider>>
  /** Takes all texts instead, such as an outbox for development. */
  readonly gateway?: SmsGateway
}

/** A service that sends texts. */
export interface SmsProvider {
  /** Which form its requests have. */
  readonly provider: 'api_sen' | 'http'
  /** Takes texts. */
  readonly url: string
  /** Sent as bearer. */
  readonly token: string
  /** Names in the body of `http`. @defaultValue `content` and `receiver` */
  readonly fields?: {
    /** Holds the text. @defaultValue `content` */
    readonly content?: string
    /** Holds the number, in a list. @defaultValue `receiver` */
    readonly receiver?: string
  }
  /** Longest text (D50). @defaultValue `160` */
  readonly maxLength?: number
  /** What happens to longer texts. @defaultValue `truncate` */
  readonly overflow?: 'truncate' | 'fallback' | 'split'
}

/** Room for the dots and something before them. */
const MIN_LENGTH = 10
const MAX_LENGTH = 100_000

/** The option that holds them. */
export function smsOptions(): Option<SmsOptions> {
  const name = text('a name')
  const provider = object({
    provider: oneOf(['api_sen', 'http']),
    url: text('an http(s) URL', (url) => /^https?:$/.test(URL.parse(url)?.protocol ?? '')),
    token: text('a text of characters that a header takes', { pattern: '^[\\u0021-\\u007e]+$' }),
    fields: object({
      content: name.optional('`content`'),
      receiver: name.optional('`receiver`'),
    }).optional('`content` and `receiver`'),
    maxLength: integer(MIN_LENGTH, MAX_LENGTH, { unit: 'characters' }).or(DEFAULT_MAX_LENGTH),
    overflow: oneOf(['truncate', 'fallback', 'split']).or('truncate'),
  })
  return object({
    default: provider.optional(),
    contexts: record(provider).optional(),
    gateway: port<SmsGateway>(['send']).optional(),
  })
}

/** The provider of the instance's context, else the default one. */
export function providerFor(
  { contexts = {}, default: fallback }: SmsOptions,
  context: string | undefined,
): SmsProvider | undefined {
  return context !== undefined && Object.hasOwn(contexts, context) ? contexts[context] : fallback
}

/** A text to one number. */
export interface OutgoingText {
  /** Of a text of the server itself: the name of its template. */
  readonly notificationId: string
  readonly instance: Instance
  /** E.164, such as `+33612345678`. */
  readonly number: string
  readonly text: string
}

/** Takes texts away: to a provider, or into an outbox for development. Never throws for what a provider does. */
export interface SmsGateway {
  send(message: OutgoingText, signal: AbortSignal): Promise<ChannelOutcome>
}
