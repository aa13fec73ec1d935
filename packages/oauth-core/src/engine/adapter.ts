import type { Key, Store } from '@svc/store'
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'
import type { ClientCache } from './client-cache.ts'
import type { ClientRecords, EngineMetadata } from './client-records.ts'
import { readRegistrationToken, registrationTokenPayload } from './payloads.ts'
import { registrationIndex, registrationTokenKey, type RegistrationTokenRecord } from './records.ts'
import {
  codeModel,
  grantModel,
  type Model,
  type ModelOptions,
  nothing,
  refreshTokenModel,
} from './token-models.ts'
import { readRecord, type Unit } from './unit-of-work.ts'

export interface AdapterOptions extends ModelOptions {
  readonly store: Store
  readonly clients: ClientRecords
  readonly clientCache: ClientCache
}

/**
 * The engine's door to the store (D8): one for all instances, since each run's unit knows its own. Nothing is
 * written here: changes join the unit and are written together, with the conditions that make them happen once.
 */
export function createAdapter(options: AdapterOptions): AdapterFactory {
  const models: Readonly<Record<string, Model>> = {
    // Not stored: the bridge signs what the client gets (D69), and the guard looks at its grant.
    AccessToken: { find: nothing, upsert: nothing, revokeByGrantId: nothing },
    AuthorizationCode: codeModel(options),
    Client: clientModel(options),
    Grant: grantModel(options),
    RefreshToken: refreshTokenModel(options),
    RegistrationAccessToken: registrationTokenModel(options),
  }
  return (name) => {
    const model = models[name]
    if (model === undefined) throw new TypeError(`the engine has no use for the model ${name}`)
    return { ...REFUSING, ...model }
  }
}

function clientModel({ store, units, clients, clientCache }: AdapterOptions): Model {
  const locate = (unit: Unit, id: string): Key => clients.keyOf(unit.instance, id)

  return {
    async find(id) {
      const unit = units.current()
      const record = await readRecord(store, unit, locate(unit, id))
      return record === undefined ? undefined : clientCache.read(unit.instance, record).metadata
    },

    async upsert(id, payload) {
      const unit = units.current()
      const previous = unit.records.get(locate(unit, id))
      // Native metadata of a confidential client holds its id and secret.
      const metadata = payload as AdapterPayload & EngineMetadata
      unit.changes.push(...clients.toChanges(unit.instance, metadata, previous))
    },

    async destroy(id) {
      const unit = units.current()
      const previous = await readRecord(store, unit, locate(unit, id))
      if (previous !== undefined) unit.changes.push(...clients.toDeletion(unit.instance, previous))
    },
  }
}

function registrationTokenModel({ store, units }: AdapterOptions): Model {
  const locate = (unit: Unit, value: string) => registrationTokenKey(unit.instance.id, value)

  return {
    async find(value) {
      const unit = units.current()
      const record = await readRecord<RegistrationTokenRecord>(store, unit, locate(unit, value))
      return record === undefined ? undefined : registrationTokenPayload(record.value, value)
    },

    async upsert(value, payload) {
      const unit = units.current()
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
      const unit = units.current()
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
