import {
  DAY_MS,
  type Instance,
  type Keyring,
  type Parameters,
  type RouteContext,
} from '@svc/platform'
import { type Client, clientTarget, isPublic, linkedSlug, wireIdOf } from '../clients/client.ts'
import { isDocumentClientId } from '../clients/client-document.ts'
import { OAuthError } from '../errors.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { Resources } from '../resources/resources.ts'
import { linkedScope } from '../scopes/scope.ts'
import { signJwt } from '../tokens/jwt.ts'
import {
  type AuthenticatedClient,
  type ClaimedClient,
  findComparable,
  readClaimedClient,
  refuseSecret,
  requireKeyOf,
  requireProof,
} from './client-authentication.ts'
import { NATIVE_PATHS } from './configuration.ts'
import type { ClientProof } from './described-clients.ts'
import type { Engine } from './engine.ts'
import { type GrantRecord, notAfterEnd, revokeGrant } from './grant.ts'
import type { ParsedClient } from './metadata.ts'
import type { NativeAnswer } from './native-call.ts'
import { jtiOf } from './rotation/rotation.ts'
import {
  endReused,
  finishRotation,
  prepareRotation,
  type RotationServices,
} from './rotation/token-rotation.ts'
import { checkAllowed, checkCertified, checkResource } from './token-checks.ts'
import { commitUnit, newUnit, readUnit, runUnit, type UnitOfWork } from './unit-of-work.ts'

/** What a token request is answered. @see oauth.md 6.3 */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'bearer'
  /** Seconds. */
  readonly expires_in: number
  /** Absent: the client wants none. */
  readonly refresh_token?: string
  readonly scope: string
}

/** What the tokens stand for. */
export interface Granted {
  readonly client: Client
  readonly grantId: string
  readonly scope: string
  readonly refreshToken: string
  readonly jti: string
  /** Address of the resource that the access token is for. Absent: the interface itself. */
  readonly resource?: string
}

/** What the engine is given of the form; everything else is ignored (oauth.md 2.2). */
const PARAMETERS = [
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'grant_type',
  'redirect_uri',
  'refresh_token',
  'scope',
] as const

/** No client's: makes the engine look an unknown code up, and refuse it as such (D8). */
const NO_REDIRECT_URI = 'urn:svc:none'
/** Above the length of any right value: a longer one stays wrong, but does not become a body too large for the engine. */
const MAX_LENGTH = 4097

/**
 * `POST /auth/access_token`: the engine's token endpoint between two steps of ours, which know both wire formats.
 * @see oauth.md 6, 13.2 T1 to T12; decision D8
 */
export async function exchangeToken(
  ctx: RouteContext,
  services: RotationServices & { readonly resources: Resources },
): Promise<void> {
  const shown: Shown = {}
  while (!(await tryExchange(ctx, services, shown))) {
    // The owner changes what the grant allows while its code is exchanged: it is exchanged for what stands there now.
  }
}

/** How the client showed who it is, once it did: what it signed counts once. */
interface Shown {
  proof?: ClientProof
}

