import { findIdentifierFault, hostOfClientId } from '../client-documents/identifier.ts'
import { isUrlClientId } from '../clients/client-document.ts'
import { type Client, isPublic, linkedSlug } from '../clients/client.ts'
import { isSlug } from '@svc/platform'
import { OAuthError } from '../errors.ts'
import { publicScope, splitScope } from '../resources/resource-scope.ts'
import { applyScopePolicy } from '../registration/scope-policy.ts'
import { manifestPermissions } from '../scopes/manifest.ts'
import { MAXIMAL } from '../scopes/permission.ts'
import { linkedScope, parseScope } from '../scopes/scope.ts'
import type { OAuthServices } from '../services.ts'
import {
  type AuthorizeDraft,
  type AuthorizeRequest,
  toAuthorizeRequest,
} from './authorize-request.ts'
import {
  checkDescribedTarget,
  checkIdentifier,
  isDescribed,
  notListed,
} from './described-client.ts'
import { AUTHORIZE_TEXTS, authorizeError } from './page-texts.ts'
import { isRegisteredRedirect } from './redirect.ts'

/** What the checks look things up with. */
export type CheckServices = Pick<
  OAuthServices,
  | 'apps'
  | 'clients'
  | 'engine'
  | 'forbidden'
  | 'instances'
  | 'log'
  | 'namespace'
  | 'options'
  | 'resources'
>

/** One question about a request; throws the error of its 400 page. */
export type AuthorizeCheck = (
  draft: AuthorizeDraft,
  services: CheckServices,
) => void | Promise<void>

/** SPEC: D54 - what an anonymous request may bring through the login page and back. */
const MAX_QUERY_LENGTH = 6144
const MAX_STATE_LENGTH = 4096
const MAX_CLIENT_ID_LENGTH = 128
const MAX_REDIRECT_URI_LENGTH = 2048
const MAX_SCOPE_LENGTH = 4096
const CLIENT_ID = /^[A-Za-z0-9-]+$/
const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/
// A control character in any of these is an attack or a mistake, never a value.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
const READ = [
  'state',
  'client_id',
  'redirect_uri',
  'response_type',
  'code_challenge',
  'code_challenge_method',
  'scope',
] as const
/** SPEC: D58 - what would change the meaning of the request, were it understood. */
const REFUSED = ['request', 'request_uri', 'registration'] as const

/**
 * The checks of `GET` and `POST /auth/authorize`, in the order of oauth.md 5.1; step 2, `session_code`, comes before
 * all of them. None may name the client's address: `tellFault` decides whether a failure goes there.
 */
export const AUTHORIZE_CHECKS: readonly AuthorizeCheck[] = [
  checkLength,
  checkCharacters,
  checkUnsupported,
  checkPresence,
  checkResponseType,
  checkChallenge,
  checkClient,
  checkRedirectUri,
  checkResource,
  checkRequiredChallenge,
  checkLinkedApp,
  checkScope,
  checkPolicy,
]

/** Of a client that a document describes: what is asked before the owner is. @see assistants.md 2.2 */
const CHECKS_BEFORE_DOCUMENT: readonly AuthorizeCheck[] = [
  ...AUTHORIZE_CHECKS.slice(0, AUTHORIZE_CHECKS.indexOf(checkClient)),
  checkIdentifier,
  checkDescribedTarget,
]

/** Runs the checks that need no document. @throws OAuthError of the first that fails */
export async function checkBeforeDocument(
  draft: AuthorizeDraft,
  services: CheckServices,
): Promise<void> {
  for (const check of CHECKS_BEFORE_DOCUMENT) await check(draft, services)
}

/**
 * Proves who asks and where its answer goes; of a client whose document was not read yet, its address alone.
 * @throws OAuthError when one of them is not proven
 */
export async function checkProven(draft: AuthorizeDraft, services: CheckServices): Promise<void> {
  if (draft.client === undefined && isDescribed(draft, services)) {
    await checkIdentifier(draft, services)
    return
  }
  await checkClient(draft, services)
  checkRedirectUri(draft)
}

/** Whether a request is larger than one that is read at all. */
export function isOversized({ description }: Pick<OAuthError, 'description'>): boolean {
  return description === AUTHORIZE_TEXTS.tooLong || description === AUTHORIZE_TEXTS.stateTooLong
}

/** Runs every check; a client that is known already is not looked for. @throws OAuthError of the first that fails */
export async function checkAuthorize(
  draft: AuthorizeDraft,
  services: CheckServices,
): Promise<AuthorizeRequest> {
  for (const check of AUTHORIZE_CHECKS) await check(draft, services)
  return toAuthorizeRequest(draft)
}

/** Of a sharing that a client asks for: what its `scope` means is for the host to say. @see decision D31 */
const SHARING_OF_CLIENT_CHECKS: readonly AuthorizeCheck[] = AUTHORIZE_CHECKS.filter(
  (check) =>
    check !== checkResource &&
    check !== checkLinkedApp &&
    check !== checkScope &&
    check !== checkPolicy,
)

