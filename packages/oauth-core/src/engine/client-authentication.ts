import { equalSecrets, type Instance, type Parameters, type RouteContext } from '@svc/platform'
import type { Key } from '@svc/store'
import { type Client, isPublic } from '../clients/client.ts'
import { documentClientId, isDocumentClientId, isUrlClientId } from '../clients/client-document.ts'
import { clientKey, isClientId } from '../clients/client-record.ts'
import { OAuthError } from '../errors.ts'
import type { ClientProof } from './described-clients.ts'
import type { Engine } from './engine.ts'
import type { GrantRecord } from './grant.ts'
import type { ParsedClient } from './metadata.ts'
import type { Suspect } from './secret-throttle.ts'
import { newUnit, readUnit, type UnitOfWork } from './unit-of-work.ts'

/** A client that says who it is: nothing of it is proved yet. */
export interface ClaimedClient {
  readonly instance: Instance
  /** As records have it. */
  readonly clientId: string
  /** `''` when absent. */
  readonly secret: string
  /** The Authorization header, when the credentials came in it. */
  readonly basic?: string
  /** Where the client's record would be. */
  readonly key: Key
  readonly suspect: Suspect
}

/** A client that proved who it is. */
export interface AuthenticatedClient {
  readonly claimed: ClaimedClient
  readonly client: Client
  readonly proof: ClientProof
}

/** RFC 6749 appendix A.2. Controls are refused before a compare that pads with NUL bytes. @see security.md 66 */
const SECRET = /^[\x20-\x7e]{1,1024}$/
const SCHEME = /^basic(?: |$)/i

/**
 * The client that a form request authenticates as, by its body or HTTP Basic; wrong secrets are counted as at the
 * token endpoint. @throws OAuthError `invalid_request` without an identifier, else 401 `invalid_client`
 */
export async function authenticateClient(
  ctx: RouteContext,
  engine: Engine,
): Promise<AuthenticatedClient> {
  const claimed = readClaimedClient(ctx, engine)
  const unit = newUnit(claimed.instance)
  await readUnit(engine.reads, unit, [claimed.key])
  const client = await findComparable(engine, claimed, unit)
  const proof = await requireProof(engine, claimed, client.client, ctx.state.form)
  // What has no secret was not shown any.
  if (isPublic(client.client) || equalSecrets(client.secret, claimed.secret)) {
    return { claimed, client: client.client, proof }
  }
  return refuseSecret(engine, claimed)
}

/**
 * Who the request says its client is. @see oauth.md 6.2 rows 2, 3
 * @throws OAuthError `invalid_request` without an identifier, or with two that differ, or two secrets
 */
export function readClaimedClient(
  ctx: RouteContext,
  { clientAddress }: Pick<Engine, 'clientAddress'>,
): ClaimedClient {
  const { instance, form } = ctx.state
  const credentials = readCredentials(ctx, form)
  const { basic } = credentials
  const clientId = recordIdOf(credentials.clientId)
  if (clientId === undefined) throw unknownClient(instance, basic !== undefined)
  const suspect = { instance, clientId, address: clientAddress(ctx) }
  return { ...credentials, clientId, instance, key: clientKey(instance.id, clientId), suspect }
}

/** The identifier in records; undefined: no client has this one. */
function recordIdOf(clientId: string): string | undefined {
  if (isUrlClientId(clientId)) return documentClientId(clientId)
  return isClientId(clientId) && !isDocumentClientId(clientId) ? clientId : undefined
}

/** SPEC: assistants.md 2.12 - a client that has keys signs what it asks. @throws OAuthError 401 */
export async function requireProof(
  { described }: Pick<Engine, 'described'>,
  { instance, basic }: ClaimedClient,
  client: Client,
  form: Pick<Parameters, 'text'>,
): Promise<ClientProof> {
  if (client.document === undefined) return 'none'
  const proof = await described.proofOf(instance, client, form)
  if (proof === 'wrong') throw invalidClient(instance, basic !== undefined)
  return proof
}