/** @returns false when the grant changed meanwhile and its code is still good */
async function tryExchange(
  ctx: RouteContext,
  services: RotationServices & { readonly resources: Resources },
  shown: Shown,
): Promise<boolean> {
  const { engine } = services
  const { instance, form } = ctx.state
  const claimed = readClaimedClient(ctx, engine)
  const isRefresh = form.text('grant_type') === 'refresh_token'
  if (shown.proof === undefined && isRefresh && isDocumentClientId(claimed.clientId)) {
    await engine.described.beforeRefresh(instance, claimed.clientId)
  }
  const unit = newUnit(instance)
  await readUnit(engine.reads, unit, [claimed.key], presentedToken(form))
  const parsed = await findComparable(engine, claimed, unit)
  const { client } = parsed
  shown.proof ??= await requireProof(engine, claimed, client, form)
  checkAllowed(engine, client)
  const authenticated = { claimed, client, proof: shown.proof }
  const grant = unit.grant?.record?.value
  if (grant?.code.consumedAt !== undefined) requireKeyOf(grant, authenticated)
  if (client.document !== undefined && shown.proof === 'none') unit.isKeyless = true
  const token = presentedToken(form)
  await prepareRotation(engine, unit, client, { grantType: form.text('grant_type'), token })
  const answer = await callTokenEndpoint(engine, unit, claimed, form, isPublic(client))
  if (answer.status === 401) await refuseSecret(engine, claimed)
  if (answer.status !== 200) {
    if (answer.status === 400) await endReused(engine, unit, client)
    passRefusalOn(ctx, answer)
    return true
  }
  checkCertified(engine, unit, client)
  checkResource(services, unit, client, form)
  // SPEC: oauth.md 6.2 row 16 - nothing is used up before; and nobody waits who has not shown the secret.
  await engine.linkedApps.require(instance, client)
  if (
    !(await finishRotation(services, unit, client)) &&
    !(await commit(engine, unit, authenticated))
  )
    return false
  engine.lastUsed.note(instance, client.id, engine.clientAddress(ctx))
  ctx.body = await issue(engine, unit, form, parsed, answer)
  return true
}

async function callTokenEndpoint(
  engine: Engine,
  unit: UnitOfWork,
  { basic, clientId }: ClaimedClient,
  form: Parameters,
  isOpen: boolean,
): Promise<NativeAnswer> {
  const body: Record<string, string> = {}
  for (const name of PARAMETERS) {
    const value = form.text(name)
    if (value !== '') body[name] = value.slice(0, MAX_LENGTH)
  }
  // SPEC: assistants.md 3.1 - without a secret, a header that names the client is as good as the form.
  if (isOpen) body['client_id'] = clientId
  // SPEC: oauth.md 6.2 row 8 - absent is fine: it is then the one that the code was made for.
  body['redirect_uri'] ??= unit.grant?.record?.value.code.redirectUri ?? NO_REDIRECT_URI
  const { call } = await engine.providers.of(unit.instance)
  const answer = await runUnit(unit, () =>
    call({
      method: 'POST',
      path: NATIVE_PATHS.token,
      contentType: 'application/x-www-form-urlencoded',
      body,
      ...(basic === undefined || isOpen ? {} : { authorization: basic }),
    }),
  )
  if (unit.failure !== undefined) throw unit.failure
  return answer
}

/** Writes what the run changed: all of it, once among parallel runs; otherwise the client gets nothing. */
async function commit(
  engine: Engine,
  unit: UnitOfWork,
  authenticated: AuthenticatedClient,
): Promise<boolean> {
  if (unit.grant?.next === undefined) return true
  if (await commitUnit(engine, unit)) return true
  const stands = await engine.store.get<GrantRecord>(unit.grant.key)
  if (stands !== undefined && stands.value.code.consumedAt === undefined) return false
  requireKeyOf(stands?.value, authenticated)
  // Another run used the code between our look and our write (a replay like one that comes later), or the grant was
  // revoked.
  await revokeGrant(engine, unit.instance, unit.grant.next.value.id, 'code replayed')
  throw new OAuthError('invalid_grant', { description: 'grant request is invalid' })
}

