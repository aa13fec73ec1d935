import type { Instance } from '@svc/platform'
import { documentClientId, isUrlClientId } from '../clients/client-document.ts'
import type { Client, ClientId } from '../clients/client.ts'
import { applyDocument } from '../client-documents/described-clients.ts'
import {
  DocumentError,
  hostRefused,
  isPassing,
  unverifiable,
} from '../client-documents/document-error.ts'
import {
  findIdentifierFault,
  hostOfClientId,
  isOwnIdentifier,
} from '../client-documents/identifier.ts'
import {
  dropSnapshot,
  findSnapshot,
  isGone,
  type TakenDocument,
} from '../clients/kept-snapshots.ts'
import { takeDocument } from '../client-documents/snapshot.ts'
import { OAuthError } from '../errors.ts'
import type { OAuthServices } from '../services.ts'
import type { AuthorizeDraft } from './authorize-request.ts'
import { authorizeError } from './page-texts.ts'

// Clients that a document describes. Nothing here calls anybody before the owner is known. @see assistants.md 2.2

/** SPEC: assistants.md 2.14 */
const MAX_DESCRIBED = 200

/** Whether the request names its client by the address of a document, and such clients are known here. */
export function isDescribed(
  { parameters }: Pick<AuthorizeDraft, 'parameters'>,
  { resources }: Pick<OAuthServices, 'resources'>,
): boolean {
  return resources.open !== undefined && isUrlClientId(parameters.text('client_id'))
}

/** What the address itself says, before anything is fetched. @see assistants.md 2.1, 2.10 */
export async function checkIdentifier(
  { instance, parameters }: AuthorizeDraft,
  { engine, instances }: Pick<OAuthServices, 'engine' | 'instances'>,
): Promise<void> {
  const url = parameters.text('client_id')
  const isFaulty = findIdentifierFault(url, instance.origin) !== undefined
  if (isFaulty || (await isOwnIdentifier(url, instance, instances)))
    throw authorizeError('clientAddressInvalid')
  const host = hostOfClientId(url)
  if (!engine.described.isAllowedHost(host)) throw hostRefused(host)
}

/** What needs no document either: the resource, and PKCE. @see assistants.md 3.2, 4.2 */
export function checkDescribedTarget(
  { instance, parameters }: AuthorizeDraft,
  { resources }: Pick<OAuthServices, 'resources'>,
): void {
  const resource = resources.choose(parameters.text('resource'), instance, true)
  if (resource === 'unknown') throw authorizeError('resourceUnknown')
  if (parameters.text('code_challenge') === '') throw authorizeError('pkceMandatory')
}

/** A client, and what is known of it. */
export interface DescribedClient {
  readonly client: Client
  /** When its document was read last, which cannot be read now. Milliseconds since the epoch. */
  readonly checkedAt?: number
}

/**
 * The client as its document describes it now: to be asked for an owner who is logged in, and for nobody else. Where the
 * document is out of reach for a while, what was kept of it stands for it.
 * @throws OAuthError 400, 429
 */
export async function findDescribed(
  services: OAuthServices,
  instance: Instance,
  parameters: AuthorizeDraft['parameters'],
): Promise<DescribedClient> {
  const url = parameters.text('client_id')
  const host = hostOfClientId(url)
  const id = documentClientId(url) as ClientId
  try {
    const found = await services.engine.described.find(instance, url)
    const known = await applyDocument(services, instance, id, found)
    const client = known ?? newClient(id, takeDocument(found), services.clock.now())
    return found.isKept === true ? { client, checkedAt: found.fetchedAt } : { client }
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    const client = isPassing(error.failure) ? await findAllowed(services, instance, id) : undefined
    if (client?.document !== undefined) return { client, checkedAt: client.document.fetchedAt }
    throw unverifiable(host, error.failure, `${error.rule} at ${host}`)
  }
}

/** SPEC: assistants.md 2.8 - what this owner allowed before, for 14 days after its document was read well last. */
async function findAllowed(
  services: OAuthServices,
  instance: Instance,
  id: ClientId,
): Promise<Client | undefined> {
  const { clients, clock } = services
  const known = await clients.find(instance, id)
  const isKnown = known?.document !== undefined && !known.pending
  if (isKnown) return isGone(known.document, clock.now()) ? undefined : known
  const kept = await findSnapshot(services, instance, id)
  return kept && newClient(id, kept, clock.now())
}

/** SPEC: assistants.md 2.7 - what a document does not list is told like any other fault of it. */
export function notListed({ document }: Client): OAuthError | undefined {
  if (document === undefined) return undefined
  return unverifiable(hostOfClientId(document.url), { kind: 'redirect' })
}

/**
 * Keeps what the owner was shown, before it is allowed; what is kept already stays.
 * @throws OAuthError 429 for too many new ones, 403 when there is no room
 */
export async function keepDescribed(
  services: OAuthServices,
  instance: Instance,
  client: Client,
): Promise<void> {
  const { clients, limits } = services
  if (client.document === undefined || (await clients.find(instance, client.id)) !== undefined)
    return
  await limits.hit(instance, 'assistant')
  if ((await clients.count(instance, 'described')) >= MAX_DESCRIBED) {
    throw new OAuthError('too_many_clients')
  }
  await clients.pendingChecks.schedule(instance)
  await clients.describe(instance, client)
  await dropSnapshot(services, instance, client.id)
}

function newClient(id: ClientId, { metadata, snapshot }: TakenDocument, now: number): Client {
  return {
    id,
    metadata: { ...metadata, token_endpoint_auth_method: 'none' },
    pending: true,
    flagship: false,
    certifiedFromStore: false,
    document: snapshot,
    createdAt: now,
    updatedAt: now,
  }
}
