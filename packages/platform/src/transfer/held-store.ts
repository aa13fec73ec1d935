import type { Key, Store, WakeUp } from '@svc/store'
import { MINUTE_MS, SECOND_MS } from '../durations.ts'
import { heldError } from '../http/held-error.ts'
import { holdOf } from '../instances/frozen.ts'
import type { InstanceId, InstanceRecord } from '../instances/instance.ts'

/** When a wake-up of an instance that is held comes again, milliseconds. */
const LATER_MS = MINUTE_MS
/** The same where the hold lasts for moments. */
const SOON_MS = SECOND_MS
/** As `Instances.create` makes ids; other tags are shared. */
const INSTANCE_ID = /^[\w-]{22}(?![\w-])/
const ID_LENGTH = 22

export interface HeldStoreOptions {
  readonly store: Store
  readonly clock: { now(): number }
  /** The instance, at most a second old. */
  readonly find: (id: InstanceId) => Promise<InstanceRecord | undefined>
}

/** A store that writes nothing for instances that are held. */
export interface HeldStore {
  readonly store: Store
  /** Queues of wake-ups that somebody handles. */
  readonly queues: () => readonly string[]
}

/**
 * Refuses writes to instances that are frozen or being imported, whoever makes them, and puts their wake-ups off. Counters
 * are written all the same: nobody carries them anywhere.
 * @see operation.md 4.3.4, 4.3.5
 */
export function holdStore({ store, clock, find }: HeldStoreOptions): HeldStore {
  const { scheduler } = store
  const queues = new Set<string>()

  async function heldInstance(text: string): Promise<InstanceRecord | undefined> {
    const [id] = INSTANCE_ID.exec(text) ?? []
    return id === undefined ? undefined : find(id as InstanceId) // Made by `Instances.create`.
  }

  async function checkWritable(key: Key | undefined): Promise<void> {
    // `{<id>}:…`; the tags of what is shared are shorter, or are no ids.
    if (key?.charAt(ID_LENGTH + 1) !== '}') return
    const instance = await heldInstance(key.slice(1, ID_LENGTH + 1))
    const hold = instance && holdOf(instance, clock.now())
    if (hold !== undefined) throw heldError(hold)
  }

  async function putOff(queue: string, { id }: WakeUp): Promise<boolean> {
    const instance = await heldInstance(id) // Ids of wake-ups begin with the instance's.
    const hold = instance && holdOf(instance, clock.now())
    if (hold === undefined) return false
    const isSoon = hold === 'for-moments' || instance?.status === 'importing'
    await scheduler.at(queue, id, clock.now() + (isSoon ? SOON_MS : LATER_MS))
    return true
  }

  const held: Pick<Store, 'write' | 'take' | 'scheduler'> = {
    async write(changes, options) {
      await checkWritable(changes[0]?.key)
      return store.write(changes, options)
    },
    async take(key) {
      await checkWritable(key)
      return store.take(key)
    },
    scheduler: {
      at: (queue, id, when) => scheduler.at(queue, id, when),
      cancel: (queue, id) => scheduler.cancel(queue, id),
      process(queue, handler) {
        queues.add(queue)
        return scheduler.process(queue, async (wakeUp) => {
          if (!(await putOff(queue, wakeUp))) await handler(wakeUp)
        })
      },
    },
  }

  // Bound once: every request passes here several times.
  const members = new Map<PropertyKey, unknown>(Object.entries(held))
  return {
    queues: () => [...queues].toSorted(),
    store: new Proxy(store, {
      get(target, name) {
        const known = members.get(name)
        if (known !== undefined) return known
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        const call = (...args: readonly unknown[]): unknown =>
          Reflect.apply(Reflect.get(target, name, target) as () => unknown, target, args as [])
        members.set(name, call)
        return call
      },
    }),
  }
}
