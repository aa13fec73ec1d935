import { type Change, indexKey, type Json, recordKey } from '@svc/store'
import type { OAuthServer } from './oauth-server.ts'

/** So many copies of a client that is registered. @param indexes - those that the copies are in */
export async function copyClients(
  { instance, store }: OAuthServer,
  count: number,
  indexes: readonly string[],
): Promise<void> {
  const { records } = await store.list(indexKey(instance.id, 'clients'))
  const pending = indexes.includes('clients-pending')
  const value = { ...(records[0]?.value as Record<string, Json>), pending } // An object of JSON.
  const changes = Array.from(
    { length: count },
    (_, n): Change => ({
      op: 'put',
      key: recordKey(instance.id, 'client', `copy-${n}`),
      value,
      indexes: indexes.map((name) => ({ index: indexKey(instance.id, name), sort: `copy-${n}` })),
    }),
  )
  for (let at = 0; at < changes.length; at += 100) {
    await store.write(changes.slice(at, at + 100))
  }
}
