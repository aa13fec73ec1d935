import type { Store } from '@svc/store'

/** Lets the next write of an instance's record never end, as of a process that dies. */
export async function dieAtRecord(store: Store, begin: () => void): Promise<void> {
  const { write } = store
  await new Promise<void>((reached) => {
    store.write = (changes, options) => {
      if (!changes.some(({ key }) => key.includes(':instance:')))
        return write.call(store, changes, options)
      reached()
      return new Promise(() => {})
    }
    begin()
  })
  store.write = write
}
