import type { Instance } from '@svc/platform'
import type { Json } from '@svc/store'
import type { AttemptClass, ChannelName, NotificationRecord } from '../outbox/notification.ts'

/** One try to deliver one notification. */
export interface Delivery {
  readonly instance: Instance
  readonly record: NotificationRecord
  /** The channel's last answer. */
  readonly memo?: Json
  /** Aborted when the attempt has taken too long (10 s) or the server ends. */
  readonly signal: AbortSignal
}

/** How a try ended. */
export interface ChannelOutcome {
  readonly class: AttemptClass
  /** Stable reason; no token, number or address. Beside `sent`: `kept` by an outbox for development. */
  readonly code?: string
  /** When to try again at the earliest, as the other side asked. Milliseconds; over 60 s: not in this round. */
  readonly retryAfterMs?: number
  /** Kept for the next attempt of this channel. */
  readonly memo?: Json
  /** `sent` to some, and worth another try for the rest (16.1.6). */
  readonly isUnfinished?: true
  /** Faults that did not keep it from going out, such as `template_error`; kept with the attempts. */
  readonly warnings?: readonly string[]
}

/** The `code` of `sent` when it was kept to be looked at: nothing left this machine. */
export const KEPT = 'kept'

/** A way to the owner. Never throws for what a provider does: it answers a class. */
export interface Channel {
  readonly name: ChannelName
  attempt(delivery: Delivery): Promise<ChannelOutcome>
}
