import { indexKey, type Key, type Revision, secretKey, type Store } from '@svc/store'
import { shardOf, shardTag } from './host-shards.ts'
import type { InstanceId, InstanceRecord } from './instance.ts'
import { InstanceError } from './instance-error.ts'

/** A claim that no instance's record came to name is free again after this. Milliseconds. */
const ABANDONED_MS = 60_000

const MAX_CHARS = 255

interface ExternalIdRecord {
  readonly [name: string]: string | number
  readonly id: InstanceId
  readonly claimedAt: number
}

/** What the claims of external ids stand on. */
export interface ExternalIdServices {
  readonly store: Store
  readonly clock: { now(): number }
  /** The instance's record as it is stored. */
  readonly recordOf: (id: InstanceId) => Promise<InstanceRecord | undefined>
}

/** Whether a text may be an external id: 1 to 255 printable characters. */
export function isExternalId(text: string): boolean {
  const { length } = [...text]
  return (
    length > 0 && length <= MAX_CHARS && text.isWellFormed() && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text)
  )
}

/** Which instance an external id was claimed for. Whoever asks looks whether its record still names it. */
export async function findExternalId(
  { store }: Pick<ExternalIdServices, 'store'>,
  externalId: string,
): Promise<InstanceId | undefined> {
  return (await store.get<ExternalIdRecord>(externalIdKey(externalId)))?.value.id
}

/** A claim that its maker may take back. A later claim of the same id has another revision. */
export interface ExternalIdClaim {
  readonly externalId: string
  readonly revision: Revision
}

/**
 * Claims an external id for an instance: of two that want it, one gets it. Every call gives the claim a new revision,
 * so that a change which needs it loses nothing to another one that releases what it saw before.
 * @throws InstanceError `external_id_taken`, `instance_busy`
 */
export async function claimExternalId(
  services: ExternalIdServices,
  id: InstanceId,
  externalId: string,
): Promise<ExternalIdClaim> {
  const { store, clock } = services
  const key = externalIdKey(externalId)
  const index = indexKey(shardTag(shardOf(externalId)), 'external-ids')
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const present = await store.get<ExternalIdRecord>(key)
    if (
      present !== undefined &&
      present.value.id !== id &&
      !(await isAbandoned(services, present.value, externalId))
    ) {
      throw new InstanceError('external_id_taken', 'the external id is that of another instance')
    }
    const value: ExternalIdRecord = { id, claimedAt: clock.now() }
    const condition =
      present === undefined
        ? ({ ifAbsent: true } as const)
        : ({ ifRevision: present.revision } as const)
    const put = { op: 'put', key, value, indexes: [{ index, sort: '' }], ...condition } as const
    const result = await store.write([put])
    if (result.written) return { externalId, revision: result.revision }
  }
  throw new InstanceError('instance_busy', 'too many changes want one external id at a time')
}

/** The claim of an instance's present external id. */
export async function presentClaim(
  { store }: Pick<ExternalIdServices, 'store'>,
  { id, externalId }: InstanceRecord,
): Promise<ExternalIdClaim | undefined> {
  if (externalId === undefined) return undefined
  const record = await store.get<ExternalIdRecord>(externalIdKey(externalId))
  return record?.value.id === id ? { externalId, revision: record.revision } : undefined
}

/** Takes a claim back, unless it was made anew meanwhile. */
export async function releaseClaim(
  { store }: Pick<ExternalIdServices, 'store'>,
  claim: ExternalIdClaim | undefined,
): Promise<void> {
  if (claim === undefined) return
  const { externalId, revision: ifRevision } = claim
  await store.write([{ op: 'delete', key: externalIdKey(externalId), ifRevision }])
}

async function isAbandoned(
  { clock, recordOf }: ExternalIdServices,
  { id, claimedAt }: ExternalIdRecord,
  externalId: string,
): Promise<boolean> {
  if (clock.now() - claimedAt < ABANDONED_MS) return false
  return (await recordOf(id))?.externalId !== externalId
}

/** It may be personal, such as an address: the key holds its digest. */
function externalIdKey(externalId: string): Key {
  return secretKey(shardTag(shardOf(externalId)), 'external-id', externalId)
}