/** @returns the client that asks @throws OAuthError of the first check that fails */
export async function checkSharingOfClient(
  draft: AuthorizeDraft,
  services: CheckServices,
): Promise<Client> {
  for (const check of SHARING_OF_CLIENT_CHECKS) await check(draft, services)
  const rules = draft.parameters.text('scope').trim()
  if (rules === '') throw authorizeError('scopeMissing')
  if (rules.length > MAX_SCOPE_LENGTH) throw authorizeError('invalidScope')
  if (draft.client === undefined) throw new TypeError('the checks of a sharing are incomplete')
  refusePublic(draft.client)
  return draft.client
}

/** Of a sharing without a client. @throws OAuthError of the first that fails */
export function checkSharing(draft: AuthorizeDraft): void {
  checkLength(draft)
  checkCharacters(draft)
  if (draft.parameters.text('state') === '') throw authorizeError('stateMissing')
  if (draft.parameters.text('sharing_id') === '') throw authorizeError('sharingMissing')
}

/** The checks of `/auth/authorize/move`: what it asks for is always the same. @see oauth.md 5.10 */
const MOVE_CHECKS: readonly AuthorizeCheck[] = [
  checkLength,
  checkCharacters,
  checkPresence,
  checkClient,
  checkRedirectUri,
]

/** Runs the checks of a move. @returns the client that asks @throws OAuthError of the first that fails */
export async function checkMove(draft: AuthorizeDraft, services: CheckServices): Promise<Client> {
  for (const check of MOVE_CHECKS) await check(draft, services)
  if (draft.client === undefined) throw new TypeError('the checks of a move are incomplete')
  refusePublic(draft.client)
  return draft.client
}

/** SPEC: assistants.md 3.4 - without a secret a client gets tokens of resources, and nothing else. */
function refusePublic(client: Client): void {
  if (isPublic(client)) throw authorizeError('resourceUnknown')
}

function checkLength({ ctx, parameters }: AuthorizeDraft): void {
  if (ctx.querystring.length > MAX_QUERY_LENGTH) throw authorizeError('tooLong')
  if (parameters.text('state').length > MAX_STATE_LENGTH) throw authorizeError('stateTooLong')
}

function checkCharacters({ parameters }: AuthorizeDraft): void {
  if (READ.some((name) => CONTROL.test(parameters.text(name))))
    throw authorizeError('invalidParameter')
}

function checkUnsupported({ parameters }: AuthorizeDraft): void {
  const mode = parameters.text('response_mode')
  if (REFUSED.some((name) => parameters.text(name) !== '') || (mode !== '' && mode !== 'query'))
    throw authorizeError('unsupportedParameter')
}

async function checkPresence(draft: AuthorizeDraft, services: CheckServices): Promise<void> {
  const { parameters } = draft
  if (parameters.text('state') === '') await checkStateless(draft, services)
  if (parameters.text('client_id') === '') throw authorizeError('clientMissing')
  if (parameters.text('redirect_uri') === '') throw authorizeError('redirectMissing')
}

/** SPEC: assistants.md 3.3 - PKCE does what `state` is for, and published clients without a secret send none. */
async function checkStateless(
  { instance, parameters }: AuthorizeDraft,
  { clients, options, resources }: CheckServices,
): Promise<void> {
  if (resources.isEmpty) throw authorizeError('stateMissing')
  const id = parameters.text('client_id')
  const client = isUrlClientId(id) ? undefined : await clients.find(instance, id)
  const isOpen = isUrlClientId(id) || (client !== undefined && isPublic(client))
  if (!isOpen) throw authorizeError('stateMissing')
  if (options.assistants.requireState) throw stateNeeded(id, instance)
}

/** A document's client is named by its host: its makers may not know that some servers need it. */
function stateNeeded(id: string, { origin }: AuthorizeDraft['instance']): OAuthError {
  const isNamed = isUrlClientId(id) && findIdentifierFault(id, origin) === undefined
  if (!isNamed) return authorizeError('stateNeeded')
  const words = { key: 'state-needed', values: { host: hostOfClientId(id) } }
  return new OAuthError('invalid_request', { description: AUTHORIZE_TEXTS.stateNeeded, words })
}

function checkResponseType({ parameters }: AuthorizeDraft): void {
  if (parameters.text('response_type') !== 'code') throw authorizeError('invalidResponseType')
}

function checkChallenge({ parameters }: AuthorizeDraft): void {
  const challenge = parameters.text('code_challenge')
  const method = parameters.text('code_challenge_method')
  if (challenge !== '' && method !== 'S256') throw authorizeError('invalidChallenge')
  if (challenge === '' && method !== '') throw authorizeError('challengeMissing')
  if (challenge !== '' && !S256_CHALLENGE.test(challenge)) throw authorizeError('invalidChallenge')
}

