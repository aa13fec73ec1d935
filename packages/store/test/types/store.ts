// Compiled, never run: what the types promise and refuse.
import { type Key, recordKey, type Store } from '@svc/store'

export async function checkStore(store: Store, key: Key): Promise<void> {
  const result = await store.write([{ op: 'delete', key }])
  // @ts-expect-error the revision is there only after `written` was looked at
  result.revision.length

  // @ts-expect-error a key is made by `recordKey`, not any text
  await store.get('{a}:b:c')
  // @ts-expect-error a put has a value
  await store.write([{ op: 'put', key }])
  // @ts-expect-error a touch has an end
  await store.write([{ op: 'touch', key }])
  // @ts-expect-error a revision has a value
  await store.write([{ op: 'revise', key }])
  // @ts-expect-error values are JSON
  await store.write([{ op: 'put', key: recordKey('a', 'b', 'c'), value: new Map() }])
  // @ts-expect-error there is no condition of this name
  await store.write([{ op: 'delete', key, ifMissing: true }])
}
