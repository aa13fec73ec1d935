import type { Key, Store } from '@svc/store'
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'
import { clientKey } from '../clients/client-record.ts'
import type { ClientStore, EngineMetadata } from '../clients/client-store.ts'
import type { Lifetimes } from '../lifetimes.ts'
import { RESOURCE } from './configuration.ts'
import {
  type CodeRecord,
  digestOf,
  grantKey,
  type GrantRecord,
  type GrantServices,
  isDigestOf,
  notAfterEnd,
  registrationIndex,
  registrationTokenKey,
  type RegistrationTokenRecord,
  revokeGrant,
  tokenOfGrant,
} from './grant.ts'
import type { ParsedClients } from './metadata.ts'
import { currentUnit, guarded, readRecord, type UnitOfWork } from './unit-of-work.ts'

/** What the models are made of. */
export interface AdapterServices extends GrantServices {
  readonly store: Store
  readonly clock: { now(): number }
  readonly clients: ClientStore
  readonly parsedClients: ParsedClients
  readonly lifetimes: Lifetimes
}

/** What the engine uses of a model; the rest is never called here. */
type Model = Pick<Adapter, 'find' | 'upsert'> & Partial<Adapter>

async function nothing(): Promise<undefined> {
  return undefined
}

/**
 * The engine's way to the store (D8): one for all instances, since the unit of work of each run knows its own. Nothing is
 * written here: changes join the unit of work and are written together, with the conditions that make them happen once.
 */
export function createAdapter(services: AdapterServices): AdapterFactory {
  const models: Readonly<Record<string, Model>> = {
    // Not stored: the bridge signs what the client gets (D69), and the guard looks at its grant.
    AccessToken: { find: nothing, upsert: nothing, revokeByGrantId: nothing },
    AuthorizationCode: codeModel(services),
    Client: clientModel(services),
    Grant: grantModel(services),
    RefreshToken: refreshTokenModel(services),
    RegistrationAccessToken: registrationTokenModel(services),
  }
  return (name) => {
    const model = models[name]
    if (model === undefined) throw new TypeError(`the engine has no use for the model ${name}`)
    return { ...REFUSING, ...model }
  }
}

function clientModel({ store, clients, parsedClients }: AdapterServices): Model {
  const locate = (unit: UnitOfWork, id: string): Key => clientKey(unit.instance.id, id)

  return {
    async find(id) {
      const unit = currentUnit()
      const record = await readRecord(store, unit, locate(unit, id))
      return record === undefined ? undefined : parsedClients.read(unit.instance, record).metadata
    },

    async upsert(id, payload) {
      const unit = currentUnit()
      const previous = unit.records.get(locate(unit, id))
      // Native metadata of a confidential client holds its id and secret.
      const metadata = payload as AdapterPayload & EngineMetadata
      unit.changes.push(...clients.toChanges(unit.instance, metadata, previous))
    },

    async destroy(id) {
      const unit = currentUnit()
      const previous = await readRecord(store, unit, locate(unit, id))
      if (previous !== undefined) unit.changes.push(...clients.toDeletion(unit.instance, previous))
    },
  }
}

function registrationTokenModel({ store }: AdapterServices): Model {
  const locate = (unit: UnitOfWork, value: string) => registrationTokenKey(unit.instance.id, value)

  return {
    async find(value) {
      const unit = currentUnit()
      const record = await readRecord<RegistrationTokenRecord>(store, unit, locate(unit, value))
      return record === undefined ? undefined : registrationTokenPayload(record.value, value)
    },

    async upsert(value, payload) {
      const unit = currentUnit()
      const token = readRegistrationToken(payload)
      const index = registrationIndex(unit.instance.id, token.clientId)
      unit.changes.push({
        op: 'put',
        key: locate(unit, value),
        value: token,
        indexes: [{ index, sort: '' }],
        ifAbsent: true,
      })
    },

    async destroy(value) {
      const unit = currentUnit()
      unit.changes.push({ op: 'delete', key: locate(unit, value) })
    },
  }
}

async function refuse(): Promise<never> {
  throw new TypeError('the engine has no use for this')
}

/** What no model here is asked for, unless the engine changed. */
const REFUSING: Adapter = {
  upsert: refuse,
  find: refuse,
  findByUserCode: refuse,
  findByUid: refuse,
  consume: refuse,
  destroy: refuse,
  revokeByGrantId: refuse,
}

/** The grant as this run left it so far. */
function grantOf({ grant }: UnitOfWork): GrantRecord | undefined {
  return grant?.next?.value ?? grant?.record?.value
}

function codeModel({ clock, lifetimes }: AdapterServices): Model {
  return {
    async find(value) {
      const grant = grantOf(currentUnit())
      if (grant === undefined || !isDigestOf(grant.code.hash, value)) return undefined
      return grant.code.expiresAt > clock.now() ? codePayload(grant, value) : undefined
    },

    /** Its grant is made later in the same run. */
    async upsert(value, payload) {
      const expiresAt = clock.now() + lifetimes.authorizationCodeMs
      currentUnit().code = { ...readCode(payload), hash: digestOf(value), expiresAt }
    },

    /** Of parallel runs, all but one find another revision of the grant when their changes are written. */
    async consume() {
      const { grant, isKeyless } = currentUnit()
      if (grant?.record === undefined || grant.record.value.code.consumedAt !== undefined) {
        // The engine is what calls this, so it is loaded.
        const { errors } = await import('oidc-provider')
        throw new errors.InvalidGrant('authorization code already consumed')
      }
      const { value, expiresAt = value.code.expiresAt } = grant.record
      const code = { ...value.code, consumedAt: clock.now() }
      const how = isKeyless === undefined ? {} : { isKeyless }
      grant.next = { value: { ...value, code, ...how }, expiresAt }
    },

    // Native revocation asks every model in turn: the grant's does it for all.
    revokeByGrantId: nothing,
  }
}

