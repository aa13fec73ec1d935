import type { Notify } from '@svc/notify'
import type { Instance } from '@svc/platform'
import { describeError, type Key, recordKey, type Store } from '@svc/store'
import type { DiskUse } from './disk-quota.ts'
import type { HostEventLog } from '../log/log.ts'

/** What an owner was told last. */
type Level = 'nearly' | 'full'

const NEARLY = 0.9
/** Below this share it may be told again. */
const OVER = 0.85

export interface QuotaNotices {
  /** Hears how full an instance is; tells its owner once at each level. Never rejects. */
  look(instance: Instance, use: DiskUse): Promise<void>
  /** Forgets what an owner was told. */
  remove(instance: Instance): Promise<void>
}

/**
 * Tells owners at 90 % and at 100 % of their quota, each once, and again only after the use fell below 85 %. The record
 * of what was told is changed by compare-and-set: of any number of processes one tells.
 * @see operation.md 8.3; decision D84
 */
export function createQuotaNotices(parts: {
  readonly store: Store
  readonly notify: Pick<Notify, 'post'>
  readonly log: HostEventLog
}): QuotaNotices {
  const { store, notify, log } = parts

  async function post(instance: Instance, level: Level, state: boolean): Promise<void> {
    const isFull = level === 'full'
    await notify.post(instance, {
      originator: 'stack',
      category: 'disk-quota',
      categoryId: level,
      state,
      preferredChannels: ['mail', 'mobile'],
      ...(isFull && { data: { IsFull: true } }),
    })
  }

  async function tell(instance: Instance, share: number): Promise<void> {
    const key = keyOf(instance)
    const record = await store.get<Level>(key)
    const told = record?.value
    if (share < OVER && record !== undefined) {
      const { written } = await store.write([{ op: 'delete', key, ifRevision: record.revision }])
      if (!written) return
      await post(instance, 'nearly', false)
      if (told === 'full') await post(instance, 'full', false)
      return
    }
    const level: Level | undefined = share >= 1 ? 'full' : share >= NEARLY ? 'nearly' : undefined
    if (level === undefined || level === told || told === 'full') return
    const { written } = await store.write([
      {
        op: 'put',
        key,
        value: level,
        ...(record === undefined ? { ifAbsent: true } : { ifRevision: record.revision }),
      },
    ])
    if (written) await post(instance, level, true)
  }

  return {
    async look(instance, { used, quota }) {
      if (quota === undefined) return
      try {
        await tell(instance, quota === 0 ? 1 : used / quota)
      } catch (error) {
        const { domain } = instance
        const cause = describeError(error)
        log.error('notification.not_posted', { domain, category: 'disk-quota', cause })
      }
    },
    async remove(instance) {
      await store.write([{ op: 'delete', key: keyOf(instance) }])
    },
  }
}

function keyOf({ id }: Instance): Key {
  return recordKey(id, 'quota-notice', 'level')
}
