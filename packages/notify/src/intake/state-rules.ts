import type { NotificationRecord } from '../outbox/notification.ts'

/** What becomes of a notification of a stateful source. @see notifications.md 7 */
export type StateDecision =
  | { readonly kind: 'send' }
  /** The last one says the same. */
  | { readonly kind: 'same' }
  /** Recorded, never sent. */
  | {
      readonly kind: 'skip'
      readonly reason: 'min_interval' | 'state_cleared'
      /** Of the last one; absent before the first. */
      readonly lastSentAt?: number
    }

/**
 * Whether a notification is compared with: it was sent, or still will be (D36); or it says that what was alerted is over,
 * else the next alert would look like the one before.
 */
export function isComparable({ status, reason }: NotificationRecord): boolean {
  if (status === 'skipped') return reason === 'state_cleared'
  return ['scheduled', 'queued', 'sending', 'sent'].includes(status)
}

/** @param last - the newest comparable one of the source */
export function decideState(
  state: string | undefined,
  last: NotificationRecord | undefined,
  context: {
    readonly now: number
    readonly minIntervalMs?: number | undefined
    /** The alert is over (4.3). */
    readonly isCleared: boolean
  },
): StateDecision {
  const { now, minIntervalMs = 0, isCleared } = context
  if (last !== undefined && last.state === state) return { kind: 'same' }
  const lastSentAt = last === undefined ? undefined : sentBefore(last)
  if (isCleared) return skip('state_cleared', lastSentAt)
  if (lastSentAt !== undefined && now - lastSentAt < minIntervalMs) {
    return skip('min_interval', lastSentAt)
  }
  return { kind: 'send' }
}

/** When the owner last heard of the source. One that only cleared an alert was not sent: it has the time of the one before. */
function sentBefore({ status, lastSentAt, createdAt }: NotificationRecord): number | undefined {
  return status === 'skipped' && lastSentAt >= createdAt ? undefined : lastSentAt
}

function skip(
  reason: 'min_interval' | 'state_cleared',
  lastSentAt: number | undefined,
): StateDecision {
  return { kind: 'skip', reason, ...(lastSentAt !== undefined && { lastSentAt }) }
}
