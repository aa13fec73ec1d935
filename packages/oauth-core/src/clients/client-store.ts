import { AsyncLocalStorage } from 'node:async_hooks'
import type { Change, Page, PageRequest, Revision, Store, StoredRecord } from '@svc/store'
import type { ClientRecords } from '../engine/client-records.ts'
import type { Instance, Sealer } from '@svc/platform'
import type { Client, ClientMetadata } from './client.ts'
import type { ClientNames, NameClaim } from './client-names.ts'
import {
  clientEntries,
  clientKey,
  type ClientRecord,
  clientsIndex,
  connectedIndex,
  deviceIndex,
  isClientId,
  notifiableIndex,
  pendingIndex,
  secretContext,
  toClient,
} from './client-record.ts'

/** What a registration or an update stores, beside what the engine decides. */
export interface ClientWrite {
  /** As checked; the engine's copy of it is not looked at. */
  readonly metadata: ClientMetadata
  /** Whether the device token is among what the client gave now. */
  readonly isDeviceTokenGiven?: boolean
  /** The name, when it is a new one. */
  readonly name?: NameClaim
  /** Of an update: the revision that the metadata was made from (D21). */
  readonly revision?: Revision
  /** What has to be written together with it. */
  readonly also?: readonly Change[]
}

/** What a rule may change of a stored client. */
export type ClientChange = Partial<
  Pick<Client, 'metadata' | 'pending' | 'flagship' | 'certifiedFromStore' | 'os'>
>

export type ClientList = 'all' | 'pending' | 'connected' | 'notifiable'

/** Records of clients, and the engine's door to them. */
export interface ClientStore extends ClientRecords {
  /** The record as it is stored now; undefined for anything that is no client. */
  find(instance: Instance, id: string): Promise<Client | undefined>
  /** The same with its revision, and its secret in clear. */
  open(instance: Instance, id: string): Promise<OpenClient | undefined>
  /** Runs the engine; the client it stores meanwhile is this one. */
  storing<Result>(write: ClientWrite, run: () => Promise<Result>): Promise<Result>
  /**
   * Changes a client, again when another writer came first; the rule answers undefined to leave it as it is.
   * Undefined when the client is gone.
   * @param also - what has to be written together with it, asked at each try
   */
  change(
    instance: Instance,
    id: string,
    rule: (client: Client) => ClientChange | undefined,
    also?: (client: Client) => Promise<readonly Change[]>,
  ): Promise<Client | undefined>
  list(instance: Instance, which: ClientList, page: PageRequest): Promise<ListedClients>
  /** Clients that hold this device token now; at most 100. */
  listOfDevice(instance: Instance, platform: string, token: string): Promise<readonly Client[]>
  /** Removes the record, when the rule agrees with what is stored. The removed client, or undefined. */
  remove(
    instance: Instance,
    id: string,
    rule?: (client: Client) => boolean,
  ): Promise<Client | undefined>
}

/** A client as one read found it, its secret in clear. Lives in memory only. */
export interface OpenClient {
  readonly client: Client
  readonly revision: Revision
  readonly secret: string
}

export interface ListedClients {
  readonly clients: readonly Client[]
  readonly cursor?: string
}

export interface ClientStoreOptions {
  readonly store: Store
  readonly sealer: Sealer
  readonly names: ClientNames
  readonly clock: { now(): number }
}

const INDEXES = {
  all: clientsIndex,
  connected: connectedIndex,
  notifiable: notifiableIndex,
  pending: pendingIndex,
} as const

