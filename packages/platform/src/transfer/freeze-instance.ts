import { setTimeout } from 'node:timers/promises'
import type { Revision, Store } from '@svc/store'
import { holdOf } from '../instances/frozen.ts'
import type { Freeze, InstanceId } from '../instances/instance.ts'
import { InstanceError } from '../instances/instance-error.ts'
import { instanceKey, type StoredInstance } from '../instances/instance-record.ts'
import { CACHE_TRUST_MS } from '../lifetimes.ts'
import { TransferError } from './transfer-error.ts'

/** As long as no process trusts a record of before, and until what was on its way to the store is there. */
const HEARD_MS = CACHE_TRUST_MS + 200
/** How long an instance is frozen at most while it is read. @see operation.md 4.3.4 */
export const FROZEN_MS = 60_000
const ATTEMPTS = 20

export interface FreezeServices {
  /** Past all holds. */
  readonly store: Store
  readonly clock: { now(): number }
  /** Drops what is cached of an instance, in every process. */
  readonly forget: (id: InstanceId) => Promise<void>
  /** The same, where nothing changed but whether it is frozen. */
  readonly forgetFrozen: (id: InstanceId) => Promise<void>
}

/** The instance as it is stored. @throws InstanceError `instance_not_found` */
export async function readInstance(
  store: Store,
  id: InstanceId,
): Promise<{ readonly value: StoredInstance; readonly revision: Revision }> {
  const record = await store.get<StoredInstance>(instanceKey(id))
  if (record === undefined) throw new InstanceError('instance_not_found', 'no such instance')
  return record
}

/** Changes the record by compare-and-set. @param change - undefined: it stays as it is */
async function changeFreeze(
  { store, forgetFrozen }: FreezeServices,
  id: InstanceId,
  change: (record: StoredInstance) => { readonly frozen: Freeze | undefined } | undefined,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { value, revision: ifRevision } = await readInstance(store, id)
    const changed = change(value)
    if (changed === undefined) return
    const { frozen: _, ...rest } = value
    // The same record with another member, or without it.
    const next = (
      changed.frozen === undefined ? rest : { ...rest, frozen: changed.frozen }
    ) as StoredInstance
    const put = { op: 'put', key: instanceKey(id), value: next, ifRevision } as const
    if (!(await store.write([put])).written) continue
    await forgetFrozen(id)
    return
  }
  throw new InstanceError('instance_busy', 'too many changes of one instance at a time')
}

/**
 * Takes no more changes of the instance, in any process, from the moment that this resolves.
 * @param isForGood - until `thaw`; else for a minute at most
 * @throws TransferError `instance_held`
 */
export async function freeze(
  services: FreezeServices,
  id: InstanceId,
  isForGood: boolean,
): Promise<Freeze> {
  const { clock, store } = services
  let frozen: Freeze = {}
  await changeFreeze(services, id, (record) => {
    const isHeld = holdOf(record, clock.now()) !== undefined
    const isMoved = isHeld && record.status !== 'importing' && record.frozen?.until === undefined
    if (record.status === 'deleting' || (isHeld && !isMoved)) {
      throw new TransferError('instance_held', {
        description: 'The instance is being exported, imported or removed.',
      })
    }
    frozen = isMoved ? { ...record.frozen } : isForGood ? {} : { until: clock.now() + FROZEN_MS }
    return isMoved ? undefined : { frozen }
  })
  // The embedded store has one process, which has forgotten what it knew.
  if (!store.dumpsOneMoment) await setTimeout(HEARD_MS)
  return frozen
}

/** Ends that very freeze; another one stays. */
export async function thaw(
  services: FreezeServices,
  id: InstanceId,
  { until }: Freeze,
): Promise<void> {
  await changeFreeze(services, id, ({ frozen }) => {
    const isSame = frozen !== undefined && frozen.until === until && frozen.exportedAt === undefined
    return isSame ? { frozen: undefined } : undefined
  })
}

/** Notes that a copy of the frozen instance may be alive elsewhere. */
export async function noteExported(services: FreezeServices, id: InstanceId): Promise<void> {
  const exportedAt = services.clock.now()
  await changeFreeze(services, id, ({ frozen }) =>
    frozen === undefined ? undefined : { frozen: { ...frozen, exportedAt } },
  )
}

/**
 * Takes changes again.
 * @param isForced - although an export was completed
 * @throws TransferError `not_held`, `export_completed`
 */
export async function unfreeze(
  services: FreezeServices,
  id: InstanceId,
  isForced: boolean,
): Promise<void> {
  await changeFreeze(services, id, ({ frozen }) => {
    if (frozen === undefined) {
      throw new TransferError('not_held', { description: 'The instance is not frozen.' })
    }
    if (frozen.exportedAt !== undefined && !isForced) {
      throw new TransferError('export_completed', {
        description:
          'An export of this instance was completed. Where it was imported, two copies would send everything twice. Take it into service with --force if that copy is gone.',
      })
    }
    return { frozen: undefined }
  })
  // What waited goes on.
  await services.forget(id)
}
