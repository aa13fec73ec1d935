import type { Instance } from '@svc/platform'
import type { NotificationRecord, StoredNotification } from '../outbox/notification.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { PreferenceStore } from '../preferences/preference-store.ts'
import { channelsLeft, isMuted } from '../preferences/preferences.ts'

/** Decides anew what a digest holds: much may have changed since its items were gathered. */
export interface DigestItems {
  /** Those to be listed, in their order; the others are settled. */
  choose(
    instance: Instance,
    gathered: readonly StoredNotification[],
  ): Promise<readonly StoredNotification[]>
  /** Writes what became of an item, again when the owner marked it meanwhile; not when it is finished or held. */
  settle(
    stored: StoredNotification,
    change: (record: NotificationRecord) => NotificationRecord,
  ): Promise<void>
}

const MAX_TRIES = 10

export function createDigestItems(options: {
  readonly clock: { now(): number }
  readonly outbox: Pick<Outbox, 'get' | 'lastDueOfSource' | 'update'>
  readonly preferences: Pick<PreferenceStore, 'read'>
  /** Whether who posted it still exists. @see notifications.md 11 */
  readonly isAlive: (instance: Instance, record: NotificationRecord) => Promise<boolean>
}): DigestItems {
  const { clock, outbox, preferences, isAlive } = options

  /** SPEC: notifications.md 8 - a later one of the source says more. */
  async function isOvertaken({ instanceId, record }: StoredNotification): Promise<boolean> {
    const { flags, id, scheduledAt, sourceId } = record
    if (!flags.collapsible) return false
    const until = Math.max(clock.now(), scheduledAt)
    const last = await outbox.lastDueOfSource(instanceId, sourceId, until)
    return last !== undefined && last.record.id !== id
  }

  const settle: DigestItems['settle'] = async (stored, change) => {
    let current: StoredNotification | undefined = stored
    for (let tries = 0; tries < MAX_TRIES && current !== undefined; tries += 1) {
      const { finishedAt, lease } = current.record
      if (finishedAt !== undefined || lease !== undefined) return
      const { isHeld: _isHeld, ...settled } = change(current.record)
      if (await outbox.update(current, settled)) return
      current = await outbox.get(stored.instanceId, stored.record.id)
    }
  }

  return {
    settle,
    async choose(instance, gathered) {
      const { sources } = (await preferences.read(instance)).preferences
      const now = clock.now()
      const chosen: StoredNotification[] = []
      for (const stored of gathered) {
        const { category: name, postedBy } = stored.record
        const source = ownMember(sources, postedBy)
        const category = ownMember(source?.categories ?? {}, name)
        if (!(await isAlive(instance, stored.record))) {
          const gone = { status: 'cancelled', reason: 'source_gone', finishedAt: now } as const
          await settle(stored, (record) => ({ ...record, ...gone }))
        } else if (isMuted(source, category, now)) {
          const muted = { status: 'skipped', reason: 'muted', finishedAt: now } as const
          await settle(stored, (record) => ({ ...record, ...muted }))
        } else if (await isOvertaken(stored)) {
          await settle(stored, (record) => ({ ...record, status: 'collapsed', finishedAt: now }))
        } else if (channelsLeft(category, ['mail']).length === 0) {
          await settle(stored, (record) => ungathered(record, now))
        } else chosen.push(stored)
      }
      return chosen
    },
  }
}

/** Due alone: a digest is a mail, and mails are off. */
function ungathered(record: NotificationRecord, now: number): NotificationRecord {
  const { digestId: _digestId, ...rest } = record
  return { ...rest, dueAt: now }
}

function ownMember<Value>(
  members: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined
}