/**
 * SPEC: assistants.md 2.12 - what a client got with its key is neither refreshed nor ended without one, though it may go
 * without.
 * @param grant - whose code was exchanged; undefined: none of the client
 * @throws OAuthError 401
 */
export function requireKeyOf(
  grant: Pick<GrantRecord, 'clientId' | 'isKeyless'> | undefined,
  { claimed: { instance, basic }, client, proof }: AuthenticatedClient,
): void {
  if (proof === 'key' || client.document?.isKeyOptional !== true) return
  if (grant === undefined || grant.clientId !== client.id || grant.isKeyless === true) return
  throw invalidClient(instance, basic !== undefined)
}

/**
 * The client, when its secret may be compared at all. @throws OAuthError 401 for an unknown client, too many wrong
 * secrets, or a secret of characters that none has
 */
export async function findComparable(
  engine: Engine,
  claimed: ClaimedClient,
  unit: UnitOfWork,
): Promise<ParsedClient> {
  const { instance, secret, basic, key, suspect } = claimed
  const record = unit.records.get(key)
  if (record === undefined) throw unknownClient(instance, basic !== undefined)
  if (engine.throttle.isBlocked(suspect)) throw invalidClient(instance, basic !== undefined)
  if (secret !== '' && !SECRET.test(secret)) return refuseSecret(engine, claimed)
  const parsed = engine.parsedClients.read(instance, record)
  if (isPublic(parsed.client) && secret !== '') throw invalidClient(instance, basic !== undefined)
  return parsed
}

/** Counts a wrong secret. @throws OAuthError 401, always */
export async function refuseSecret(engine: Engine, claimed: ClaimedClient): Promise<never> {
  const { instance, secret, basic, suspect } = claimed
  if (secret !== '') await engine.throttle.countWrong(suspect)
  throw invalidClient(instance, basic !== undefined)
}

type Credentials = Pick<ClaimedClient, 'basic' | 'clientId' | 'secret'>

/** From the form or HTTP Basic, never both; any other Authorization header is ignored (clients.md 1). */
function readCredentials(ctx: RouteContext, form: Parameters): Credentials {
  const header = ctx.get('Authorization')
  const clientId = form.text('client_id') || subjectOf(form.text('client_assertion'))
  const secret = form.text('client_secret')
  if (!SCHEME.test(header)) {
    if (clientId === '') throw invalidRequest('client_id is mandatory')
    return { clientId, secret }
  }
  const basic = decodeBasic(header)
  if (basic === undefined) throw invalidRequest('malformed Basic credentials')
  if (secret !== '') throw invalidRequest('client authentication must use one mechanism only')
  if (clientId !== '' && clientId !== basic.clientId) throw invalidRequest('client_id mismatch')
  return { ...basic, basic: header }
}

/** SPEC: RFC 7521 section 4.2 - an assertion names its client, too; whether it is the client's is asked later. */
function subjectOf(assertion: string): string {
  const [, payload = ''] = assertion.split('.')
  try {
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: unknown }
    return typeof sub === 'string' && isUrlClientId(sub) ? sub : ''
  } catch {
    return ''
  }
}

/** @see RFC 6749 section 2.3.1 */
function decodeBasic(header: string): { clientId: string; secret: string } | undefined {
  const encoded = header.slice('basic '.length)
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon < 1) return undefined
  try {
    return { clientId: formDecode(text.slice(0, colon)), secret: formDecode(text.slice(colon + 1)) }
  } catch {
    return undefined
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', '%20'))
}

function invalidRequest(description: string): OAuthError {
  return new OAuthError('invalid_request', { description })
}

function invalidClient(
  instance: Instance,
  isBasic: boolean,
  description = 'client authentication failed',
): OAuthError {
  // RFC 6749 section 5.2: a client that used the header is told the scheme.
  const headers = isBasic ? { 'WWW-Authenticate': `Basic realm="${instance.domain}"` } : {}
  return new OAuthError('invalid_client', { description, headers })
}

/** SPEC: oauth.md 2.3 - deployed clients look for this text to notice that they were removed. */
function unknownClient(instance: Instance, isBasic: boolean): OAuthError {
  return invalidClient(instance, isBasic, 'the client must be registered')
}
