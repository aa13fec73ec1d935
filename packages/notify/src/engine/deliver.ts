import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance } from '@svc/platform'
import { KEPT } from '../channels/channel.ts'
import {
  type ChannelGroup,
  type ChannelName,
  currentChannel,
  groupOf,
  type NotificationRecord,
  type StoredNotification,
} from '../outbox/notification.ts'
import type { NotifyServices } from '../services.ts'
import { attemptChannel, shownFields } from './attempt.ts'
import { acquireLease, type Lease } from './lease.ts'
import { afterAttempt, putOff } from './progress.ts'
import { releaseNotification } from './release.ts'

/** What delivering needs. */
export type DeliverServices = Pick<
  NotifyServices,
  | 'apps'
  | 'channels'
  | 'clock'
  | 'hostChannels'
  | 'lifetimes'
  | 'log'
  | 'oauth'
  | 'outbox'
  | 'quotas'
  | 'retryPlan'
  | 'store'
>

/** Between two tries to write what happened, while the store cannot be reached. Milliseconds. */
const STORE_RETRY_MS = 250

/** A place among those that a channel works on at a time. */
export interface Slot {
  readonly channel: ChannelGroup
  /** Takes a place of another group instead; false when none is free. */
  moveTo(channel: ChannelGroup): boolean
}

/**
 * Works on one notification that is due, until it waits or is finished. False when it stayed as it was: it is not to be
 * tried again at once.
 * @param stop - aborted when this worker has to end
 */
export async function deliver(
  services: DeliverServices,
  stored: StoredNotification,
  slot: Slot,
  stop: AbortSignal,
): Promise<boolean> {
  const { clock, lifetimes, log, outbox } = services
  const released = await releaseNotification(services, stored)
  if (released.kind === 'settle') {
    if (released.record === stored.record) return false
    await outbox.update(stored, released.record)
    return true
  }
  const name = currentChannel(released.record)
  if (name !== undefined && !mayTry(slot, name)) {
    // From here on it waits there.
    await outbox.update(stored, putOff(released.record, clock.now()))
    return true
  }
  const lease = await acquireLease(stored, released.record, {
    outbox,
    clock,
    leaseMs: lifetimes.lease,
    onRenewalFailed(cause) {
      log.warn('notification.lease_not_renewed', { cause: String(cause) })
    },
  })
  if (lease !== undefined) await deliverLeased(services, released.instance, lease, slot, stop)
  return true
}

async function deliverLeased(
  services: DeliverServices,
  instance: Instance,
  lease: Lease,
  slot: Slot,
  stop: AbortSignal,
): Promise<void> {
  const { clock, log } = services
  const ending = new AbortController()
  const end = (): void => ending.abort()
  stop.addEventListener('abort', end)
  lease.lost.addEventListener('abort', end)
  if (stop.aborted) end()
  try {
    await tryChannels(services, instance, lease, slot, { end: ending.signal, stop })
  } finally {
    stop.removeEventListener('abort', end)
    // If the next write fails, another worker takes the expired lease.
    lease.end()
    // Stopped in the middle, or without a place in the next channel: the next worker continues from here.
    const isLeased = await lease.save((record) => putOff(record, clock.now()))
    if (isLeased && ending.signal.aborted) {
      log.info('notification.given_back', shownFields(instance, lease.record))
    }
  }
  const { status, reason } = lease.record
  if (status === 'failed') {
    log.error('notification.failed', { ...shownFields(instance, lease.record), reason })
  }
}

/** Tries the current channel, and the next one for as long as no channel asks for a pause and the next one has a place. */
async function tryChannels(
  services: DeliverServices,
  instance: Instance,
  lease: Lease,
  slot: Slot,
  { end, stop }: { readonly end: AbortSignal; readonly stop: AbortSignal },
): Promise<void> {
  const { clock, log, retryPlan } = services
  while (!end.aborted) {
    const { record } = lease
    const name = currentChannel(record)
    if (name === undefined || !mayTry(slot, name)) return
    const outcome = await attemptChannel(services, instance, record, name, end)
    if (end.aborted && outcome.class !== 'sent') return
    const at = clock.now()
    const change = (now: NotificationRecord): NotificationRecord =>
      afterAttempt(now, name, outcome, at, retryPlan)
    const isSaved = await saveSurely(services, lease, change, stop)
    const fields = { ...shownFields(instance, record), channel: name, code: outcome.code }
    if (outcome.class === 'sent') {
      log.info(outcome.code === KEPT ? 'notification.kept' : 'notification.sent', fields)
    } else log.warn('notification.attempt_failed', { ...fields, class: outcome.class })
    if (!isSaved || lease.record.lease === undefined) return
  }
}

/** Writes what happened even if the store is away for a moment: what is not written is done once more. */
async function saveSurely(
  { clock }: DeliverServices,
  lease: Lease,
  change: (record: NotificationRecord) => NotificationRecord,
  stop: AbortSignal,
): Promise<boolean> {
  for (;;) {
    try {
      return await lease.save(change)
    } catch (cause) {
      const until = lease.record.lease?.until ?? 0
      if (clock.now() >= until || stop.aborted) throw cause
      await sleep(STORE_RETRY_MS, undefined, { ref: false })
    }
  }
}

/** Whether the notification has a place among those that the channel works on. */
function mayTry(slot: Slot, channel: ChannelName): boolean {
  const group = groupOf(channel)
  return slot.channel === group || slot.moveTo(group)
}
