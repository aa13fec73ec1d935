import {
  DAY_MS,
  type Instance,
  type Keyring,
  type Parameters,
  type RouteContext,
} from '@svc/platform'
import { type Client, isCertified, linkedSlug } from '../clients/client.ts'
import { OAuthError } from '../errors.ts'
import type { Lifetimes } from '../lifetimes.ts'
import { linkedScope } from '../scopes/scope.ts'
import { signJwt } from '../tokens/jwt.ts'
import {
  type ClaimedClient,
  findComparable,
  readClaimedClient,
  refuseSecret,
} from './client-authentication.ts'
import { NATIVE_PATHS } from './configuration.ts'
import type { Engine } from './engine.ts'
import { type GrantRecord, notAfterEnd, revokeGrant } from './grant.ts'
import type { ParsedClient } from './metadata.ts'
import type { NativeAnswer } from './native-call.ts'
import { commitUnit, newUnit, readUnit, runUnit, type UnitOfWork } from './unit-of-work.ts'

/** What a token request is answered. @see oauth.md 6.3 */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'bearer'
  /** Seconds. */
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
}

/** What the tokens stand for. */
export interface Granted {
  readonly client: Client
  readonly grantId: string
  readonly scope: string
  readonly refreshToken: string
  readonly jti: string
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
  { engine }: { readonly engine: Engine },
): Promise<void> {
  while (!(await tryExchange(ctx, engine))) {
    // The owner changes what the grant allows while its code is exchanged: it is exchanged for what stands there now.
  }
}

/** @returns false when the grant changed meanwhile and its code is still good */
async function tryExchange(ctx: RouteContext, engine: Engine): Promise<boolean> {
  const { instance, form } = ctx.state
  const claimed = readClaimedClient(ctx, engine)
  const unit = newUnit(instance)
  await readUnit(engine.reads, unit, [claimed.key], presentedToken(form))
  const parsed = await findComparable(engine, claimed, unit)
  const answer = await callTokenEndpoint(engine, unit, claimed, form)
  if (answer.status === 401) await refuseSecret(engine, claimed)
  if (answer.status !== 200) {
    passRefusalOn(ctx, answer)
    return true
  }
  const { client } = parsed
  checkCertified(engine, unit, client)
  // SPEC: oauth.md 6.2 row 16 - nothing is used up before; and nobody waits who has not shown the secret.
  await engine.linkedApps.require(instance, client)
  if (!(await commit(engine, unit))) return false
  engine.lastUsed.note(instance, client.id, engine.clientAddress(ctx))
  ctx.body = await issue(engine, unit, form, parsed, answer)
  return true
}

async function callTokenEndpoint(
  engine: Engine,
  unit: UnitOfWork,
  { basic }: ClaimedClient,
  form: Parameters,
): Promise<NativeAnswer> {
  const body: Record<string, string> = {}
  for (const name of PARAMETERS) {
    const value = form.text(name)
    if (value !== '') body[name] = value.slice(0, MAX_LENGTH)
  }
  // SPEC: oauth.md 6.2 row 8 - absent is fine: it is then the one that the code was made for.
  body['redirect_uri'] ??= unit.grant?.record?.value.code.redirectUri ?? NO_REDIRECT_URI
  const answer = await runUnit(unit, () =>
    engine.providers.of(unit.instance).call({
      method: 'POST',
      path: NATIVE_PATHS.token,
      contentType: 'application/x-www-form-urlencoded',
      body,
      ...(basic === undefined ? {} : { authorization: basic }),
    }),
  )
  if (unit.failure !== undefined) throw unit.failure
  return answer
}

/** SPEC: oauth.md 11.3 - without its certification a client gets nothing more of scope `*`. */
function checkCertified({ flagship }: Engine, { grant }: UnitOfWork, client: Client): void {
  if (grant?.record?.value.scope !== '*' || isCertified(client, flagship)) return
  const description = 'grant request is invalid'
  throw new OAuthError('invalid_grant', { description, detail: 'its client is not certified' })
}

/** Writes what the run changed: all of it, once among parallel runs; otherwise the client gets nothing. */
async function commit(engine: Engine, unit: UnitOfWork): Promise<boolean> {
  if (unit.grant?.next === undefined) return true
  if (await commitUnit(engine, unit)) return true
  const stands = await engine.store.get<GrantRecord>(unit.grant.key)
  if (stands !== undefined && stands.value.code.consumedAt === undefined) return false
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
  const end = unit.grant?.next?.value ?? unit.grant?.record?.value ?? {}
  const granted = { client, grantId, scope, refreshToken, jti }
  const tokens = await answerTokens(engine, instance, granted, end)
  const isRefresh = unit.refreshToken === undefined
  if (isRefresh) {
    await keepAlive(engine, unit)
    const of = { kind: 'client', id: client.id, name: client.metadata.client_name }
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
  { client, grantId, scope, refreshToken, jti }: Granted,
  end: Pick<GrantRecord, 'endsAt'> = {},
): Promise<TokenAnswer> {
  const iat = Math.floor(clock.now() / 1000)
  const longest = iat + Math.floor(lifetimes.accessTokenMs / 1000)
  const exp = notAfterEnd(end, longest * 1000) / 1000
  const accessToken = signJwt(await keyring.current(instance, 'access'), {
    iss: instance.domain,
    aud: 'access',
    sub: client.id,
    scope,
    iat,
    exp,
    jti,
    gid: grantId,
  })
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: exp - iat,
    refresh_token: refreshToken,
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
