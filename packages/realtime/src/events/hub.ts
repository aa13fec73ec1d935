import type { InstanceId } from '@svc/platform'
import { type CheckedEvent, eventFrame } from './event.ts'
import { Subscriptions, type Topic } from './subscriptions.ts'

/** Subscribers of all instances, by what they subscribed to. */
class Topics {
  readonly #subscribers = new Map<string, Set<Subscriber>>()
  /** Subscriptions of all subscribers. */
  subscriptions = 0

  get size(): number {
    return this.#subscribers.size
  }

  of(instanceId: InstanceId, type: string): ReadonlySet<Subscriber> | undefined {
    return this.#subscribers.get(nameOf(instanceId, type))
  }

  enter(instanceId: InstanceId, type: string, subscriber: Subscriber): void {
    const name = nameOf(instanceId, type)
    this.#subscribers.set(name, (this.#subscribers.get(name) ?? new Set()).add(subscriber))
  }

  leave(instanceId: InstanceId, type: string, subscriber: Subscriber): void {
    const name = nameOf(instanceId, type)
    const subscribers = this.#subscribers.get(name)
    subscribers?.delete(subscriber)
    if (subscribers?.size === 0) this.#subscribers.delete(name)
  }
}

function nameOf(instanceId: InstanceId, type: string): string {
  // A doctype holds no space.
  return `${type} ${instanceId}`
}

interface SubscriberOptions {
  readonly instanceId: InstanceId
  readonly topics: Topics
  readonly maxSubscriptions: number
  readonly send: (frame: Buffer) => void
}

/** One connection's place in the hub. */
export class Subscriber {
  readonly #options: SubscriberOptions
  readonly #own: Subscriptions
  #isClosed = false

  constructor(options: SubscriberOptions) {
    this.#options = options
    this.#own = new Subscriptions(options.maxSubscriptions)
  }

  subscribe(topic: Topic): 'added' | 'known' | 'full' {
    if (this.#isClosed) return 'known'
    const outcome = this.#change(() => this.#own.add(topic))
    if (outcome === 'full') return outcome
    const { topics, instanceId } = this.#options
    topics.enter(instanceId, topic.type, this)
    return outcome
  }

  unsubscribe(topic: Topic): void {
    this.#change(() => this.#own.remove(topic))
    const { topics, instanceId } = this.#options
    if (!this.#own.hasType(topic.type)) topics.leave(instanceId, topic.type, this)
  }

  list(): readonly Topic[] {
    return this.#own.list()
  }

  matches(type: string, id: string): boolean {
    return this.#own.matches(type, id)
  }

  /** Hands a text frame on. Never throws. */
  send(frame: Buffer): void {
    this.#options.send(frame)
  }

  /** Removes every trace. Idempotent. */
  close(): void {
    this.#isClosed = true
    for (const { type } of this.#own.list()) this.unsubscribe({ type })
  }

  #change<Result>(act: () => Result): Result {
    const before = this.#own.size
    const result = act()
    this.#options.topics.subscriptions += this.#own.size - before
    return result
  }
}

/** Who gets which events, in this process. @see realtime.md 7.1, 7.2 */
export class Hub {
  readonly #maxSubscriptions: number
  readonly #topics = new Topics()

  /** @param options.maxSubscriptions - of one subscriber */
  constructor(options: { readonly maxSubscriptions: number }) {
    this.#maxSubscriptions = options.maxSubscriptions
  }

  /** Gives the event to the instance's subscribers, in the order of the calls. Never throws. */
  deliver(instanceId: InstanceId, event: CheckedEvent): void {
    const subscribers = this.#topics.of(instanceId, event.type)
    if (subscribers === undefined) return
    // One buffer for all: the server's frames are not masked, so nobody changes it.
    let frame: Buffer | undefined
    for (const subscriber of subscribers) {
      if (!subscriber.matches(event.type, event.id)) continue
      frame ??= eventFrame(event)
      subscriber.send(frame)
    }
  }

  /** @param send - gets a text frame; must not throw */
  subscriber(instanceId: InstanceId, send: (frame: Buffer) => void): Subscriber {
    return new Subscriber({
      instanceId,
      send,
      topics: this.#topics,
      maxSubscriptions: this.#maxSubscriptions,
    })
  }

  /** Subscriptions of all subscribers, and types that somebody subscribed to. */
  stats(): { readonly subscriptions: number; readonly topics: number } {
    return { subscriptions: this.#topics.subscriptions, topics: this.#topics.size }
  }
}