function refreshTokenModel({ clock, lifetimes }: AdapterServices): Model {
  return {
    async find(value) {
      const { grant, presented } = currentUnit()
      if (grant?.record === undefined) return undefined
      const { value: record, expiresAt = 0 } = grant.record
      const isGood =
        record.rotation === undefined
          ? isDigestOf(record.refreshToken, value)
          : presented !== undefined && 'token' in presented && presented.token.text === value
      if (!isGood) return undefined
      // The grant outlives it, for the last access token; unless the owner's time ends both.
      const isBoxed = expiresAt === record.endsAt
      const end = isBoxed ? expiresAt : expiresAt - lifetimes.accessTokenMs
      if (end <= clock.now()) return undefined
      return refreshTokenPayload(record, value)
    },

    /** Its code was consumed earlier in the same run. */
    async upsert(value) {
      const unit = currentUnit()
      const grant = grantOf(unit)
      if (unit.grant === undefined || grant === undefined) {
        throw new TypeError('a refresh token is made for a code')
      }
      // The value that the client gets is this one: the bridge puts it into the answer.
      const { firstToken } = unit
      unit.refreshToken = firstToken ?? tokenOfGrant(grant.id, value)
      const rotation = firstToken === undefined ? {} : { rotation: { generation: 0, retired: [] } }
      unit.grant.next = {
        value: { ...grant, refreshToken: digestOf(unit.refreshToken), ...rotation },
        expiresAt: notAfterEnd(
          grant,
          clock.now() + lifetimes.refreshTokenMs + lifetimes.accessTokenMs,
        ),
      }
    },

    revokeByGrantId: nothing,
  }
}

function grantModel(services: AdapterServices): Model {
  return {
    async find(id) {
      const grant = grantOf(currentUnit())
      return grant?.id === id ? grantPayload(grant) : undefined
    },

    /** Its code was made earlier in the same run. */
    async upsert(id, payload) {
      const unit = currentUnit()
      const { code, grantEndsAt: endsAt, grantResource: resource } = unit
      if (code === undefined) throw new TypeError('a grant is made for a code')
      const end = endsAt === undefined ? {} : { endsAt }
      const target = resource === undefined ? {} : { resource }
      const createdAt = services.clock.now()
      const value = { id, ...readGrant(payload), createdAt, ...end, ...target, code }
      const key = grantKey(unit.instance.id, id)
      unit.grant = {
        key,
        record: undefined,
        next: { value, expiresAt: notAfterEnd(value, code.expiresAt) },
      }
    },

    // SPEC: oauth.md 6.2 row 12 - a code that comes again ends its grant and all that came of it.
    async destroy(id) {
      const unit = currentUnit()
      await guarded(unit, () => revokeGrant(services, unit.instance, id, 'code replayed'))
    },
  }
}

// What the engine needs to find again of each model, and no more: it copies every member several times a request.
// Dates are left out: the records decide expiry (D66). So is the account: an instance has one.

function grantPayload({ id, clientId, scope }: GrantRecord): AdapterPayload {
  return { jti: id, clientId, resources: { [RESOURCE]: scope } }
}

function codePayload(grant: GrantRecord, jti: string): AdapterPayload {
  const { challenge, consumedAt, redirectUri } = grant.code
  return {
    ...tokenPayload(grant, jti),
    redirectUri,
    ...(challenge === undefined ? {} : { codeChallenge: challenge, codeChallengeMethod: 'S256' }),
    ...(consumedAt === undefined ? {} : { consumed: Math.floor(consumedAt / 1000) }),
  }
}

function refreshTokenPayload(grant: GrantRecord, jti: string): AdapterPayload {
  return tokenPayload(grant, jti)
}

function tokenPayload({ id, clientId, scope }: GrantRecord, jti: string): AdapterPayload {
  return { jti, clientId, grantId: id, resource: RESOURCE, scope }
}

function registrationTokenPayload(
  { clientId }: RegistrationTokenRecord,
  jti: string,
): AdapterPayload {
  return { jti, clientId }
}

// And the other way round: what we keep of what it saves.

function readGrant(payload: AdapterPayload): Pick<GrantRecord, 'clientId' | 'scope'> {
  // Its type in the engine's declarations is empty.
  const resources = payload.resources as Readonly<Record<string, string>> | undefined
  const scope = resources?.[RESOURCE]
  if (scope === undefined) throw new TypeError('a grant has a scope')
  return { clientId: textOf(payload, 'clientId'), scope }
}

function readCode(payload: AdapterPayload): Pick<CodeRecord, 'challenge' | 'redirectUri'> {
  const redirectUri = textOf(payload, 'redirectUri')
  const { codeChallenge } = payload
  return codeChallenge === undefined ? { redirectUri } : { redirectUri, challenge: codeChallenge }
}

function readRegistrationToken(payload: AdapterPayload): RegistrationTokenRecord {
  return { clientId: textOf(payload, 'clientId') }
}

/** A member that the engine always saves. */
function textOf(payload: AdapterPayload, name: keyof AdapterPayload): string {
  const value: unknown = payload[name]
  if (typeof value !== 'string') throw new TypeError(`the engine saved no ${String(name)}`)
  return value
}
