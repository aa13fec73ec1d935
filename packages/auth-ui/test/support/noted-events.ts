import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { ActivityEvent, ActivityLog } from '@svc/platform'
import { type Json, recordKey, type Store } from '@svc/store'

/** Is told each event that is written in a request. */
export const whenNoted: AsyncLocalStorage<(event: string) => void> = new AsyncLocalStorage()

const NOTED = 'noted'

/** A record of activity whose events stand in the store, written with what they tell. */
export function recordInStore(events: ActivityEvent[]): ActivityLog {
  return {
    pending({ id }, event) {
      const value = event as unknown as Json // Texts and numbers.
      return [{ op: 'put', key: recordKey(id, NOTED, randomUUID()), value }]
    },
    async refused(_, event) {
      events.push(event)
      whenNoted.getStore()?.(event.event)
    },
    used() {},
  }
}

/** The same store; what it wrote of the record is known to the request that wrote it. */
export function noteEvents(store: Store, events: ActivityEvent[]): Store {
  const write: Store['write'] = async (changes, options) => {
    const result = await store.write(changes, options)
    for (const change of result.written ? changes : []) {
      if (change.op !== 'put' || !change.key.includes(`}:${NOTED}:`)) continue
      const event = change.value as unknown as ActivityEvent // Written above.
      events.push(event)
      whenNoted.getStore()?.(event.event)
    }
    return result
  }
  return withMember(store, 'write', write)
}

/** The same store but for one member, until a test puts another in its place. */
export function withMember<Name extends keyof Store>(
  store: Store,
  name: Name,
  member: Store[Name],
): Store {
  let current: unknown = member
  return new Proxy(store, {
    get(target, asked) {
      if (asked === name) return current
      const own: unknown = Reflect.get(target, asked, target)
      return typeof own === 'function' ? own.bind(target) : own
    },
    set(target, asked, value: unknown) {
      if (asked !== name) return Reflect.set(target, asked, value, target)
      // Not in the store itself: what is put there may call the member that it found here.
      current = value
      return true
    },
  })
}
