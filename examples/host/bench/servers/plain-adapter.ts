import { indexKey, type Json, recordKey, type Store } from '@svc/store'
import type { AdapterFactory, AdapterPayload } from 'oidc-provider'

const INSTANCE = 'bare'

/** The adapter that one writes first: one get per find, one write per upsert, tokens under their grant's index. */
export function plainAdapter(store: Store): AdapterFactory {
  return (model) => {
    const kind = model.toLowerCase()
    const keyOf = (id: string) => recordKey(INSTANCE, kind, id)
    const indexOf = (grantId: string) => indexKey(INSTANCE, `${kind}:${grantId}`)

    function put(id: string, payload: AdapterPayload, expiresAt: number | undefined) {
      return store.write([
        {
          op: 'put',
          key: keyOf(id),
          value: payload as unknown as Json, // The engine's payloads are JSON.
          ...(expiresAt === undefined ? {} : { expiresAt }),
          ...(payload.grantId === undefined
            ? {}
            : { indexes: [{ index: indexOf(payload.grantId), sort: '' }] }),
        },
      ])
    }

    return {
      async find(id) {
        const record = await store.get(keyOf(id))
        return record?.value as unknown as AdapterPayload | undefined // As it was put.
      },
      async upsert(id, payload, expiresIn) {
        await put(
          id,
          payload,
          expiresIn && Math.floor(performance.timeOrigin + performance.now()) + expiresIn * 1000,
        )
      },
      async consume(id) {
        const record = await store.get(keyOf(id))
        if (record === undefined) return
        const payload = record.value as unknown as AdapterPayload // As it was put.
        const consumed = Math.floor((performance.timeOrigin + performance.now()) / 1000)
        await put(id, { ...payload, consumed }, record.expiresAt)
      },
      async destroy(id) {
        await store.write([{ op: 'delete', key: keyOf(id) }])
      },
      async revokeByGrantId(grantId) {
        const { records } = await store.list(indexOf(grantId))
        await store.write(records.map(({ key }) => ({ op: 'delete', key })))
      },
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
    }
  }
}
