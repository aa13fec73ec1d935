import { DAY_MS, type Instance, type InstanceId } from '@svc/platform'
import { type Change, type IndexKey, indexKey, type Key, recordKey, type Store } from '@svc/store'
import type { Client, ClientMetadata } from './client.ts'
import type { DocumentSnapshot } from './client-document.ts'

/** What of a document becomes the record of a client. */
export interface TakenDocument {
  readonly metadata: Pick<
    ClientMetadata,
    'client_name' | 'client_uri' | 'logo_uri' | 'policy_uri' | 'redirect_uris' | 'software_id'
  >
  readonly snapshot: DocumentSnapshot
}

/** SPEC: assistants.md 2.9 - how long a snapshot is good without its document. */
export const GONE_MS: number = 14 * DAY_MS

/** Whether the document was not to be had for so long that the client has nothing any more. */
export function isGone({ fetchedAt }: DocumentSnapshot, now: number): boolean {
  return now - fetchedAt > GONE_MS
}

/** Of a client that has no access any more and is no client therefore: what its document said. */
type KeptSnapshot = {
  readonly [Name in keyof TakenDocument]: TakenDocument[Name]
}

interface KeptServices {
  readonly store: Store
  readonly clock: { now(): number }
}

export const KEPT_KIND = 'client-snapshot'
export const KEPT_INDEX = 'client-snapshots'
/** SPEC: assistants.md 2.14 */
const MOST = 200

/** The changes that keep what the document of a client that goes said, until 14 days after its last good read. */
export function keepSnapshot(
  { clock }: Pick<KeptServices, 'clock'>,
  instance: Instance,
  { id, metadata, document }: Client,
): readonly Change[] {
  if (document === undefined || isGone(document, clock.now())) return []
  const { token_endpoint_auth_method: _, ...rest } = metadata
  const value: KeptSnapshot = { metadata: rest, snapshot: document }
  const { fetchedAt } = document
  const sort = `${String(fetchedAt).padStart(15, '0')}:${id}`
  const indexes = [{ index: keptIndex(instance.id), sort }]
  const expiresAt = fetchedAt + GONE_MS
  return [{ op: 'put', key: keptKey(instance.id, id), value, expiresAt, indexes }]
}

/** Drops the oldest of too many. */
export async function trimSnapshots(
  { store }: Pick<KeptServices, 'store'>,
  instance: Instance,
): Promise<void> {
  const { records } = await store.list(keptIndex(instance.id), { limit: MOST + 10 })
  for (const { key } of records.slice(0, Math.max(0, records.length - MOST))) {
    await store.write([{ op: 'delete', key }])
  }
}

export async function findSnapshot(
  { store }: Pick<KeptServices, 'store'>,
  instance: Instance,
  id: string,
): Promise<TakenDocument | undefined> {
  return (await store.get<KeptSnapshot>(keptKey(instance.id, id)))?.value
}

/** Its client is there again, and has it. */
export async function dropSnapshot(
  { store }: Pick<KeptServices, 'store'>,
  instance: Instance,
  id: string,
): Promise<void> {
  await store.write([{ op: 'delete', key: keptKey(instance.id, id) }])
}

function keptKey(instanceId: InstanceId, id: string): Key {
  return recordKey(instanceId, KEPT_KIND, id)
}

function keptIndex(instanceId: InstanceId): IndexKey {
  return indexKey(instanceId, KEPT_INDEX)
}
