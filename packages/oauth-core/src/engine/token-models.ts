import { type Adapter, errors } from 'oidc-provider'
import type { Lifetimes } from '../lifetimes.ts'
import type { Grants } from './grants.ts'
import { codePayload, grantPayload, readCode, readGrant, refreshTokenPayload } from './payloads.ts'
import {
  digestOf,
  grantKey,
  type GrantRecord,
  isDigestOf,
  notAfterEnd,
  tokenOfGrant,
} from './records.ts'
import { guarded, type Unit, type Units } from './unit-of-work.ts'

export interface ModelOptions {
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

/** The grant as this run left it so far. */
function grantOf({ grant }: Unit): GrantRecord | undefined {
  return grant?.next?.value ?? grant?.record?.value
}

export function codeModel({ clock, units, lifetimes }: ModelOptions): Model {
  return {
    async find(value) {
      const grant = grantOf(units.current())
      if (grant === undefined || !isDigestOf(grant.code.hash, value)) return undefined
      return grant.code.expiresAt > clock.now() ? codePayload(grant, value) : undefined
    },

    /** Of a grant that is made in the same run. */
    async upsert(value, payload) {
      const expiresAt = clock.now() + lifetimes.authorizationCodeMs
      units.current().code = { ...readCode(payload), hash: digestOf(value), expiresAt }
    },

    /** Of parallel runs, all but one find another revision of the grant when their changes are written. */
    async consume() {
      const { grant } = units.current()
      if (grant?.record === undefined || grant.record.value.code.consumedAt !== undefined) {
        throw new errors.InvalidGrant('authorization code already consumed')
      }
      const { value, expiresAt = value.code.expiresAt } = grant.record
      const code = { ...value.code, consumedAt: clock.now() }
      grant.next = { value: { ...value, code }, expiresAt }
    },

    // Native revocation asks every model in turn: the grant's does it for all.
    revokeByGrantId: nothing,
  }
}

export function refreshTokenModel({ clock, units, lifetimes }: ModelOptions): Model {
  return {
    async find(value) {
      const { grant } = units.current()
      if (grant?.record === undefined) return undefined
      const { value: record, expiresAt = 0 } = grant.record
      if (!isDigestOf(record.refreshToken, value)) return undefined
      // The grant outlives it, for the last access token; unless the owner's time ends both.
      const isBoxed = expiresAt === record.endsAt
      const end = isBoxed ? expiresAt : expiresAt - lifetimes.accessTokenMs
      if (end <= clock.now()) return undefined
      return refreshTokenPayload(record, value)
    },

    /** Of a code that was consumed in the same run. */
    async upsert(value) {
      const unit = units.current()
      const grant = grantOf(unit)
      if (unit.grant === undefined || grant === undefined) {
        throw new TypeError('a refresh token is made for a code')
      }
      // The value that the client gets is this one: the bridge puts it into the answer.
      unit.refreshToken = tokenOfGrant(grant.id, value)
      unit.grant.next = {
        value: { ...grant, refreshToken: digestOf(unit.refreshToken) },
        expiresAt: notAfterEnd(
          grant,
          clock.now() + lifetimes.refreshTokenMs + lifetimes.accessTokenMs,
        ),
      }
    },

    revokeByGrantId: nothing,
  }
}

export function grantModel({ clock, units, grants }: ModelOptions): Model {
  return {
    async find(id) {
      const grant = grantOf(units.current())
      return grant?.id === id ? grantPayload(grant) : undefined
    },

    /** Of a code that was made in the same run. */
    async upsert(id, payload) {
      const unit = units.current()
      const { code, grantEndsAt: endsAt } = unit
      if (code === undefined) throw new TypeError('a grant is made for a code')
      const end = endsAt === undefined ? {} : { endsAt }
      const value = { id, ...readGrant(payload), createdAt: clock.now(), ...end, code }
      const key = grantKey(unit.instance.id, id)
      unit.grant = {
        key,
        record: undefined,
        next: { value, expiresAt: notAfterEnd(value, code.expiresAt) },
      }
    },

    // SPEC: oauth.md 6.2 row 12 - a code that comes again ends its grant and all that came of it.
    async destroy(id) {
      const unit = units.current()
      await guarded(unit, () => grants.revoke(unit.instance, id, 'code replayed'))
    },
  }
}
