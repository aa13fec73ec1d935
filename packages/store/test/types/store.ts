// Compiled, never run: what the types promise and refuse.
import {
  type Hit,
  type Key,
  recordKey,
  type Store,
  type StoredRecord,
  type WriteResult,
} from '@svc/store'

type Equals<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_Holds extends true>(): void {}

export async function checkStore(store: Store, key: Key): Promise<void> {
  const record = await store.get<{ n: number }>(key)
  assertType<Equals<typeof record, StoredRecord<{ n: number }> | undefined>>()
  const hit = await store.hit(key, 1000)
  assertType<Equals<typeof hit, Hit>>()
  const result = await store.write([{ op: 'delete', key }])
  assertType<Equals<typeof result, WriteResult>>()
  // A refused write names what stood in the way; only a written one has a revision.
  if (!result.written) assertType<Equals<typeof result.failed, Key>>()
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
