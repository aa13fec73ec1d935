import { randomBytes } from 'node:crypto'
import type { SharedLink } from '@svc/auth-ui'
import type { Instance } from '@svc/platform'
import type { DiskQuota } from '../../quota/disk-quota.ts'
import { type Change, indexKey, type Json, type Key, recordKey, type Store } from '@svc/store'

/** Documents that a link shows to whoever has it. */
export interface Share {
  /** Names the link, and is all that a visitor needs without a password: 192 random bits. */
  readonly id: string
  /** The app that shares, or the client; an app and the clients linked to it are one (decision D30). */
  readonly owner: string
  readonly type: string
  readonly ids: readonly string[]
  readonly password?: NonNullable<SharedLink['password']>
}

/** Links of the demo, by instance. */
export interface ShareStore {
  find(instance: Instance, id: string): Promise<Share | undefined>
  /** Of one owner. */
  list(instance: Instance, owner: string): Promise<readonly Share[]>
  /**
   * @param also - changes that belong into the very write
   * @throws OAuthError `quota_exceeded`
   */
  create(instance: Instance, share: Omit<Share, 'id'>, also?: readonly Change[]): Promise<Share>
  /** False when the owner has no such link. `also`: as above. */
  remove(instance: Instance, owner: string, id: string, also?: readonly Change[]): Promise<boolean>
  /** Whether some link shows this document. */
  shows(instance: Instance, type: string, id: string): Promise<boolean>
  /** Removes every link of an instance. */
  removeAll(instance: Instance): Promise<void>
}

const ID_BYTES = 24
const KIND = 'share-link'
/** Of an instance. @see operation.md 8.1 */
const MAX_LINKS = 1000

export function createShareStore(store: Store, quota?: Pick<DiskQuota, 'admit'>): ShareStore {
  async function find(instance: Instance, id: string): Promise<Share | undefined> {
    const record = await store.get(keyOf(instance, id))
    return record && toShare(record.value)
  }

  async function all(instance: Instance): Promise<readonly Share[]> {
    const shares: Share[] = []
    let cursor: string | undefined
    do {
      const page = await store.list(
        indexKey(instance.id, 'share-links'),
        cursor === undefined ? {} : { cursor },
      )
      shares.push(...page.records.map(({ value }) => toShare(value)))
      cursor = page.cursor
    } while (cursor !== undefined)
    return shares
  }

  return {
    find,
    list: async (instance, owner) => (await all(instance)).filter((share) => share.owner === owner),
    async create(instance, given, also = []) {
      const share: Share = { id: randomBytes(ID_BYTES).toString('base64url'), ...given }
      const bytes = Buffer.byteLength(JSON.stringify(share))
      await quota?.admit(instance, { bytes, kind: KIND, most: MAX_LINKS })
      await store.write([
        {
          op: 'put',
          key: keyOf(instance, share.id),
          value: share as unknown as Json, // An interface has no index signature; this one is plain JSON.
          indexes: [{ index: indexKey(instance.id, 'share-links'), sort: share.owner }],
          ifAbsent: true,
        },
        ...also,
      ])
      return share
    },
    async remove(instance, owner, id, also = []) {
      const share = await find(instance, id)
      if (share === undefined || share.owner !== owner) return false
      const { written } = await store.write([
        { op: 'delete', key: keyOf(instance, id), ifPresent: true },
        ...also,
      ])
      return written
    },
    shows: async (instance, type, id) =>
      (await all(instance)).some((share) => share.type === type && share.ids.includes(id)),
    async removeAll(instance) {
      for (const { id } of await all(instance)) {
        await store.write([{ op: 'delete', key: keyOf(instance, id) }])
      }
    },
  }
}

function keyOf(instance: Instance, id: string): Key {
  return recordKey(instance.id, KIND, id)
}

function toShare(value: Json): Share {
  return value as unknown as Share // Only this file writes these records.
}
