import type { Instance, InstanceId } from '@svc/platform'
import {
  channelOrder,
  type NotificationRecord,
  type StoredNotification,
} from '../outbox/notification.ts'
import { HELD_BACK_QUEUE, lookAtHeldBack } from '../preferences/held-back-wake-ups.ts'
import { decideRelease, type ReleaseDecision } from '../preferences/release-rules.ts'
import type { NotifyServices } from '../services.ts'
import { type Background, processQueue } from './background.ts'
import { expiryOf, unheld } from './progress.ts'

type HeldBackServices = Pick<
  NotifyServices,
  'clock' | 'hostChannels' | 'log' | 'oauth' | 'outbox' | 'store'
>

const BATCH = 50

/**
 * Looks again at what was put off, once that changed on which it depends: the owner's choices, the clock of the
 * instance, whether it is in service. @see docs/decisions/0223
 */
export function createHeldBack(services: HeldBackServices): Background {
  const { log, oauth, store } = services
  const endListening = oauth.onRevoked({
    onRevoked({ kind, instanceId }) {
      if (kind !== 'instance') return
      lookAtHeldBack(services, instanceId).catch((cause: unknown) =>
        log.warn('notifications.change_not_noted', { cause: String(cause) }),
      )
    },
    // Missed ones are checked when they are due.
    onGap() {},
  })
  // The ids of the queue are those of instances.
  const handle = (id: string): Promise<void> => reviewHeldBack(services, id as InstanceId)
  return processQueue(store, HELD_BACK_QUEUE, handle, [endListening])
}

async function reviewHeldBack(services: HeldBackServices, id: InstanceId): Promise<void> {
  const instance = await services.oauth.instances.byId(id)
  if (instance?.status !== 'active') return
  for (let cursor: string | undefined; ; ) {
    const page = await services.outbox.listHeld(id, {
      limit: BATCH,
      ...(cursor !== undefined && { cursor }),
    })
    for (const stored of page.notifications) await reconsider(services, instance, stored)
    if (page.cursor === undefined) return
    cursor = page.cursor
  }
}

async function reconsider(
  services: HeldBackServices,
  instance: Instance,
  stored: StoredNotification,
): Promise<void> {
  const { record } = stored
  const now = services.clock.now()
  // A worker looks at it anyway.
  if (record.dueAt <= now) return
  const asked = ungathered(record, now)
  const preferredChannels = channelOrder(record)
  const decision = await decideRelease(services, instance, { ...asked, preferredChannels }, now)
  const isFree =
    record.isHeld === true ? !isStillHeld(record, asked, decision) : hasNewChannel(record, decision)
  // On a conflict, a worker or the other change checks it.
  if (isFree) await services.outbox.update(stored, { ...unheld(asked), dueAt: now })
}

/** Normalized for the check: one whose digest is still to come may go into another one, or none. */
function ungathered(record: NotificationRecord, now: number): NotificationRecord {
  const { digestId, ...rest } = record
  return digestId !== undefined && Number(digestId) > now ? rest : record
}

/** Whether it would be put off to the same time, for the same digest. */
function isStillHeld(
  record: NotificationRecord,
  asked: NotificationRecord,
  decision: ReleaseDecision,
): boolean {
  const isSame =
    (decision.kind === 'defer' && asked === record) ||
    (decision.kind === 'digest' && record.digestId === decision.digestId)
  return isSame && record.dueAt === Math.min(decision.until, expiryOf(record))
}

/** Whether one that waits for another round may use a channel now that it did not try. */
function hasNewChannel({ progress }: NotificationRecord, decision: ReleaseDecision): boolean {
  return decision.kind === 'send' && decision.channels.some((name) => progress[name] === undefined)
}
