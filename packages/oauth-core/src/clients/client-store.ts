import { AsyncLocalStorage } from 'node:async_hooks'
import type { Instance, Sealer } from '@svc/platform'
import type { Change, Page, PageRequest, Revision, Store, StoredRecord } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import { type Client, type ClientMetadata, isUnnamed } from './client.ts'
import { freeName, keepName, type NameClaim } from './client-names.ts'
import {
  clientEntries,
  clientKey,
  type ClientRecord,
  clientsIndex,
  connectedIndex,
  describedIndex,
  deviceIndex,
  formerNameOf,
  idleIndex,
  isClientId,
  notifiableIndex,
  ownsName,
  pendingIndex,
  pendingPublicIndex,
  secretContext,
  toClient,
} from './client-record.ts'
import { deviceOf } from './device-token.ts'
import { PendingChecks } from './pending-checks.ts'

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
  /** Is told what will be stored, before it is written. */
  readonly onReady?: (ready: EngineClient) => void
}

/** What a rule may change of a stored client. */
export type ClientChange = Partial<
  Pick<
    Client,
    | 'certifiedFromStore'
    | 'document'
    | 'flagship'
    | 'formerName'
    | 'isIdle'
    | 'isSeen'
    | 'keepUntil'
    | 'metadata'
    | 'os'
    | 'pending'
    | 'unnamed'
    | 'webPushKey'
  >
>

export type ClientList =
  | 'all'
  | 'connected'
  | 'described'
  | 'idle'
  | 'notifiable'
  | 'pending'
  | 'pendingPublic'

/** A client as it is stored or about to be, with its secret in clear. Lives in memory only. */
export interface EngineClient {
  readonly client: Client
  readonly secret: string
}

/** What the engine registered or changed: names of RFC 7591, values checked by it. */
export type EngineMetadata = Readonly<Record<string, unknown>> & {
  readonly client_id: string
  /** Absent: a client without one. */
  readonly client_secret?: string
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
  readonly clock: { now(): number }
  readonly lifetimes: Pick<Lifetimes, 'pendingClientMs'>
}

const PAGE = 100

const INDEXES = {
  all: clientsIndex,
  connected: connectedIndex,
  described: describedIndex,
  idle: idleIndex,
  notifiable: notifiableIndex,
  pending: pendingIndex,
  pendingPublic: pendingPublicIndex,
} as const

/**
 * Records of clients, and the engine's way to them. The engine is handed records and changes instead of reading and
 * writing, so that a request reads a client together with its token and writes it together with what belongs to it.
 */
export class ClientStore {
  readonly pendingChecks: PendingChecks
  /** Digest of the key that browsers subscribe to web pushes with now. */
  webPushKey: string | undefined
  readonly #options: ClientStoreOptions
  /** The engine stores clients in the middle of its own flow: this carries what it does not know of. */
  readonly #writes = new AsyncLocalStorage<ClientWrite>()

  constructor(options: ClientStoreOptions) {
    this.#options = options
    this.pendingChecks = new PendingChecks(options.store, options.clock, options.lifetimes)
  }

  /** The record as it is stored now; undefined for anything that is no client. */
  async find(instance: Instance, id: string): Promise<Client | undefined> {
    const record = await this.#get(instance, id)
    return record === undefined ? undefined : toClient(record.key, record.value)
  }

  /** The same with its revision, and its secret in clear. */
  async open(instance: Instance, id: string): Promise<OpenClient | undefined> {
    const record = await this.#get(instance, id)
    if (record === undefined) return undefined
    const client = toClient(record.key, record.value)
    const secret = this.#openSecret(instance, client.id, record.value.secret)
    return { client, revision: record.revision, secret }
  }

