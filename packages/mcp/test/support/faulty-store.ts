import { StoreUnavailableError } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { fakeClock } from '@svc/testkit'

/** A store whose writes of one kind of record fail, as those of a disk do that broke in between. */
export function faultyStore() {
  let refused: string | undefined
  const store = sqliteStore({ file: ':memory:', clock: fakeClock() })
  const write = store.write.bind(store)
  store.write = async (changes, options) => {
    if (refused !== undefined && changes.some(({ key }) => key.includes(`:${refused}:`))) {
      throw new StoreUnavailableError('the disk broke')
    }
    return write(changes, options)
  }
  const refuse = (kind: string | undefined): void => void (refused = kind)
  return { store, refuse }
}
