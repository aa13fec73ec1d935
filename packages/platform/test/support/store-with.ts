import type { Store } from '@svc/store'

/** A store of which some methods answer otherwise; the others need it as their `this`. */
export function storeWith(store: Store, others: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(Reflect.has(others, name) ? others : target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
