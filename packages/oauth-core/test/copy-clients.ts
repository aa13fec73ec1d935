import { type Change, indexKey, type Json, recordKey } from '@svc/store'
import type { OAuthServer } from './oauth-server.ts'

/**
 * So many copies of the first client that is registered, in the lists as old as they say.
 * @param indexes - those that the copies are in
 * @param changes - of the record
 */
export async function copyClients(
  { instance, store }: OAuthServer,
  count: number,
  indexes: readonly string[],
  changes: Readonly<Record<string, Json>> = {},
): Promise<void> {
  const { records } = await store.list(indexKey(instance.id, 'clients'))
  const pending = indexes.some((name) => name.startsWith('clients-pending'))
  const first = records[0]?.value as Record<string, Json> // An object of JSON.
  const value: Record<string, Json> = { ...first, pending, ...changes }
  const metadata = value['metadata'] as Record<string, Json> // Of a client.
  const copies = Array.from(
    { length: count },
    (_, n): Change => ({
      op: 'put',
      key: recordKey(instance.id, 'client', `copy-${n}`),
      // Each has a name of its own, as clients have.
      value: { ...value, metadata: { ...metadata, client_name: `Copy ${n}` } },
      indexes: indexes.map((name) => {
        const at = Number(name === 'clients-idle' ? value['keepUntil'] : value['createdAt'])
        const sort = `${String(at).padStart(15, '0')}:copy-${n}`
        return { index: indexKey(instance.id, name), sort }
      }),
    }),
  )
  for (let at = 0; at < copies.length; at += 100) {
    await store.write(copies.slice(at, at + 100))
  }
}
