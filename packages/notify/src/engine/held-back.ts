import type { OAuth } from '@svc/oauth-core'
import type { Instance, InstanceId, Logger } from '@svc/platform'
import {
  channelOrder,
  type NotificationRecord,
  type StoredNotification,
} from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { ReleaseDecision, ReleaseRules } from '../preferences/release-rules.ts'
import { expiryOf, unheld } from './progress.ts'

/**
 * Looks again at what was put off, once that changed on which it depends: the owner's choices, the clock of the
 * instance, whether it is in service. @see docs/decisions/0223
 */
export interface HeldBack {
  /** Makes a change; what it lets go is due soon after it, whatever becomes of this process. */
  around<Result>(instance: Pick<Instance, 'id'>, change: () => Promise<Result>): Promise<Result>
  /** Idempotent. */
  start(): Promise<void>
  close(): Promise<void>
}

export interface HeldBackOptions {
  readonly oauth: Pick<OAuth, 'clock' | 'instances' | 'onRevoked' | 'store'>
  readonly outbox: Pick<Outbox, 'listHeld' | 'update'>
  readonly rules: ReleaseRules
  readonly log: Logger
}

/** Queue of the scheduler; a wake-up's id is that of an instance. */
const QUEUE = 'notifications-held'
/** How long a change may take before it is looked at too early. Milliseconds. */
const GUARD_MS = 5000
/** Processes that hear of the same change meet on whole seconds: the scheduler keeps one wake-up of theirs. */
const STEP_MS = 1000
const BATCH = 50

export function createHeldBack({ oauth, outbox, rules, log }: HeldBackOptions): HeldBack {
  const { clock } = oauth
  const { scheduler } = oauth.store
  let processing: Promise<() => Promise<void>> | undefined

  const lookAt = (id: InstanceId, when: number): Promise<void> => scheduler.at(QUEUE, id, when)
  const nextStep = (instant: number): number => Math.ceil(instant / STEP_MS) * STEP_MS

  async function look(id: InstanceId): Promise<void> {
    const instance = await oauth.instances.byId(id)
    if (instance?.status !== 'active') return
    for (let cursor: string | undefined; ; ) {
      const page = await outbox.listHeld(id, {
        limit: BATCH,
        ...(cursor !== undefined && { cursor }),
      })
      for (const stored of page.notifications) await reconsider(instance, stored)
      if (page.cursor === undefined) return
      cursor = page.cursor
    }
  }

  async function reconsider(instance: Instance, stored: StoredNotification): Promise<void> {
    const { record } = stored
    const now = clock.now()
    // A worker looks at it anyway.
    if (record.dueAt <= now) return
    const asked = ungathered(record, now)
    const preferredChannels = channelOrder(record)
    const decision = await rules.decide(instance, { ...asked, preferredChannels }, now)
    const isFree =
      record.isHeld === true
        ? !isStillHeld(record, asked, decision)
        : hasNewChannel(record, decision)
    // Should somebody be faster: a worker looks at it, or another change is looked at as well.
    if (isFree) await outbox.update(stored, { ...unheld(asked), dueAt: now })
  }

  const endListening = oauth.onRevoked({
    onRevoked({ kind, instanceId }) {
      if (kind !== 'instance') return
      lookAt(instanceId, nextStep(clock.now() + 1)).catch((cause: unknown) =>
        log.warn('notifications.change_not_noted', { cause: String(cause) }),
      )
    },
    // What is missed counts when it is due.
    onGap() {},
  })

  return {
    async around({ id }, change) {
      await lookAt(id, nextStep(clock.now() + GUARD_MS))
      const result = await change()
      await lookAt(id, clock.now())
      return result
    },
    async start() {
      // A queue's ids are the instances that `lookAt` was given.
      processing ??= scheduler.process(QUEUE, ({ id }) => look(id as InstanceId))
      await processing
    },
    async close() {
      endListening()
      const stop = await processing?.catch(() => undefined)
      await stop?.()
    },
  }
}

/** As it is asked about: one whose digest is still to come may go into another one, or none. */
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
