import type { AttemptClass, ChannelName, NotificationStatus } from './outbox/notification.ts'
import type { OutboxWrite } from './outbox/outbox.ts'
import { FINAL_STATUSES } from './outbox/notification.ts'

/** Counts since this process began, for monitoring. Over all processes, accepted less finished is what waits. */
export interface NotifyFigures {
  /** Notifications accepted, those for later included. */
  readonly accepted: number
  /** By final status. */
  readonly finished: Readonly<Partial<Record<NotificationStatus, number>>>
  /** Tries of channels, by channel and how they ended. */
  readonly attempts: Readonly<Record<ChannelName, Readonly<Partial<Record<AttemptClass, number>>>>>
}

/** Counts what the writes of this process say. */
export interface MetricsCounter {
  /** To be given every write of the outbox. Takes no time worth speaking of. */
  readonly note: (write: OutboxWrite) => void
  /** A copy. */
  read(): NotifyFigures
}

export function createMetrics(): MetricsCounter {
  let accepted = 0
  const finished = new Map<NotificationStatus, number>()
  const attempts = new Map<ChannelName, Map<AttemptClass, number>>()

  function add<Name>(counts: Map<Name, number>, name: Name): void {
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }

  return {
    note({ before, after: { record } }) {
      if (before === undefined) accepted += 1
      const isFinal = FINAL_STATUSES.has(record.status)
      if (isFinal && before?.status !== record.status) add(finished, record.status)
      // The oldest ones are dropped in time, so new ones are found by their time.
      const last = before?.attempts.at(-1)
      const known =
        last === undefined ? -1 : record.attempts.findLastIndex((one) => isSame(one, last))
      for (const attempt of record.attempts.slice(known + 1)) {
        const counts = attempts.get(attempt.channel) ?? new Map<AttemptClass, number>()
        attempts.set(attempt.channel, counts)
        add(counts, attempt.class)
      }
    },
    read: () => ({
      accepted,
      finished: Object.fromEntries(finished),
      attempts: Object.fromEntries(
        [...attempts].map(([channel, counts]) => [channel, Object.fromEntries(counts)]),
      ),
    }),
  }
}

function isSame(
  one: { readonly channel: ChannelName; readonly at: number },
  other: { readonly channel: ChannelName; readonly at: number },
): boolean {
  return one.at === other.at && one.channel === other.channel
}
