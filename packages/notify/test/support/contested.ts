import type { Store } from '@svc/store'
import { watchedStore } from './watched-store.ts'

/** A store on which, for as long as it is asked for, somebody else is always a little faster: no condition holds. */
export function contestedStore(real: Store, isContested: () => boolean): Store {
  const write: Store['write'] = async (changes, options) => {
    if (isContested()) {
      for (const { key } of changes) {
        const stored = await real.get(key)
        if (stored !== undefined) await real.write([{ op: 'put', key, value: stored.value }])
      }
    }
    return real.write(changes, options)
  }
  return watchedStore(real, { write })
}
