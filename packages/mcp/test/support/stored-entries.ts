import type { Instance } from '@svc/platform'
import { type Change, indexKey, type Json, recordKey, type Store } from '@svc/store'
import type { CallEntries, CallEntry } from '../../src/index.ts'

/** Entries in the store, as `@svc/oauth-core` keeps them but for what becomes of them later. */
export function storedEntries(
  store: Store,
): CallEntries & { all(instance: Instance): Promise<readonly CallEntry[]> } {
  let serial = 0

  function changesOf(call: CallEntry): Change[] {
    serial += 1
    const id = String(serial).padStart(8, '0')
    return [
      {
        op: 'put',
        key: recordKey(call.instance, 'test-call', id),
        value: call as unknown as Json,
        indexes: [{ index: indexKey(call.instance, 'test-calls'), sort: id }],
      },
    ]
  }

  return {
    async recordCall(call) {
      await store.write(changesOf(call))
    },
    callChanges: async (call) => changesOf(call),
    async all({ id }) {
      const { records } = await store.list(indexKey(id, 'test-calls'), { limit: 100 })
      return records.map(({ value }) => value as unknown as CallEntry)
    },
  }
}