/** The answer in our form, with our token in the place of the engine's (D69). */
async function issue(
  engine: Engine,
  unit: UnitOfWork,
  form: Parameters,
  { client }: ParsedClient,
  { body, entities }: NativeAnswer,
): Promise<TokenAnswer> {
  const { instance, refreshToken = form.text('refresh_token') } = unit
  const { grantId, jti } = entities.AccessToken ?? {}
  if (grantId === undefined || jti === undefined)
    throw new Error('the engine issued a token without a grant')
  const slug = linkedSlug(client.metadata.software_id)
  // SPEC: oauth.md 6.4 - a linked client's scope is always that of its app.
  const scope =
    slug === undefined ? String(body?.['scope'] ?? '') : linkedScope(engine.namespace, slug)
  const record = unit.grant?.next?.value ?? unit.grant?.record?.value
  const granted = {
    client,
    grantId,
    scope,
    refreshToken,
    jti: unit.generation === undefined ? jti : jtiOf(jti, unit.generation),
    ...(record?.resource === undefined ? {} : { resource: `${instance.origin}${record.resource}` }),
  }
  const tokens = await answerTokens(engine, instance, granted, record)
  const isRefresh = form.text('grant_type') === 'refresh_token'
  if (isRefresh) {
    // One that rotates was written just now.
    if (unit.refreshToken === undefined) await keepAlive(engine, unit)
    const of = clientTarget(client)
    engine.activity.used(instance, { event: 'client.used', of, what: 'refreshes' })
  }
  engine.lastRefreshed.note(instance, client.id)
  const grant = isRefresh ? 'refresh_token' : 'authorization_code'
  engine.emitter.emit('token.issued', { instance, client, grant, scope })
  return tokens
}

/** Signs the access token of a grant and makes the answer that carries it. @see oauth.md 6.3, 7.1; decision D69 */
export async function answerTokens(
  {
    keyring,
    clock,
    lifetimes,
  }: {
    readonly keyring: Keyring
    readonly clock: { now(): number }
    readonly lifetimes: Lifetimes
  },
  instance: Instance,
  { client, grantId, scope, refreshToken, jti, resource }: Granted,
  end: Pick<GrantRecord, 'endsAt'> = {},
): Promise<TokenAnswer> {
  const iat = Math.floor(clock.now() / 1000)
  // SPEC: assistants.md 3.9 - without a refresh token there is no shorter life.
  const isRefreshing = client.document?.isRefreshing ?? true
  const isShort = resource !== undefined && isRefreshing
  const lifeMs = isShort ? lifetimes.resourceTokenMs : lifetimes.accessTokenMs
  const longest = iat + Math.floor(lifeMs / 1000)
  const exp = notAfterEnd(end, longest * 1000) / 1000
  const claims = {
    iss: instance.domain,
    aud: resource ?? 'access',
    sub: wireIdOf(client),
    scope,
    iat,
    exp,
    jti,
    gid: grantId,
  }
  const type = resource === undefined ? 'JWT' : 'at+jwt'
  const accessToken = signJwt(await keyring.current(instance, 'access'), claims, type)
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: exp - iat,
    ...(isRefreshing && { refresh_token: refreshToken }),
    scope,
  }
}

/** Moves the end of an unused life, at most once a day and grant (D41, D27). */
async function keepAlive(
  { store, clock, lifetimes }: Engine,
  { grant }: UnitOfWork,
): Promise<void> {
  if (grant?.record === undefined) return
  const { refreshTokenMs, accessTokenMs } = lifetimes
  const { key, expiresAt = 0 } = grant.record
  const end = notAfterEnd(grant.record.value, clock.now() + refreshTokenMs + accessTokenMs)
  if (end - expiresAt < Math.min(DAY_MS, refreshTokenMs / 10)) return
  await store.write([{ op: 'touch', key, expiresAt: end, ifPresent: true }])
}

/** What the request presents for tokens, whatever becomes of it. */
function presentedToken(form: Parameters): string {
  const grantType = form.text('grant_type')
  if (grantType === 'authorization_code') return form.text('code')
  return grantType === 'refresh_token' ? form.text('refresh_token') : ''
}

/** Passes a refusal of the engine on: its codes and descriptions are those of RFC 6749. */
function passRefusalOn(ctx: RouteContext, { status, body }: NativeAnswer): void {
  if (status >= 500 || body === undefined) throw new Error(`the engine answered ${status}`)
  ctx.status = status
  ctx.body = body
}
