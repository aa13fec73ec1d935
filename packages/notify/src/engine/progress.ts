import type { ChannelOutcome } from '../channels/channel.ts'
import {
  type Attempt,
  type ChannelName,
  channelOrder,
  type ChannelProgress,
  currentChannel,
  type NotificationRecord,
  type NotificationStatus,
} from '../outbox/notification.ts'

/** When channels and rounds are tried again. Milliseconds. @see notifications.md 10.4, 10.5 */
export interface RetryPlan {
  readonly channelDelays: readonly number[]
  readonly roundDelays: readonly number[]
  /** 0 to 1. */
  readonly random: () => number
}

/** A longer wait than this ends the channel's round. @see notifications.md 10.4 */
const LONGEST_RETRY_AFTER_MS = 60_000
/** Share by which a delay varies. */
const JITTER = 0.2
const MAX_ATTEMPTS_KEPT = 100
const UNTRIED: ChannelProgress = { tries: 0, isDone: false }

/** Whether nothing was tried in this round yet. */
export function isRoundStart({ progress }: NotificationRecord): boolean {
  return Object.values(progress).every(({ isDone, tries }) => isDone || tries === 0)
}

/** The round over these channels; what is known of them stays. */
export function withChannels(
  record: NotificationRecord,
  channels: readonly ChannelName[],
): NotificationRecord {
  const rows = channels.map((name) => [name, record.progress[name] ?? UNTRIED] as const)
  return { ...record, progress: Object.fromEntries(rows) }
}

/** When it is no longer worth delivering. @see notifications.md 12 "expired" */
export function expiryOf({ flags, scheduledAt }: NotificationRecord): number {
  return scheduledAt + (flags.ttlMs ?? Number.POSITIVE_INFINITY)
}

export function unheld({ isHeld: _isHeld, ...record }: NotificationRecord): NotificationRecord {
  return record
}

export function withoutLease({ lease: _lease, ...record }: NotificationRecord): NotificationRecord {
  return record
}

/** Waits, free to be taken, until the time or its expiry. */
export function putOff(record: NotificationRecord, dueAt: number): NotificationRecord {
  // The follow-up of one that was sent stays `sent`.
  const status = record.status === 'sent' ? 'sent' : 'queued'
  return { ...withoutLease(record), status, dueAt: Math.min(dueAt, expiryOf(record)) }
}

/** Nothing more happens to it. */
export function finish(
  record: NotificationRecord,
  status: NotificationStatus,
  now: number,
  reason?: string,
): NotificationRecord {
  const { hasFollowUp: _hasFollowUp, ...rest } = unheld(withoutLease(record))
  return {
    ...rest,
    status,
    progress: {},
    finishedAt: rest.finishedAt ?? now,
    ...(reason !== undefined && { reason }),
  }
}

/**
 * Next state of a notification after an attempt of the current channel: sent, waiting for its next try, for the next round,
 * failed; or still leased, when the next channel is to be tried at once.
 */
export function afterAttempt(
  record: NotificationRecord,
  name: ChannelName,
  outcome: ChannelOutcome,
  now: number,
  plan: RetryPlan,
): NotificationRecord {
  const noted = withAttempt(record, name, outcome, now)
  const tries = (record.progress[name]?.tries ?? 0) + 1
  const delay = retryDelay(outcome, tries, plan)
  const kept = { tries, ...memoOf(record, name, outcome) }
  if (outcome.class === 'sent') return afterSuccess(noted, name, outcome, now, { delay, kept })

  const progress: ChannelProgress = {
    ...kept,
    last: outcome.class,
    ...(outcome.code !== undefined && { code: outcome.code }),
    isDone: outcome.class !== 'transient' || delay === undefined,
  }
  const next = { ...noted, progress: { ...record.progress, [name]: progress } }
  if (record.status === 'sent') return afterFollowUp(next, progress, delay, now)
  if (!progress.isDone) return putOff(next, now + (delay ?? 0))
  return currentChannel(next) === undefined ? afterRound(next, now, plan) : next
}

