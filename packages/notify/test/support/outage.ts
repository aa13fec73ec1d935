import type { Store } from '@svc/store'

/** A store that can be cut off, as by a network that is down. */
export interface Outage {
  readonly store: Store
  begin(): void
  end(): void
}

const CALLS: ReadonlySet<unknown> = new Set([
  'count',
  'get',
  'getMany',
  'hit',
  'list',
  'take',
  'write',
])

export function outageOf(real: Store): Outage {
  let isDown = false
  const store = new Proxy(real, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        if (!isDown || !CALLS.has(name)) return member.apply(target, given) as unknown
        const error = new Error('no connection')
        return Promise.reject(Object.assign(error, { code: 'ECONNREFUSED' }))
      }
    },
  })
  return {
    store,
    begin() {
      isDown = true
    },
    end() {
      isDown = false
    },
  }
}