  /**
   * Changes a client, again when another writer came first; the rule answers undefined to leave it as it is.
   * Undefined when the client is gone.
   * @param also - what has to be written together with it, asked at each try
   */
  async change(
    instance: Instance,
    id: string,
    rule: (client: Client) => ClientChange | undefined,
    also: (client: Client) => Promise<readonly Change[]> = async () => [],
  ): Promise<Client | undefined> {
    const { store, clock } = this.#options
    for (;;) {
      const record = await this.#get(instance, id)
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

  /** Stores a client that a document describes, waiting to be allowed; one that is there stays as it is. */
  async describe(instance: Instance, client: Client): Promise<void> {
    const { id, ...rest } = client
    const secret = this.#options.sealer.seal('', secretContext(instance.id, id))
    // A type made of JSON, but for the index signature.
    const value = { ...rest, secret } as ClientRecord
    await this.#options.store.write([{ ...put(instance, id, value), ifAbsent: true }])
  }

  /**
   * Removes the record, when the rule agrees with what is stored. The removed client, or undefined.
   * @param also - what has to be written together with it, asked at each try
   */
  async remove(
    instance: Instance,
    id: string,
    rule?: (client: Client) => boolean,
    also: (client: Client) => readonly Change[] = () => [],
  ): Promise<Client | undefined> {
    for (;;) {
      const record = await this.#get(instance, id)
      if (record === undefined) return undefined
      const client = toClient(record.key, record.value)
      if (rule?.(client) === false) return undefined
      const deletion = this.toDeletion(instance, record)
      const { written } = await this.#options.store.write([...deletion, ...also(client)])
      if (written) return client
    }
  }

  async list(instance: Instance, which: ClientList, page: PageRequest): Promise<ListedClients> {
    const index = INDEXES[which](instance.id)
    const { records, cursor }: Page<ClientRecord> = await this.#options.store.list(index, page)
    const clients = records.map(({ key, value }) => toClient(key, value))
    return cursor === undefined ? { clients } : { clients, cursor }
  }

  /** How many a list has. */
  count(instance: Instance, which: ClientList): Promise<number> {
    return this.#options.store.count(INDEXES[which](instance.id))
  }

  /** All clients of a list, newest first, page by page. */
  async *pages(instance: Instance, which: ClientList): AsyncGenerator<readonly Client[]> {
    let cursor: string | undefined
    do {
      const after = cursor === undefined ? {} : { cursor }
      const page = await this.list(instance, which, { limit: PAGE, order: 'desc', ...after })
      yield page.clients
      cursor = page.cursor
    } while (cursor !== undefined)
  }

  /** The whole of a list that has a bound, newest first. */
  async all(instance: Instance, which: ClientList): Promise<readonly Client[]> {
    const found: Client[] = []
    for await (const page of this.pages(instance, which)) found.push(...page)
    return found
  }

  /** Clients that hold this device token now; at most 100. */
  async listOfDevice(
    instance: Instance,
    platform: string,
    token: string,
  ): Promise<readonly Client[]> {
    const index = deviceIndex(instance.id, platform, token)
    const { records } = await this.#options.store.list<ClientRecord>(index)
    return records.map(({ key, value }) => toClient(key, value))
  }

  /** Runs the engine; the client it stores meanwhile is this one. */
  storing<Result>(write: ClientWrite, run: () => Promise<Result>): Promise<Result> {
    return this.#writes.run(write, run)
  }

  /** Opens a stored client. The engine keeps the answer as long as the record's revision is the same. */
  read(instance: Instance, record: StoredRecord): EngineClient {
    const value = record.value as ClientRecord // Stored by `put`.
    const client = toClient(record.key, value)
    return { client, secret: this.#openSecret(instance, client.id, value.secret) }
  }

  /**
   * The changes that store a client: all that belongs into the one write, with the condition that nobody changed it
   * meanwhile (`previous` as it was read; absent: a new client, demanding absence).
   */
  toChanges(
    instance: Instance,
    { client_id: id, client_secret: secret = '' }: EngineMetadata,
    previous: StoredRecord | undefined,
  ): readonly Change[] {
    const write = this.#writes.getStore()
    if (write === undefined) throw new Error('the engine stores clients within storing() only')
    // Stored by `put`.
    const old = previous?.value as ClientRecord | undefined
    const value = this.#merge(instance, id, old, { ...write, secret })
    write.onReady?.({ client: toClient(clientKey(instance.id, id), value), secret })
    const changes: Change[] = []
    if (old === undefined) changes.push({ ...put(instance, id, value), ifAbsent: true })
    else if (write.revision === undefined) throw new Error('an update names its revision')
    else changes.push({ ...put(instance, id, value), ifRevision: write.revision })
    changes.push(...(write.also ?? []))
    if (write.name !== undefined) {
      changes.push(keepName(instance.id, write.name, id))
      if (old !== undefined && ownsName(old))
        changes.push(freeName(instance.id, old.metadata.client_name))
    }
    return changes
  }

  /** The changes that remove the client's own records; grants and tokens are the engine's to remove. */
  toDeletion(instance: Instance, previous: StoredRecord): readonly Change[] {
    // Stored by `put`.
    const record = previous.value as ClientRecord
    return [
      { op: 'delete', key: previous.key, ifRevision: previous.revision },
      ...(ownsName(record) ? [freeName(instance.id, record.metadata.client_name)] : []),
      ...(this.#writes.getStore()?.also ?? []),
    ]
  }

  async #get(instance: Instance, id: string): Promise<StoredRecord<ClientRecord> | undefined> {
    if (!isClientId(id)) return undefined
    return this.#options.store.get<ClientRecord>(clientKey(instance.id, id))
  }

  #openSecret(instance: Instance, id: string, sealed: string): string {
    return this.#options.sealer.open(sealed, secretContext(instance.id, id)).toString()
  }

  #merge(
    instance: Instance,
    id: string,
    old: ClientRecord | undefined,
    write: ClientWrite & { readonly secret: string },
  ): ClientRecord {
    const now = this.#options.clock.now()
    // A type made of JSON, but for the index signature.
    const metadata = write.metadata as ClientRecord['metadata']
    const isSameSecret =
      old !== undefined && this.#openSecret(instance, id, old.secret) === write.secret
    const secret = isSameSecret
      ? old.secret
      : this.#options.sealer.seal(write.secret, secretContext(instance.id, id))
    if (old === undefined) {
      const flags = { pending: true, flagship: false, certifiedFromStore: false }
      const given = metadata.notification_device_token === undefined ? {} : { deviceTokenAt: now }
      const unnamed = isUnnamed(write.metadata) ? { unnamed: {} } : {}
      const more = { ...given, ...unnamed, ...this.#keyOf(metadata) }
      return { metadata, secret, ...flags, createdAt: now, updatedAt: now, ...more }
    }
    // SPEC: D21 - what was certified is the app behind the registered addresses.
    const isMoved = !isSameList(old.metadata.redirect_uris, metadata.redirect_uris)
    const certification = isMoved ? { flagship: false, certifiedFromStore: false } : {}
    const given = write.isDeviceTokenGiven === true ? { deviceTokenAt: now } : {}
    const { unnamed = {}, webPushKey, ...kept } = old
    const flag = isUnnamed(write.metadata) ? { unnamed } : {}
    // The same subscription once more was made with the key of before.
    const isSame = isSameDevice(old.metadata, metadata)
    const key = isSame ? webPushKey !== undefined && { webPushKey } : this.#keyOf(metadata)
    const formerName = formerNameOf(old, metadata.client_name)
    const more = { ...certification, ...given, ...flag, ...key }
    return { ...kept, ...more, metadata, formerName, secret, updatedAt: now }
  }

  #keyOf(metadata: ClientMetadata): Pick<ClientRecord, 'webPushKey'> {
    const { webPushKey } = this
    const isNeeded = deviceOf(metadata)?.platform === 'webpush'
    return isNeeded && webPushKey !== undefined ? { webPushKey } : {}
  }
}

function isSameDevice(one: ClientMetadata, other: ClientMetadata): boolean {
  return (
    one.notification_platform === other.notification_platform &&
    one.notification_device_token === other.notification_device_token
  )
}

function put(
  instance: Instance,
  id: string,
  value: ClientRecord,
): Extract<Change, { readonly op: 'put' }> {
  const key = clientKey(instance.id, id)
  return { op: 'put', key, value, indexes: clientEntries(instance.id, id, value) }
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, position) => text === b[position])
}
