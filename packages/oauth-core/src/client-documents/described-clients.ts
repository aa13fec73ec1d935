import { setTimeout as delay } from 'node:timers/promises'
import { type Instance, type Parameters, SECOND_MS } from '@svc/platform'
import type { Change } from '@svc/store'
import type { Client } from '../clients/client.ts'
import { formerNameOf } from '../clients/client-record.ts'
import type { ClientChange } from '../clients/client-store.ts'
import type { ClientProof, DescribedClients } from '../engine/described-clients.ts'
import { revokeGrants } from '../engine/grant.ts'
import { OAuthError } from '../errors.ts'
import { BY_SERVER } from '../registration/activity-source.ts'
import { changeClient, noteChange } from '../registration/change-client.ts'
import type { OAuthServices } from '../services.ts'
import type { FoundDocument } from '../clients/client-document.ts'
import type { ClientDocuments } from './client-documents.ts'
import { DocumentError } from './document-error.ts'
import { hostOfClientId } from './identifier.ts'
import { ASSERTION_TYPE, useAssertion, verifyAssertion } from './keys/client-assertion.ts'
import type { ClientKeys } from './keys/client-keys.ts'
import type { ClientKey } from './keys/key-set.ts'
import { SharedRuns } from './shared-runs.ts'
import { isGone } from '../clients/kept-snapshots.ts'
import { isToBeChecked, readAnew } from './snapshot.ts'

/** How long a refresh waits for a document. @see assistants.md 2.8 */
const WAIT_MS = SECOND_MS
const NO_KEYS_RETRY_S = 60

interface Parts {
  readonly documents: ClientDocuments
  readonly keys: ClientKeys
  /** What the package is made of, once it is. */
  readonly services: () => OAuthServices
}

/** Clients that documents describe, as the token endpoint and guards ask for them. */
export class Described implements DescribedClients {
  readonly #parts: Parts
  /** One look at a time of a client, in a process. */
  readonly #checks = new SharedRuns<void>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  isAllowedHost(host: string): boolean {
    return this.#parts.documents.isAllowed(host)
  }

  find(instance: Instance, url: string): Promise<FoundDocument> {
    return this.#parts.documents.find(instance, url)
  }

  isAllowed({ document }: Client): boolean {
    return document === undefined || this.isAllowedHost(hostOfClientId(document.url))
  }

  async beforeRefresh(instance: Instance, clientId: string): Promise<void> {
    const { clients, clock } = this.#parts.services()
    const client = await clients.find(instance, clientId)
    if (client?.document === undefined || !isToBeChecked(client.document, clock.now())) return
    await Promise.race([this.#check(instance, client), delay(WAIT_MS, undefined, { ref: false })])
  }

  async proofOf(
    instance: Instance,
    { document }: Client,
    form: Pick<Parameters, 'text'>,
  ): Promise<ClientProof> {
    if (document === undefined || document.authentication === 'none') return 'none'
    const { url, keys = [], keysUri, isKeyOptional } = document
    const assertion = form.text('client_assertion')
    const type = form.text('client_assertion_type')
    if (isKeyOptional === true && assertion === '' && type === '') return 'none'
    if (type !== ASSERTION_TYPE || assertion === '') return 'wrong'
    const { clock, store } = this.#parts.services()
    const proved = await verifyAssertion(assertion, {
      url,
      issuer: instance.origin,
      now: clock.now(),
      keysOf: (kid) =>
        keysUri === undefined
          ? Promise.resolve(keys)
          : this.#keysAt(instance, { url, keysUri }, kid),
    })
    const isUsed = proved !== undefined && (await useAssertion(store, instance.id, url, proved))
    return isUsed ? 'key' : 'wrong'
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await this.#checks.idle()
  }

  async #keysAt(
    instance: Instance,
    at: { readonly url: string; readonly keysUri: string },
    kid: string | undefined,
  ): Promise<readonly ClientKey[]> {
    try {
      return await this.#parts.keys.find(instance, at, kid)
    } catch (error) {
      const isOurs = error instanceof DocumentError || OAuthError.is(error, 'too_many_lookups')
      if (!isOurs) throw error
      // The client is not asked to register anew for a fault of its own server.
      throw new OAuthError('temporarily_unavailable', {
        retryAfterS: NO_KEYS_RETRY_S,
        detail: `keys of ${hostOfClientId(at.url)}: ${error.message}`,
      })
    }
  }

  #check(instance: Instance, client: Client): Promise<void> {
    return this.#checks.run(`${instance.id}:${client.id}`, () =>
      this.#look(instance, client).catch((cause: unknown) => {
        const { log } = this.#parts.services()
        const { domain } = instance
        log.warn('cimd.check_failed', { domain, clientId: client.id, cause: String(cause) })
      }),
    )
  }

  async #look(instance: Instance, { id, document }: Client): Promise<void> {
    const services = this.#parts.services()
    if (document === undefined) return
    try {
      const found = await this.#parts.documents.find(instance, document.url)
      await applyDocument(services, instance, id, found)
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error
      await this.#noteFailure(instance, id)
    }
  }

  /** SPEC: assistants.md 2.9 - a snapshot is good for 14 days without its document. */
  async #noteFailure(instance: Instance, id: string): Promise<void> {
    const services = this.#parts.services()
    const now = services.clock.now()
    const client = await changeClient(services, instance, id, ({ document }) =>
      document === undefined ? undefined : { document: { ...document, checkedAt: now } },
    )
    if (client?.document === undefined || !isGone(client.document, now)) return
    await revokeGrants(services.engine, instance, id, 'client_gone')
  }
}

/**
 * Puts what a document says now into the record of its client, and ends what must not go on.
 * @returns the client as it is now; undefined: there is none
 * @see assistants.md 2.9
 */
export async function applyDocument(
  services: OAuthServices,
  instance: Instance,
  id: string,
  found: FoundDocument,
): Promise<Client | undefined> {
  const { clock, engine, log } = services
  let isWeaker = false
  let areKeysReplaced = false
  let isOther = false
  const rule = (client: Client): ClientChange | undefined => {
    const { document, metadata } = client
    if (document === undefined) return undefined
    const anew = readAnew(found, document, clock.now())
    isWeaker = anew.isWeaker
    areKeysReplaced = anew.areKeysReplaced
    isOther = document.digest !== found.digest
    const isKnown = !isOther && document.fetchedAt >= found.fetchedAt
    if (isKnown && !isToBeChecked(document, clock.now())) return undefined
    const { token_endpoint_auth_method: method = 'none' } = metadata
    return {
      document: anew.snapshot,
      formerName: formerNameOf(client, anew.metadata.client_name),
      metadata: { ...anew.metadata, token_endpoint_auth_method: method },
    }
  }
  // Only another name is the owner's: documents change in small things.
  const note = async (client: Client): Promise<readonly Change[]> =>
    client.metadata.client_name === found.document.name
      ? []
      : noteChange(services, instance, client, found.document.name, BY_SERVER)
  const client = await changeClient(services, instance, id, rule, note)
  if (client === undefined || !isOther) return client
  const { domain } = instance
  const host = hostOfClientId(found.document.clientId)
  log.info('cimd.changed', { domain, clientId: id, host, areKeysReplaced, isWeaker })
  // SPEC: assistants.md 2.9 - the owner sees it between what the client did.
  if (areKeysReplaced) await services.calls.recordEvent(instance.id, id, 'keys_replaced')
  if (isWeaker) await revokeGrants(engine, instance, id, 'weaker_authentication')
  return client
}
