import type { InstanceId } from '@svc/platform'
import { isUnfinished } from '../outbox/notification-record.ts'
import type { NotifyServices } from '../services.ts'

type BoundServices = Pick<NotifyServices, 'log' | 'outbox' | 'store'>

/** Notifications that finish in this process before the ones kept are counted again. */
const COUNTED_EVERY = 100
/** Instances whose finished ones are counted at a time. */
const MAX_COUNTED = 10_000
const BATCH = 50

/** Says when so many notifications of an instance have finished that it is worth counting what is kept. */
export class FinishedCount {
  readonly #counts = new Map<InstanceId, number>()
  readonly #every: number

  constructor(maxKept: number) {
    this.#every = Math.min(COUNTED_EVERY, maxKept)
  }

  /** One more has finished. True when it is time to look. */
  add(instanceId: InstanceId): boolean {
    const counts = this.#counts
    const count = (counts.get(instanceId) ?? 0) + 1
    counts.delete(instanceId)
    if (count >= this.#every) return true
    if (counts.size >= MAX_COUNTED) counts.clear()
    counts.set(instanceId, count)
    return false
  }
}

/** Removes the oldest finished notifications of an instance that keeps too many. @see operation.md 8.1 */
export async function boundKept(
  services: BoundServices,
  instanceId: InstanceId,
  maxKept: number,
): Promise<void> {
  const { log, outbox } = services
  let over = (await countKept(services, instanceId)) - maxKept
  let removed = 0
  for (let cursor: string | undefined; over > 0; ) {
    const page = await outbox.listAll(instanceId, {
      limit: BATCH,
      ...(cursor !== undefined && { cursor }),
    })
    const gone = page.notifications
      .filter(({ record }) => !isUnfinished(record))
      .slice(0, over)
      .map(({ record }) => record.id)
    await outbox.remove(instanceId, gone)
    over -= gone.length
    removed += gone.length
    if (page.cursor === undefined) break
    cursor = page.cursor
  }
  if (removed > 0) log.info('notifications.purged', { erased: 0, removed })
}

/** Counted by the store if it keeps an index; otherwise one by one. */
async function countKept(
  { outbox, store }: BoundServices,
  instanceId: InstanceId,
): Promise<number> {
  const { notification } = await store.usage(instanceId)
  if (notification !== undefined) return notification.records
  let count = 0
  let cursor: string | undefined
  do {
    const page = await outbox.listAll(instanceId, cursor === undefined ? {} : { cursor })
    count += page.notifications.length
    cursor = page.cursor
  } while (cursor !== undefined)
  return count
}
