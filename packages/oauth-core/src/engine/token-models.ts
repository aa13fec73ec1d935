import type { Store } from '@svc/store'
import { type Adapter, errors } from 'oidc-provider'
import type { Grants } from './grants.ts'
import type { Lifetimes } from '../lifetimes.ts'
import {
  codePayload,
  grantPayload,
  readCode,
  readGrant,
  readRefreshToken,
  refreshTokenPayload,
} from './payloads.ts'
import {
  type CodeRecord,
  type GrantRecord,
  grantEntries,
  type RefreshTokenRecord,
  tokenOfGrant,
} from './records.ts'
import { guarded, readRecord, type Unit, unitKey, type Units } from './unit.ts'

export interface ModelOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly units: Units
  readonly grants: Grants
  readonly lifetimes: Lifetimes
}

/** What the engine uses of a model; the rest is never called here. */
export type Model = Pick<Adapter, 'find' | 'upsert'> & Partial<Adapter>

export async function nothing(): Promise<undefined> {
  return undefined
}

export function codeModel({ store, clock, units, lifetimes }: ModelOptions): Model {
  const locate = (unit: Unit, value: string) => unitKey(unit, 'code', value)

  return {
    async find(value) {
      const unit = units.current()
      const record = await readRecord<CodeRecord>(store, unit, locate(unit, value))
      return record === undefined ? undefined : codePayload(record.value, value)
    },

    async upsert(value, payload) {
      const unit = units.current()
      const key = locate(unit, value)
      unit.tokens.push(key)
      const expiresAt = clock.now() + lifetimes.authorizationCodeMs
      unit.changes.push({ op: 'put', key, value: readCode(payload), expiresAt, ifAbsent: true })
    },

    /** Of parallel runs, all but one find another revision when their changes are written. */
    async consume(value) {
      const unit = units.current()
      const record = await readRecord<CodeRecord>(store, unit, locate(unit, value))
      if (record === undefined || record.value.consumedAt !== undefined) {
        throw new errors.InvalidGrant('authorization code already consumed')
      }
      unit.changes.push({
        op: 'put',
        key: record.key,
        value: { ...record.value, consumedAt: clock.now() },
        // Kept to its end, so that a replay is recognised.
        ...(record.expiresAt === undefined ? {} : { expiresAt: record.expiresAt }),
        ifRevision: record.revision,
      })
    },

    // Native revocation asks every model in turn: the refresh token's does it for all.
    revokeByGrantId: nothing,
  }
}

export function refreshTokenModel(options: ModelOptions): Model {
  const { store, clock, units, grants, lifetimes } = options
  const locate = (unit: Unit, value: string) => unitKey(unit, 'refresh-token', value)

  return {
    async find(value) {
      const unit = units.current()
      const record = await readRecord<RefreshTokenRecord>(store, unit, locate(unit, value))
      return record === undefined ? undefined : refreshTokenPayload(record.value, value)
    },

    /** Made at an exchange: the grant, which lived as long as its code, now lives as long as this. */
    async upsert(value, payload) {
      const unit = units.current()
      const token = readRefreshToken(payload)
      const grantKey = unitKey(unit, 'grant', token.grantId)
      const grant = await readRecord<GrantRecord>(store, unit, grantKey)
      if (grant === undefined) throw new errors.InvalidGrant('grant not found')
      // The value that the client gets is this one: the bridge puts it into the answer.
      unit.refreshToken = tokenOfGrant(token.grantId, value)
      const key = locate(unit, unit.refreshToken)
      const expiresAt = clock.now() + lifetimes.refreshTokenMs
      unit.changes.push(
        { op: 'put', key, value: token, expiresAt, ifAbsent: true },
        {
          op: 'put',
          key: grantKey,
          value: { ...grant.value, tokens: [...grant.value.tokens, key] },
          expiresAt: expiresAt + lifetimes.accessTokenMs,
          indexes: grantEntries(unit.instance.id, grant.value),
          // A grant that was revoked meanwhile stays so, and gets no token.
          ifRevision: grant.revision,
        },
      )
    },

    // SPEC: oauth.md 6.2 row 12 - a code that comes again ends its grant and all that came of it.
    async revokeByGrantId(grantId) {
      const unit = units.current()
      await guarded(unit, () => grants.revoke(unit.instance, grantId, 'code replayed'))
    },
  }
}

export function grantModel({ store, clock, units, lifetimes }: ModelOptions): Model {
  const locate = (unit: Unit, id: string) => unitKey(unit, 'grant', id)

  return {
    async find(id) {
      const unit = units.current()
      const record = await readRecord<GrantRecord>(store, unit, locate(unit, id))
      return record === undefined ? undefined : grantPayload(record.value)
    },

    async upsert(id, payload) {
      const unit = units.current()
      const now = clock.now()
      const grant = { ...readGrant(payload, id), createdAt: now, tokens: [...unit.tokens] }
      unit.changes.push({
        op: 'put',
        key: locate(unit, id),
        value: grant,
        expiresAt: now + lifetimes.authorizationCodeMs,
        indexes: grantEntries(unit.instance.id, grant),
        ifAbsent: true,
      })
    },

    // The refresh token's revocation took the grant with it.
    destroy: nothing,
  }
}
