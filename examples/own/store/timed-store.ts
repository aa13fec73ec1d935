import type { Store } from '@svc/store'

/** Is told of each call: its name, how long it took, and whether it failed. */
export type OnTiming = (method: string, milliseconds: number, isFailed: boolean) => void

/** A store that hands every call to another one and tells how long it took. */
export function timedStore(store: Store, onTiming: OnTiming): Store {
  async function timed<Result>(method: string, call: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now()
    let isFailed = true
    try {
      const result = await call()
      isFailed = false
      return result
    } finally {
      onTiming(method, performance.now() - startedAt, isFailed)
    }
  }

  return {
    get: (key) => timed('get', () => store.get(key)),
    getMany: (keys) => timed('getMany', () => store.getMany(keys)),
    inspect: (keys) => timed('inspect', () => store.inspect(keys)),
    write: (changes, options) => timed('write', () => store.write(changes, options)),
    take: (key) => timed('take', () => store.take(key)),
    hit: (counter, windowMs, by) => timed('hit', () => store.hit(counter, windowMs, by)),
    list: (index, page) => timed('list', () => store.list(index, page)),
    count: (index) => timed('count', () => store.count(index)),
    usage: (instance) => timed('usage', () => store.usage(instance)),
    recount: (instance) => timed('recount', () => store.recount(instance)),
    load: (entries) => timed('load', () => store.load(entries)),
    health: () => timed('health', () => store.health()),
    // What comes piece by piece has no one time.
    dump: (selection) => store.dump(selection),
    dumpsOneMoment: store.dumpsOneMoment,
    bus: store.bus,
    scheduler: store.scheduler,
    close: () => store.close(),
  }
}
