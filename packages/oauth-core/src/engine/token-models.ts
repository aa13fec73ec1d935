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
  tokenEntries,
  tokenOfGrant,
} from './records.ts'
import { readRecord, type Unit, unitKey, type Units } from './unit.ts'

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
      const code = readCode(payload)
      unit.changes.push({
        op: 'put',
        key: locate(unit, value),
        value: code,
        expiresAt: clock.now() + lifetimes.authorizationCodeMs,
        indexes: tokenEntries(unit.instance.id, code.grantId),
        ifAbsent: true,
      })
    },

    /** Of parallel runs, all but one find another revision when their changes are written. */
    async consume(value) {
      const unit = units.current()
      const record = await readRecord<CodeRecord>(store, unit, locate(unit, value))
      if (record === undefined || record.value.consumedAt !== undefined) {
        throw new errors.InvalidGrant('authorization code already consumed')
      }
      const now = clock.now()
      const { grantId } = record.value
      unit.changes.push(
        {
          op: 'put',
          key: record.key,
          value: { ...record.value, consumedAt: now },
          // Kept to its end, so that a replay is recognised.
          ...(record.expiresAt === undefined ? {} : { expiresAt: record.expiresAt }),
          indexes: tokenEntries(unit.instance.id, grantId),
          ifRevision: record.revision,
        },
        {
          // Until now the grant lived as long as its code; from now on as long as its tokens.
          op: 'touch',
          key: unitKey(unit, 'grant', grantId),
          expiresAt: now + lifetimes.refreshTokenMs + lifetimes.accessTokenMs,
          ifPresent: true,
        },
      )
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

    async upsert(value, payload) {
      const unit = units.current()
      const now = clock.now()
      const token = readRefreshToken(payload, now)
      // The value that the client gets is this one: the bridge puts it into the answer.
      unit.refreshToken = tokenOfGrant(token.grantId, value)
      unit.changes.push({
        op: 'put',
        key: locate(unit, unit.refreshToken),
        value: token,
        expiresAt: now + lifetimes.refreshTokenMs,
        indexes: tokenEntries(unit.instance.id, token.grantId),
        ifAbsent: true,
      })
    },

    // SPEC: oauth.md 6.2 row 12 - a code that comes again ends its grant and all that came of it.
    async revokeByGrantId(grantId) {
      await grants.revoke(units.current().instance, grantId, 'code replayed')
    },
  }
}

export function grantModel({ store, clock, units, grants, lifetimes }: ModelOptions): Model {
  const locate = (unit: Unit, id: string) => unitKey(unit, 'grant', id)

  return {
    async find(id) {
      const unit = units.current()
      const record = await readRecord<GrantRecord>(store, unit, locate(unit, id))
      return record === undefined ? undefined : grantPayload(record.value)
    },

    async upsert(id, payload) {
      const unit = units.current()
      const grant = readGrant(payload, id, clock.now())
      unit.changes.push({
        op: 'put',
        key: locate(unit, id),
        value: grant,
        expiresAt: clock.now() + lifetimes.authorizationCodeMs,
        indexes: grantEntries(unit.instance.id, grant),
        ifAbsent: true,
      })
    },

    async destroy(id) {
      await grants.revoke(units.current().instance, id, 'code replayed')
    },
  }
}