async function checkClient(draft: AuthorizeDraft, { clients, resources }: CheckServices) {
  if (draft.client !== undefined) return
  const id = draft.parameters.text('client_id')
  const isPlausible = id.length <= MAX_CLIENT_ID_LENGTH && CLIENT_ID.test(id)
  const client = isPlausible ? await clients.find(draft.instance, id) : undefined
  // In requests a client that a document describes has its address, and nothing else.
  const isOther = client?.document !== undefined
  if (client === undefined || isOther || (isPublic(client) && resources.isEmpty))
    throw authorizeError('clientUnknown')
  draft.client = client
}

function checkRedirectUri({ client, parameters }: AuthorizeDraft): void {
  const uri = parameters.text('redirect_uri')
  const isRegistered = client !== undefined && isRegisteredRedirect(client, uri)
  if (isRegistered && uri.length <= MAX_REDIRECT_URI_LENGTH) return
  throw (client && notListed(client)) ?? authorizeError('redirectMismatch')
}

function checkRequiredChallenge(
  { ctx, client, parameters }: AuthorizeDraft,
  { options: { requirePkce } }: CheckServices,
): void {
  if (client === undefined || parameters.text('code_challenge') !== '') return
  const isRequired = typeof requirePkce === 'function' ? requirePkce(ctx, client) : requirePkce
  if (isRequired) throw authorizeError('challengeMandatory')
}

/** What the tokens are to be for. @see assistants.md 3.2, 4.2 */
function checkResource(draft: AuthorizeDraft, { resources }: CheckServices): void {
  const { client, instance, parameters } = draft
  // Until there is one, `resource` means nothing.
  if (client === undefined || resources.isEmpty) return
  const resource = resources.choose(parameters.text('resource'), instance, isPublic(client))
  if (resource === undefined) return
  // What a linked client gets is what its app has, which no resource bounds.
  const isLinked = linkedSlug(client.metadata.software_id) !== undefined
  if (resource === 'unknown' || isLinked) throw authorizeError('resourceUnknown')
  if (parameters.text('code_challenge') === '') throw authorizeError('pkceMandatory')
  draft.resource = resource
}

/** SPEC: oauth.md 5.1 step 4 - a linked client gets what its app has, whatever it asked for. */
async function checkLinkedApp(draft: AuthorizeDraft, services: CheckServices) {
  const { instance, client } = draft
  const slug = client === undefined ? undefined : linkedSlug(client.metadata.software_id)
  if (slug === undefined) return
  const { apps, namespace, log } = services
  const app = isSlug(slug)
    ? ((await apps.installed(instance, slug)) ?? (await apps.available(instance, slug)))
    : undefined
  if (app === undefined) throw authorizeError('appNotFound')
  try {
    draft.permissions = manifestPermissions(app.permissions)
  } catch (cause) {
    log.error('app.permissions_malformed', { slug, cause: String(cause) })
    throw authorizeError('appNotFound')
  }
  draft.app = app
  draft.scope = linkedScope(namespace, slug)
}

function checkScope(draft: AuthorizeDraft, services: CheckServices): void {
  if (draft.app !== undefined) return
  if (draft.resource !== undefined) return checkScopeOfResource(draft, services)
  const { forbidden } = services
  const scope = draft.parameters.text('scope').trim()
  if (scope === '') throw authorizeError('scopeMissing')
  if (scope === '*') return allowEverything(draft)
  const permissions = scope.length > MAX_SCOPE_LENGTH ? undefined : parseScope(scope)
  if (permissions === undefined || permissions.some((rule) => forbidden.includes(rule)))
    throw authorizeError('invalidScope')
  draft.scope = scope
  draft.permissions = permissions
}

/** @see assistants.md 4.6 to 4.8 */
function checkScopeOfResource(draft: AuthorizeDraft, { resources }: CheckServices): void {
  const { client, parameters, resource } = draft
  const isOpen = client !== undefined && isPublic(client)
  const given = parameters.text('scope').trim()
  const asked = isOpen ? publicScope(given, resource?.scopes ?? []) : given
  if (asked === '') throw authorizeError('scopeMissing')
  const split =
    asked.length > MAX_SCOPE_LENGTH
      ? undefined
      : splitScope(asked, resources.reserved, resource?.isReadOnly)
  if (split === undefined || split.scope.length > MAX_SCOPE_LENGTH)
    throw authorizeError('invalidScope')
  draft.scope = split.scope
  draft.permissions = split.permissions
}

/** The host may want less than what is not forbidden. @throws Error when its policy gave no answer: never an allowance */
async function checkPolicy(draft: AuthorizeDraft, services: CheckServices): Promise<void> {
  const { client, instance, permissions, scope } = draft
  if (client === undefined || permissions === undefined || scope === undefined) return
  const left = await applyScopePolicy(services, { instance, client, permissions, scope })
  if (left === undefined) throw authorizeError('invalidScope')
  draft.scope = left.scope
  draft.permissions = left.permissions
}

/** SPEC: oauth.md 5.5, D14 - never without PKCE. Whether the client is certified is asked once the owner is known. */
function allowEverything(draft: AuthorizeDraft): void {
  if (draft.parameters.text('code_challenge') === '') throw authorizeError('challengeMandatory')
  draft.scope = '*'
  draft.permissions = [MAXIMAL]
}
