import type { ActivityEvent } from '@svc/platform'
import { type Change, indexKey } from '@svc/store'
import { notedOf } from './entry.ts'
import { PENDING, pendingKey } from './keys.ts'
import { uuid7 } from './uuid.ts'

/** The change that notes an event until the chainer takes it. */
export function pendingChange(
  instanceId: string,
  event: ActivityEvent,
  now: number,
  id: string = uuid7(now),
): Change {
  return {
    op: 'put',
    key: pendingKey(instanceId, id),
    value: notedOf(event, now),
    indexes: [{ index: indexKey(instanceId, PENDING), sort: id }],
  }
}