/** A worker died with it: that was an attempt. @see notifications.md 12 rule 2 */
export function afterCrash(
  record: NotificationRecord,
  now: number,
  plan: RetryPlan,
): NotificationRecord {
  const counted = { ...withoutLease(record), crashes: record.crashes + 1 }
  const name = currentChannel(record)
  if (name === undefined) return putOff(counted, now)
  const outcome = { class: 'transient', code: 'crashed', retryAfterMs: 0 } as const
  const next = afterAttempt(counted, name, outcome, now, plan)
  return next.status === 'sending' ? putOff(next, now) : next
}

function afterSuccess(
  record: NotificationRecord,
  name: ChannelName,
  outcome: ChannelOutcome,
  now: number,
  { delay, kept }: { delay: number | undefined; kept: Omit<ChannelProgress, 'isDone'> },
): NotificationRecord {
  const { reason: _reason, ...rest } = record
  const isFirst = record.status !== 'sent'
  const sent: NotificationRecord = isFirst
    ? { ...rest, status: 'sent', channel: name, sentAt: now, lastSentAt: now, finishedAt: now }
    : record
  if (outcome.isUnfinished !== true || delay === undefined) return finish(sent, 'sent', now)
  return {
    ...withoutLease(sent),
    hasFollowUp: true,
    dueAt: now + delay,
    progress: { [name]: { ...kept, isDone: false } },
  }
}

function afterFollowUp(
  record: NotificationRecord,
  { isDone }: ChannelProgress,
  delay: number | undefined,
  now: number,
): NotificationRecord {
  if (isDone || delay === undefined) return finish(record, 'sent', now)
  return { ...withoutLease(record), dueAt: now + delay }
}

/** Every channel of the round ended without success. @see notifications.md 10.5 */
function afterRound(record: NotificationRecord, now: number, plan: RetryPlan): NotificationRecord {
  const rows = channelOrder(record).flatMap((name) => {
    const progress = record.progress[name]
    return progress === undefined ? [] : [[name, progress] as const]
  })
  const delay = plan.roundDelays[record.round]
  const isHopeless = rows.every(([, { last }]) => last === 'permanent')
  if (isHopeless || delay === undefined) {
    return finish(record, 'failed', now, rows.map(reasonOf).join(', '))
  }
  const progress = rows.map(([name, row]) => {
    const { memo } = row
    const fresh = { ...UNTRIED, ...(memo !== undefined && { memo }) }
    return [name, row.last === 'permanent' ? row : fresh] as const
  })
  const next = { ...record, round: record.round + 1, progress: Object.fromEntries(progress) }
  return putOff(next, now + delay)
}

function reasonOf([name, { last, code }]: readonly [ChannelName, ChannelProgress]): string {
  return `${name} ${last}${code === undefined ? '' : ` ${code}`}`
}

/** Milliseconds until the channel's next try; undefined: it has had its tries. */
function retryDelay(
  { retryAfterMs }: ChannelOutcome,
  tries: number,
  { channelDelays, random }: RetryPlan,
): number | undefined {
  const delay = channelDelays[tries - 1]
  if (delay === undefined) return undefined
  if (retryAfterMs === undefined) return Math.round(delay * (1 + JITTER * (2 * random() - 1)))
  return retryAfterMs > LONGEST_RETRY_AFTER_MS ? undefined : Math.ceil(retryAfterMs)
}

function memoOf(
  record: NotificationRecord,
  name: ChannelName,
  outcome: ChannelOutcome,
): Pick<ChannelProgress, 'memo'> {
  const memo = outcome.memo ?? record.progress[name]?.memo
  return memo === undefined ? {} : { memo }
}

function withAttempt(
  record: NotificationRecord,
  channel: ChannelName,
  { class: result, code, warnings = [] }: ChannelOutcome,
  now: number,
): NotificationRecord {
  const attempt: Attempt = {
    channel,
    at: now,
    class: result,
    ...(code !== undefined && { code }),
    ...(warnings.length > 0 && { warnings }),
  }
  return { ...record, attempts: [...record.attempts, attempt].slice(-MAX_ATTEMPTS_KEPT) }
}
