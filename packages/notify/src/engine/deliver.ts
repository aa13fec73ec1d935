import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance, Logger } from '@svc/platform'
import {
  type ChannelName,
  currentChannel,
  type NotificationRecord,
  type StoredNotification,
} from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { type Attempt, shownFields } from './attempt.ts'
import { type Hold, takeHold } from './lease.ts'
import { afterAttempt, putOff, type RetryPlan } from './progress.ts'
import type { Release } from './release.ts'

export interface DeliverOptions {
  readonly outbox: Outbox
  readonly release: (stored: StoredNotification) => Promise<Release>
  readonly attempt: Attempt
  readonly plan: RetryPlan
  readonly clock: { now(): number }
  readonly log: Logger
  readonly leaseMs: number
  /** Aborted when this worker has to end. */
  readonly stop: AbortSignal
}

/** Between two tries to write what happened, while the store cannot be reached. Milliseconds. */
const STORE_RETRY_MS = 250

/** A place among those that a channel works on at a time. */
export interface Turn {
  readonly channel: ChannelName
  /** Takes a place of another channel instead; false when none is free. */
  moveTo(channel: ChannelName): boolean
}

/**
 * Works on one notification that is due, until it waits or is finished. False when it stayed as it was: it is not to be
 * tried again at once.
 */
export type Deliver = (stored: StoredNotification, turn: Turn) => Promise<boolean>

export function createDeliver(options: DeliverOptions): Deliver {
  const { outbox, release, attempt, plan, clock, log, leaseMs, stop } = options

  /**
   * The current channel's turn, and that of the next one for as long as no channel asks for a pause and the next one has
   * a place.
   */
  async function tryChannels(
    instance: Instance,
    hold: Hold,
    turn: Turn,
    end: AbortSignal,
  ): Promise<void> {
    while (!end.aborted) {
      const { record } = hold
      const name = currentChannel(record)
      if (name === undefined || !mayTry(turn, name)) return
      const outcome = await attempt(instance, record, name, end)
      if (end.aborted && outcome.class !== 'sent') return
      const at = clock.now()
      const isSaved = await surely(hold, (now) => afterAttempt(now, name, outcome, at, plan))
      const fields = { ...shownFields(instance, record), channel: name, code: outcome.code }
      if (outcome.class === 'sent') log.info('notification.sent', fields)
      else log.warn('notification.attempt_failed', { ...fields, class: outcome.class })
      if (!isSaved || hold.record.lease === undefined) return
    }
  }

  /** Writes what happened even if the store is away for a moment: what is not written is done once more. */
  async function surely(
    hold: Hold,
    change: (record: NotificationRecord) => NotificationRecord,
  ): Promise<boolean> {
    for (;;) {
      try {
        return await hold.save(change)
      } catch (cause) {
        const until = hold.record.lease?.until ?? 0
        if (clock.now() >= until || stop.aborted) throw cause
        await sleep(STORE_RETRY_MS, undefined, { ref: false })
      }
    }
  }

  async function deliverHeld(instance: Instance, hold: Hold, turn: Turn): Promise<void> {
    const ending = new AbortController()
    const end = (): void => ending.abort()
    stop.addEventListener('abort', end)
    hold.lost.addEventListener('abort', end)
    if (stop.aborted) end()
    try {
      await tryChannels(instance, hold, turn, ending.signal)
    } finally {
      stop.removeEventListener('abort', end)
      // Whatever becomes of the next write: a lease that runs out is taken up by somebody.
      hold.end()
      // Stopped in the middle, or without a place in the next channel: whoever comes next begins where this one was.
      const isHeld = await hold.save((record) => putOff(record, clock.now()))
      if (isHeld && ending.signal.aborted)
        log.info('notification.given_back', shownFields(instance, hold.record))
    }
    const { status, reason } = hold.record
    if (status === 'failed') {
      log.error('notification.failed', { ...shownFields(instance, hold.record), reason })
    }
  }

  return async (stored, turn) => {
    const released = await release(stored)
    if (released.kind === 'settle') {
      if (released.record === stored.record) return false
      await outbox.update(stored, released.record)
      return true
    }
    const name = currentChannel(released.record)
    if (name !== undefined && !mayTry(turn, name)) {
      // From here on it waits there.
      await outbox.update(stored, putOff(released.record, clock.now()))
      return true
    }
    const onRenewalFailed = (cause: unknown): void => {
      log.warn('notification.lease_not_renewed', { cause: String(cause) })
    }
    const hold = await takeHold(stored, released.record, {
      ...{ outbox, clock, leaseMs, onRenewalFailed },
    })
    if (hold !== undefined) await deliverHeld(released.instance, hold, turn)
    return true
  }
}

/** Whether the notification has a place among those that the channel works on. */
function mayTry(turn: Turn, channel: ChannelName): boolean {
  return turn.channel === channel || turn.moveTo(channel)
}
