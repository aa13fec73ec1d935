import type { Change, Key, StoredRecord } from '@svc/store'
import type { Client } from '../clients/client.ts'
import type { Instance } from '@svc/platform'

/** A stored client, with its secret in clear. Lives in memory only. */
export interface EngineClient {
  readonly client: Client
  readonly secret: string
}

/** What the engine registered or changed: names of RFC 7591, values checked by it. */
export type EngineMetadata = Readonly<Record<string, unknown>> & {
  readonly client_id: string
  readonly client_secret: string
}

/**
 * How the engine reaches the clients: the client store implements it. It hands over records and changes instead of
 * reading and writing, so that a request reads a client together with its token and writes it together with what
 * belongs to it.
 */
export interface ClientRecords {
  /** Where a client is stored. Only asked for identifiers of 1 to 128 letters, digits and `-`. */
  keyOf(instance: Instance, clientId: string): Key
  /** Opens a stored client. The engine keeps the answer as long as the record's revision is the same. */
  read(instance: Instance, record: StoredRecord): EngineClient
  /**
   * The changes that store a client: all that belongs into the one write, with the condition that nobody changed it
   * meanwhile (`previous` as it was read; absent: a new client, demanding absence).
   */
  toChanges(
    instance: Instance,
    metadata: EngineMetadata,
    previous: StoredRecord | undefined,
  ): readonly Change[]
  /** The changes that remove the client's own records; grants and tokens are the engine's to remove. */
  toDeletion(instance: Instance, previous: StoredRecord): readonly Change[]
}
