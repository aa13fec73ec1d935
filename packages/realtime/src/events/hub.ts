import type { InstanceId } from '@svc/platform'
import { type CheckedEvent, eventFrame } from './event.ts'
import { createSubscriptions, type Topic } from './subscriptions.ts'

/** Who gets which events, in this process. @see realtime.md 7.1, 7.2 */
export interface Hub {
  /** Gives the event to the instance's subscribers, in the order of the calls. Never throws. */
  deliver(instanceId: InstanceId, event: CheckedEvent): void
  /** @param send - gets a text frame; must not throw */
  subscriber(instanceId: InstanceId, send: (frame: Buffer) => void): Subscriber
  /** Subscriptions of all subscribers, and types that somebody subscribed to. */
  stats(): { readonly subscriptions: number; readonly topics: number }
}

/** One connection's place in the hub. */
export interface Subscriber {
  subscribe(topic: Topic): 'added' | 'known' | 'full'
  unsubscribe(topic: Topic): void
  list(): readonly Topic[]
  /** Removes every trace. Idempotent. */
  close(): void
}

interface Entry {
  readonly matches: (type: string, id: string) => boolean
  readonly send: (frame: Buffer) => void
}

/** @param options.maxSubscriptions - of one subscriber */
export function createHub(options: { readonly maxSubscriptions: number }): Hub {
  const topics = new Map<string, Set<Entry>>()
  let subscriptions = 0

  // A doctype holds no space.
  const nameOf = (instanceId: InstanceId, type: string): string => `${type} ${instanceId}`

  function leave(name: string, entry: Entry): void {
    const entries = topics.get(name)
    entries?.delete(entry)
    if (entries?.size === 0) topics.delete(name)
  }

  function subscriber(instanceId: InstanceId, send: (frame: Buffer) => void): Subscriber {
    const own = createSubscriptions(options.maxSubscriptions)
    const entry: Entry = { matches: own.matches, send }
    let isClosed = false

    function change<Result>(act: () => Result): Result {
      const before = own.size
      const result = act()
      subscriptions += own.size - before
      return result
    }

    function unsubscribe(topic: Topic): void {
      change(() => own.remove(topic))
      if (!own.hasType(topic.type)) leave(nameOf(instanceId, topic.type), entry)
    }

    return {
      subscribe(topic) {
        if (isClosed) return 'known'
        const outcome = change(() => own.add(topic))
        if (outcome === 'full') return outcome
        const name = nameOf(instanceId, topic.type)
        topics.set(name, (topics.get(name) ?? new Set()).add(entry))
        return outcome
      },
      unsubscribe,
      list: own.list,
      close() {
        isClosed = true
        for (const { type } of own.list()) unsubscribe({ type })
      },
    }
  }

  return {
    subscriber,
    deliver(instanceId, event) {
      const entries = topics.get(nameOf(instanceId, event.type))
      if (entries === undefined) return
      // One buffer for all: the server's frames are not masked, so nobody changes it.
      let frame: Buffer | undefined
      for (const { matches, send } of entries) {
        if (!matches(event.type, event.id)) continue
        frame ??= eventFrame(event)
        send(frame)
      }
    },
    stats: () => ({ subscriptions, topics: topics.size }),
  }
}