export function createClientStore(options: ClientStoreOptions): ClientStore {
  const { store, sealer, names, clock } = options
  // The engine stores clients in the middle of its own flow: this carries what it does not know of.
  const writes = new AsyncLocalStorage<ClientWrite>()

  async function get(instance: Instance, id: string) {
    return isClientId(id) ? store.get<ClientRecord>(clientKey(instance.id, id)) : undefined
  }

  function put(instance: Instance, id: string, value: ClientRecord) {
    const key = clientKey(instance.id, id)
    return { op: 'put', key, value, indexes: clientEntries(instance.id, id, value) } as const
  }

  function openSecret(instance: Instance, id: string, sealed: string): string {
    return sealer.open(sealed, secretContext(instance.id, id)).toString()
  }

  function toChanges(
    instance: Instance,
    engine: { readonly client_id: string; readonly client_secret: string },
    previous: StoredRecord | undefined,
  ): readonly Change[] {
    const write = writes.getStore()
    if (write === undefined) throw new Error('the engine stores clients within storing() only')
    const { client_id: id, client_secret: secret } = engine
    // Stored by `put`.
    const old = previous?.value as ClientRecord | undefined
    const value = merge(instance, id, old, { ...write, secret })
    const changes: Change[] = []
    if (old === undefined) changes.push({ ...put(instance, id, value), ifAbsent: true })
    else if (write.revision === undefined) throw new Error('an update names its revision')
    else changes.push({ ...put(instance, id, value), ifRevision: write.revision })
    changes.push(...(write.also ?? []))
    if (write.name !== undefined) {
      changes.push(names.keep(instance.id, write.name, id))
      if (old !== undefined) changes.push(names.free(instance.id, old.metadata.client_name))
    }
    return changes
  }

  function merge(
    instance: Instance,
    id: string,
    old: ClientRecord | undefined,
    write: ClientWrite & { readonly secret: string },
  ): ClientRecord {
    const now = clock.now()
    // A type made of JSON, but for the index signature.
    const metadata = write.metadata as ClientRecord['metadata']
    const isSameSecret = old !== undefined && openSecret(instance, id, old.secret) === write.secret
    const secret = isSameSecret
      ? old.secret
      : sealer.seal(write.secret, secretContext(instance.id, id))
    if (old === undefined) {
      const flags = { pending: true, flagship: false, certifiedFromStore: false }
      const given = metadata.notification_device_token === undefined ? {} : { deviceTokenAt: now }
      return { metadata, secret, ...flags, createdAt: now, updatedAt: now, ...given }
    }
    // SPEC: D21 - what was certified is the app behind the registered addresses.
    const isMoved = !isSameList(old.metadata.redirect_uris, metadata.redirect_uris)
    const certification = isMoved ? { flagship: false, certifiedFromStore: false } : {}
    const given = write.isDeviceTokenGiven === true ? { deviceTokenAt: now } : {}
    return { ...old, ...certification, ...given, metadata, secret, updatedAt: now }
  }

  function toDeletion(instance: Instance, previous: StoredRecord): readonly Change[] {
    // Stored by `put`.
    const { metadata } = previous.value as ClientRecord
    return [
      { op: 'delete', key: previous.key, ifRevision: previous.revision },
      names.free(instance.id, metadata.client_name),
    ]
  }

  async function change(
    instance: Instance,
    id: string,
    rule: (client: Client) => ClientChange | undefined,
    also: (client: Client) => Promise<readonly Change[]> = async () => [],
  ): Promise<Client | undefined> {
    for (;;) {
      const record = await get(instance, id)
      if (record === undefined) return undefined
      const client = toClient(record.key, record.value)
      const changes = rule(client)
      if (changes === undefined) return client
      const metadata = changes.metadata ?? record.value.metadata
      const now = clock.now()
      // A type made of JSON, but for the index signature.
      const value = { ...record.value, ...changes, metadata, updatedAt: now } as ClientRecord
      const ifRevision = record.revision
      const others = await also(client)
      const { written } = await store.write([
        { ...put(instance, id, value), ifRevision },
        ...others,
      ])
      if (written) return toClient(record.key, value)
    }
  }

  return {
    keyOf: (instance, id) => clientKey(instance.id, id),
    read(instance, record) {
      const value = record.value as ClientRecord // Stored by `put`.
      const client = toClient(record.key, value)
      return { client, secret: openSecret(instance, client.id, value.secret) }
    },
    toChanges,
    toDeletion,

    async find(instance, id) {
      const record = await get(instance, id)
      return record === undefined ? undefined : toClient(record.key, record.value)
    },
    async open(instance, id) {
      const record = await get(instance, id)
      if (record === undefined) return undefined
      const client = toClient(record.key, record.value)
      const secret = openSecret(instance, client.id, record.value.secret)
      return { client, revision: record.revision, secret }
    },
    storing: (write, run) => writes.run(write, run),
    change,

    async list(instance, which, page) {
      const index = INDEXES[which](instance.id)
      const { records, cursor }: Page<ClientRecord> = await store.list(index, page)
      const clients = records.map(({ key, value }) => toClient(key, value))
      return cursor === undefined ? { clients } : { clients, cursor }
    },

    async listOfDevice(instance, platform, token) {
      const index = deviceIndex(instance.id, platform, token)
      const { records } = await store.list<ClientRecord>(index)
      return records.map(({ key, value }) => toClient(key, value))
    },

    async remove(instance, id, rule) {
      for (;;) {
        const record = await get(instance, id)
        if (record === undefined) return undefined
        const client = toClient(record.key, record.value)
        if (rule?.(client) === false) return undefined
        const { written } = await store.write(toDeletion(instance, record))
        if (written) return client
      }
    },
  }
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, position) => text === b[position])
}
