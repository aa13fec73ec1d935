import type { Instance } from '@svc/platform'
import type { Revision, StoredRecord } from '@svc/store'
import { LRUCache } from 'lru-cache'
import type { AllClientMetadata } from 'oidc-provider'
import { isPublic } from '../clients/client.ts'
import type { ClientStore, EngineClient } from '../clients/client-store.ts'

/** A client with the form that the engine reads. */
export interface ParsedClient extends EngineClient {
  readonly metadata: AllClientMetadata
}

/** Opens stored clients; the parsed form is kept as long as the record's revision is the same. */
export class ParsedClients {
  readonly #clients: Pick<ClientStore, 'read'>
  readonly #cache: LRUCache<string, { revision: Revision; parsed: ParsedClient }>

  /** @param size - clients whose parsed form is kept */
  constructor(clients: Pick<ClientStore, 'read'>, size: number) {
    this.#clients = clients
    this.#cache = new LRUCache({ max: size })
  }

  read(instance: Instance, record: StoredRecord): ParsedClient {
    const cached = this.#cache.get(record.key)
    if (cached?.revision === record.revision) return cached.parsed
    const client = this.#clients.read(instance, record)
    const parsed = { ...client, metadata: toMetadata(client) }
    this.#cache.set(record.key, { revision: record.revision, parsed })
    return parsed
  }
}

function toMetadata({ client, secret }: EngineClient): AllClientMetadata {
  return {
    ...client.metadata,
    ...serverMetadata(client.metadata.redirect_uris, isPublic(client)),
    client_id: client.id,
    ...(isPublic(client) ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    redirect_uris: [...client.metadata.redirect_uris],
  }
}

/** What a client never chooses. @see oauth.md 13.2 R5 */
export function serverMetadata(
  redirectUris: readonly string[],
  isOpen: boolean,
): AllClientMetadata {
  const isWeb = redirectUris.every((uri) => /^https?:/i.test(uri))
  return {
    // `web` compares redirect URIs exactly; `native` is what admits other schemes.
    application_type: isWeb ? 'web' : 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: isOpen ? 'none' : 'client_secret_post',
  }
}
