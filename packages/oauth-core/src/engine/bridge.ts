import { randomUUID } from 'node:crypto'
import type { Store, StoredRecord } from '@svc/store'
import type { Context } from 'koa'
import { linkedSlug } from '../clients/client.ts'
import { OAuthError } from '../errors.ts'
import type { Parameters } from '../http/parameters.ts'
import type { Instance } from '../instances/instance.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { OAuthEvents } from '../ports.ts'
import { signJwt } from '../tokens/jwt.ts'
import type { Attempt, ClientAuthentication } from './client-authentication.ts'
import type { ParsedClient } from './client-cache.ts'
import { NATIVE_PATHS } from './configuration.ts'
import type { Grants } from './grants.ts'
import type { LastUse } from './last-use.ts'
import type { NativeAnswer } from './native-run.ts'
import type { NativeEngine } from './provider-cache.ts'
import { claimedGrant, type CodeRecord, keyOf, type RefreshTokenRecord } from './records.ts'
import { newUnit, readRecords, type Unit, unitKey, type Units } from './unit.ts'

export interface TokenBridgeOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly keyring: Keyring
  readonly authentication: ClientAuthentication
  readonly units: Units
  readonly grants: Grants
  readonly lastUse: LastUse
  readonly lifetimes: Lifetimes
  /** Prefix of doctypes. */
  readonly namespace: string
  readonly providerOf: (instance: Instance) => NativeEngine
  readonly emit: <Name extends keyof OAuthEvents>(name: Name, event: OAuthEvents[Name]) => void
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
const DAY_MS = 86_400_000

/** What the request presents for tokens, as it is stored. */
interface Presented {
  readonly unit: Unit
  readonly code?: StoredRecord<CodeRecord>
  readonly refreshToken?: StoredRecord<RefreshTokenRecord>
}

/**
 * `POST /auth/access_token`: the engine's token endpoint between two steps of ours, which know both wire formats.
 * @see oauth.md 6, 13.2 T1 to T12; decision D8
 */
export function createTokenBridge(
  options: TokenBridgeOptions,
): (ctx: Context, instance: Instance, form: Parameters) => Promise<void> {
  const { store, clock, keyring, authentication, units, grants, lifetimes } = options

  return async function token(ctx, instance, form) {
    const attempt = authentication.begin(ctx, instance, form)
    const presented = await look(instance, attempt, form)
    const client = await attempt.admit(presented.unit)
    const answer = await runNative(instance, attempt, form, presented)
    if (answer.status === 401) await attempt.refuse()
    if (answer.status !== 200) {
      refuse(ctx, answer)
      return
    }
    await commit(instance, presented)
    ctx.body = await issue(instance, form, presented, client, answer)
  }

  /** One look-up for all that the request names. */
  async function look(instance: Instance, attempt: Attempt, form: Parameters): Promise<Presented> {
    const unit = newUnit(instance)
    const keys = [...attempt.keys]
    const grantType = form.text('grant_type')
    const isCode = grantType === 'authorization_code'
    if (!isCode && grantType !== 'refresh_token') {
      await readRecords(store, unit, keys)
      return { unit }
    }
    const value = form.text(isCode ? 'code' : 'refresh_token')
    const tokenKey = unitKey(unit, isCode ? 'code' : 'refresh-token', value)
    keys.push(tokenKey, unitKey(unit, 'grant', claimedGrant(value) ?? ''))
    await readRecords(store, unit, keys)
    const record = unit.records.get(tokenKey)
    if (record === undefined) return { unit }
    // What stands under a key of a kind is of that kind.
    return isCode
      ? { unit, code: record as StoredRecord<CodeRecord> }
      : { unit, refreshToken: record as StoredRecord<RefreshTokenRecord> }
  }

  async function runNative(
    instance: Instance,
    { basic }: Attempt,
    form: Parameters,
    { unit, code }: Presented,
  ): Promise<NativeAnswer> {
    const body: Record<string, string> = {}
    for (const name of PARAMETERS) {
      const value = form.text(name)
      if (value !== '') body[name] = value
    }
    // SPEC: oauth.md 6.2 row 8 - absent is fine: it is then the one that the code was made for.
    body['redirect_uri'] ??= code?.value.redirectUri ?? NO_REDIRECT_URI
    const answer = await units.run(unit, () =>
      options.providerOf(instance).run({
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

  /** Writes what the run changed: all of it, once among parallel runs; otherwise the client gets nothing. */
  async function commit(instance: Instance, { unit, code }: Presented): Promise<void> {
    if (unit.changes.length === 0) return
    const result = await store.write(unit.changes, { id: randomUUID() })
    if (result.written) return
    // Another run used the code between our look and our write: a replay like one that comes later.
    if (code !== undefined && result.failed === code.key) {
      await grants.revoke(instance, code.value.grantId, 'code replayed')
    }
    throw new OAuthError('invalid_grant', { description: 'grant request is invalid' })
  }

  /** The answer in our form, with our token in the place of the engine's (D69). */
  async function issue(
    instance: Instance,
    form: Parameters,
    { unit, refreshToken }: Presented,
    { client }: ParsedClient,
    { body, entities }: NativeAnswer,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { grantId: gid, jti } = entities.AccessToken ?? {}
    if (gid === undefined || jti === undefined)
      throw new Error('the engine issued a token without a grant')
    const slug = linkedSlug(client.metadata.software_id)
    // SPEC: oauth.md 6.4 - a linked client's scope is always that of its app.
    const scope =
      slug === undefined ? String(body?.['scope'] ?? '') : `@${options.namespace}.apps/${slug}`
    const lifetimeS = Math.floor(lifetimes.accessTokenMs / 1000)
    const iat = Math.floor(clock.now() / 1000)
    const accessToken = signJwt(await keyring.current(instance, 'access'), {
      iss: instance.domain,
      aud: 'access',
      sub: client.id,
      scope,
      iat,
      exp: iat + lifetimeS,
      jti,
      gid,
    })
    if (refreshToken !== undefined) await keepAlive(instance, refreshToken)
    options.lastUse.note(instance, client.id)
    const grant = refreshToken === undefined ? 'authorization_code' : 'refresh_token'
    options.emit('token.issued', { instance, client, grant, scope })
    return {
      access_token: accessToken,
      token_type: 'bearer',
      expires_in: lifetimeS,
      refresh_token: unit.refreshToken ?? form.text('refresh_token'),
      scope,
    }
  }

  /** Moves the end of an unused life, at most once a day and token (D41, D27). */
  async function keepAlive(
    instance: Instance,
    { key, value, expiresAt = 0 }: StoredRecord<RefreshTokenRecord>,
  ): Promise<void> {
    const { refreshTokenMs, accessTokenMs } = lifetimes
    const end = clock.now() + refreshTokenMs
    if (end - expiresAt < Math.min(DAY_MS, refreshTokenMs / 10)) return
    const grantKey = keyOf(instance.id, 'grant', value.grantId)
    await store.write([
      { op: 'touch', key, expiresAt: end, ifPresent: true },
      { op: 'touch', key: grantKey, expiresAt: end + accessTokenMs, ifPresent: true },
    ])
  }
}

/** Passes a refusal of the engine on: its codes and descriptions are those of RFC 6749. */
function refuse(ctx: Context, { status, body }: NativeAnswer): void {
  if (status >= 500 || body === undefined) throw new Error(`the engine answered ${status}`)
  ctx.status = status
  ctx.body = body
}
