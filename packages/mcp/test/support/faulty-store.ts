import { type Store, StoreUnavailableError } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { fakeClock } from '@svc/testkit'

/** A store whose writes of one kind of record fail, as those of a disk do that broke in between. */
export function faultyStore(): {
  readonly store: Store
  refuse(kind: string | undefined): void
} {
  let refused: string | undefined
  const store = sqliteStore({ file: ':memory:', clock: fakeClock() })
  const write: Store['write'] = async (changes, options) => {
    const isRefused = changes.some(
      (change) => refused !== undefined && String(change.key).includes(`:${refused}:`),
    )
    if (isRefused) throw new StoreUnavailableError('the disk broke')
    return store.write(changes, options)
  }
  return {
    // The methods of the store need it as their `this`.
    store: new Proxy(store, {
      get(target, name) {
        if (name === 'write') return write
        const member: unknown = Reflect.get(target, name, target)
        return typeof member === 'function' ? member.bind(target) : member
      },
    }),
    refuse(kind) {
      refused = kind
    },
  }
}
