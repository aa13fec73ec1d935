import type { Change, Store } from '@svc/store'
import type { Directory } from './directory.ts'
import { presentClaim, releaseClaim } from './external-ids.ts'
import type { Instance, InstanceId } from './instance.ts'
import { instanceKey } from './instance-record.ts'
import type { PlatformLog } from '../log/log-events.ts'

type Remover = (instance: Instance) => Promise<void>

export interface RemovalOptions {
  readonly store: Store
  /** Removes whatever the packages declare, but for what {@link createRemoval} removes at the end. */
  readonly removeRest: (id: InstanceId) => Promise<void>
  /** The first keys of a new instance: changes that join the write that creates it. */
  readonly keyring: { create(id: InstanceId): readonly Change[] }
  readonly clock: { now(): number }
  readonly log: PlatformLog
  readonly directory: Directory
  /** Takes the instance out of service; undefined when there is none. */
  readonly markDeleting: (id: InstanceId) => Promise<Instance | undefined>
  readonly byId: (id: InstanceId) => Promise<Instance | undefined>
  readonly forget: (id: InstanceId) => Promise<void>
}

/** Removing instances with everything they hold. */
export interface Removal {
  onRemove(remover: Remover): void
  remove(id: InstanceId): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

const QUEUE = 'oauth-instance-removal'
/** When a removal that was cut short is tried again. */
const RETRY_MS = 60_000

export function createRemoval(options: RemovalOptions): Removal {
  const { store, removeRest, keyring, clock, log, directory, markDeleting, byId, forget } = options
  const removers: Remover[] = []
  let stopProcessing: (() => Promise<void>) | undefined

  async function purge(instance: Instance): Promise<void> {
    for (const remover of removers) await remover(instance)
    // Whatever nobody thought of. What says that a removal is under way goes last.
    await removeRest(instance.id)
    await releaseClaim({ store }, await presentClaim({ store }, instance))
    await directory.release(instance.id, [instance.domain, ...instance.aliases])
    // The record goes last: as long as it exists, a removal that was cut short is found and goes on.
    const keys = keyring.create(instance.id).map(({ key }) => ({ op: 'delete', key }) as const)
    await store.write([...keys, { op: 'delete', key: instanceKey(instance.id) }])
    await forget(instance.id)
    log.info('instance.removed', { domain: instance.domain })
  }

  return {
    onRemove(remover) {
      removers.push(remover)
    },
    async remove(id) {
      await store.scheduler.at(QUEUE, id, clock.now() + RETRY_MS)
      const instance = await markDeleting(id)
      if (instance !== undefined) await purge(instance)
      await store.scheduler.cancel(QUEUE, id)
    },
    async start() {
      stopProcessing ??= await store.scheduler.process(QUEUE, async ({ id }) => {
        const instance = await byId(id as InstanceId) // Scheduled by `remove`.
        if (instance?.status === 'deleting') await purge(instance)
      })
    },
    async stop() {
      await stopProcessing?.()
      stopProcessing = undefined
    },
  }
}
