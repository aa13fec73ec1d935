import type { IndexKey, Json, Store, StoredRecord } from '@svc/store'
import type { ClientId } from '../clients/client.ts'
import type { Instance, Revocations } from '@svc/platform'
import type { OAuthEvents } from '../ports.ts'
import type { Grant } from './engine.ts'
import { grantKey, type GrantRecord, grantsIndex, registrationIndex } from './records.ts'

/** How many live grants a client keeps; the oldest is revoked (D41). */
export const MAX_GRANTS_PER_CLIENT = 20

const PAGE = 100

export interface GrantsOptions {
  readonly store: Store
  readonly revocations: Pick<Revocations, 'publish'>
  readonly emit: <Name extends keyof OAuthEvents>(name: Name, event: OAuthEvents[Name]) => void
}

/** Grants and what belongs to them. */
export interface Grants {
  find(instance: Instance, id: string): Promise<Grant | undefined>
  /** Newest first. */
  list(instance: Instance, clientId: string): Promise<readonly Grant[]>
  revoke(instance: Instance, id: string, reason: string): Promise<void>
  revokeAll(instance: Instance, clientId: string, reason: string): Promise<void>
  /** Everything of a client whose record is gone. */
  forget(instance: Instance, clientId: string, reason: string): Promise<void>
  /** Revokes the oldest grants above the limit. */
  trim(instance: Instance, clientId: string): Promise<void>
}

export function createGrants({ store, revocations, emit }: GrantsOptions): Grants {
  async function listAll<Value extends Json>(index: IndexKey): Promise<StoredRecord<Value>[]> {
    const records: StoredRecord<Value>[] = []
    let cursor: string | undefined
    do {
      const page = await store.list<Value>(index, {
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      })
      records.push(...page.records)
      cursor = page.cursor
    } while (cursor !== undefined)
    return records
  }

  async function revoke(instance: Instance, id: string, reason: string): Promise<void> {
    const taken = await store.take<GrantRecord>(grantKey(instance.id, id))
    if (taken === undefined) return
    emit('grant.revoked', { instance, grantId: id, clientId: taken.value.clientId, reason })
    await revocations.publish({ instanceId: instance.id, kind: 'grant', id })
  }

  async function revokeAll(instance: Instance, clientId: string, reason: string): Promise<void> {
    const grants = await listAll<GrantRecord>(grantsIndex(instance.id, clientId))
    for (const { value } of grants) await revoke(instance, value.id, reason)
  }

  return {
    async find(instance, id) {
      const record = await store.get<GrantRecord>(grantKey(instance.id, id))
      return record === undefined ? undefined : toGrant(record.value)
    },

    async list(instance, clientId) {
      const records = await listAll<GrantRecord>(grantsIndex(instance.id, clientId))
      return records.map(({ value }) => toGrant(value)).reverse()
    },

    revoke,
    revokeAll,

    async forget(instance, clientId, reason) {
      await revokeAll(instance, clientId, reason)
      const tokens = await listAll(registrationIndex(instance.id, clientId))
      for (const { key } of tokens) await store.write([{ op: 'delete', key }])
    },

    async trim(instance, clientId) {
      const grants = await listAll<GrantRecord>(grantsIndex(instance.id, clientId))
      const tooMany = grants.slice(0, Math.max(0, grants.length - MAX_GRANTS_PER_CLIENT))
      for (const { value } of tooMany) await revoke(instance, value.id, 'limit')
    },
  }
}

/** What the rest of the package sees of a grant. */
export function toGrant({ id, clientId, scope, createdAt, endsAt }: GrantRecord): Grant {
  const end = endsAt === undefined ? {} : { endsAt }
  return { id, clientId: clientId as ClientId, scope, createdAt, ...end } // Stored from a Client's id.
}
