import type { Instance } from '@svc/platform'
import type { ChannelOutcome } from '../channel.ts'

/** A text to one number. */
export interface OutgoingText {
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
