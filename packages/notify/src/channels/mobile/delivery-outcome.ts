import type { Json } from '@svc/store'
import type { AttemptClass } from '../../outbox/notification.ts'
import type { ChannelOutcome } from '../channel.ts'
import type { PushOutcome } from './push-gateway.ts'
import { tokenDigest } from './outgoing-push.ts'

/** How the devices of one notification fared, this attempt and those before. */
export interface DeliveryOutcome {
  /** Milliseconds until the quota has room again; 0: it had room so far. */
  quotaMs: number
  /** Whether the token may be sent to: it has not got the notification, and may still. */
  isOpen(digest: string): boolean
  note(digest: string, outcome: PushOutcome): void
  /** How many of these have it. */
  reachedOf(devices: readonly { readonly token: string }[]): number
  hasReached(): boolean
  /** Enough devices were reached: the rest are not retried. */
  giveUp(devices: readonly { readonly token: string }[]): void
  /** With what the next attempt has to know. */
  toChannelOutcome(): ChannelOutcome
}

/** The failure reported for all devices: retryable ones come first. */
const PRECEDENCE = ['transient', 'config', 'permanent'] as const satisfies readonly AttemptClass[]

/** @see notifications.md 10.4 */
const LONGER_THAN_ANY_WAIT_MS = 60_001

export function createDeliveryOutcome(past: DeliveryMemo): DeliveryOutcome {
  const sent = new Set(past.sent)
  const failed = new Set(past.failed)
  const waiting = new Set<string>()
  const failures: PushOutcome[] = []
  let sentCode: string | undefined

  function worst(): PushOutcome | undefined {
    for (const wanted of PRECEDENCE) {
      const found = failures.find((failure) => failure.class === wanted)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Uses the longest requested wait: all devices are retried together. */
  function longestWait(): Pick<ChannelOutcome, 'retryAfterMs'> {
    const waits = failures
      .filter((failure) => failure.class === 'transient')
      .map(({ retryAfterMs = 0 }) => retryAfterMs)
    const retryAfterMs = Math.max(0, ...waits)
    return retryAfterMs === 0 ? {} : { retryAfterMs }
  }

  const deliveryOutcome: DeliveryOutcome = {
    quotaMs: 0,
    isOpen: (digest) => !sent.has(digest) && !failed.has(digest),

    note(digest, outcome) {
      if (outcome.class === 'sent') {
        sent.add(digest)
        sentCode = outcome.code
        return
      }
      failures.push(outcome)
      if (outcome.class === 'permanent') failed.add(digest)
      if (outcome.class === 'transient') waiting.add(digest)
    },

    reachedOf: (devices) => devices.filter(({ token }) => sent.has(tokenDigest(token))).length,
    hasReached: () => sent.size > 0,

    giveUp(devices) {
      for (const { token } of devices) waiting.delete(tokenDigest(token))
    },

    toChannelOutcome() {
      const memo = writeMemo({ sent, failed, waiting })
      const failure = worst()
      const reason = failure === undefined ? sentCode : failure.code
      const code = reason === undefined ? {} : { code: reason }
      if (sent.size > 0) {
        const isUnfinished = waiting.size > 0 && deliveryOutcome.quotaMs === 0
        return isUnfinished
          ? { class: 'sent', ...code, ...longestWait(), isUnfinished: true, memo }
          : { class: 'sent', ...code, memo }
      }
      if (deliveryOutcome.quotaMs > 0) {
        // SPEC: notifications.md 10.7 - no other try within the channel: longer than any wait there.
        const retryAfterMs = Math.max(deliveryOutcome.quotaMs, LONGER_THAN_ANY_WAIT_MS)
        return { class: 'transient', code: 'push_quota', retryAfterMs, memo }
      }
      if (failure === undefined) return { class: 'permanent', code: 'no_device', memo }
      const wait = failure.class === 'transient' ? longestWait() : {}
      return { class: failure.class, ...code, ...wait, memo }
    },
  }
  return deliveryOutcome
}

/** Which device tokens (their digests) a notification was tried on, over both stages and all attempts. */
export interface DeliveryMemo {
  /** Their provider took it. */
  readonly sent: ReadonlySet<string>
  /** Will never get it. */
  readonly failed: ReadonlySet<string>
  /** Worth another try. */
  readonly waiting: ReadonlySet<string>
}

/** State of earlier attempts; anything malformed is ignored. */
export function readMemo(memo: Json | undefined): DeliveryMemo {
  const { sent, failed, waiting } = isObject(memo) ? memo : {}
  return { sent: toSet(sent), failed: toSet(failed), waiting: toSet(waiting) }
}

function writeMemo({ sent, failed, waiting }: DeliveryMemo): Json {
  return { sent: [...sent], failed: [...failed], waiting: [...waiting] }
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toSet(value: Json | undefined): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [])
}
