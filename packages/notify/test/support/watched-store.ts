import type { Store } from '@svc/store'

/** The store with some of its members in another form. */
export function watchedStore(real: Store, changed: Partial<Store>): Store {
  return new Proxy(real, {
    get(target, name) {
      if (Object.hasOwn(changed, name)) return Reflect.get(changed, name) as unknown
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}
