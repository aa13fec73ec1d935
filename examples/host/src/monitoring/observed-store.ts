import type { Scheduler, Store } from '@svc/store'

/** What is told of a store while it works. */
export interface StoreObserver {
  /** @param failure - why an operation failed */
  done(operation: string, seconds: number, failure?: 'other' | 'unavailable'): void
  /** A wake-up begins to be handled. @returns what is to be called at its end */
  woken(lateMs: number): () => void
  /** Messages between processes may have been lost. */
  gap(): void
}

const OPERATIONS: ReadonlySet<string> = new Set([
  'count',
  'get',
  'getMany',
  'health',
  'hit',
  'inspect',
  'list',
  'take',
  'write',
])

/**
 * The same store, with an observer that sees how long operations take and how late wake-ups come.
 * @param wakeUps - the scheduler of the store, or what stands in front of it
 */
export function observeStore(
  store: Store,
  clock: { now(): number },
  observer: StoreObserver,
  wakeUps: Scheduler,
): Store {
  const scheduler = observeScheduler(wakeUps, clock, observer)
  const members = new Map<PropertyKey, unknown>([['scheduler', scheduler]])
  store.bus.onGap(() => observer.gap())
  return new Proxy(store, {
    get(target, name) {
      if (members.has(name)) return members.get(name)
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      // A method of a class with private members is only good on its own object. It is looked up at each call, so that
      // whoever replaces it later is heard.
      const bound: Operation = (...args) =>
        Reflect.apply(Reflect.get(target, name) as Operation, target, args)
      const member = OPERATIONS.has(String(name)) ? timed(String(name), bound, observer) : bound
      members.set(name, member)
      return member
    },
  })
}

type Operation = (...args: readonly unknown[]) => Promise<unknown>

function timed(name: string, operation: Operation, observer: StoreObserver): Operation {
  return async (...args) => {
    const startedAt = performance.now()
    const seconds = (): number => (performance.now() - startedAt) / 1000
    try {
      const answer = await operation(...args)
      observer.done(name, seconds())
      return answer
    } catch (error) {
      const isAway = (error as { readonly code?: unknown }).code === 'store_unavailable'
      observer.done(name, seconds(), isAway ? 'unavailable' : 'other')
      throw error
    }
  }
}

function observeScheduler(
  scheduler: Scheduler,
  clock: { now(): number },
  observer: StoreObserver,
): Scheduler {
  return {
    at: (queue, id, when) => scheduler.at(queue, id, when),
    cancel: (queue, id) => scheduler.cancel(queue, id),
    process: (queue, handler) =>
      scheduler.process(queue, async (wakeUp) => {
        const end = observer.woken(Math.max(0, clock.now() - wakeUp.when))
        try {
          await handler(wakeUp)
        } finally {
          end()
        }
      }),
  }
}
