import { DAY_MS, type Instance, type Parameters } from '@svc/platform'
import type { Store } from '@svc/store'
import type { Context } from 'koa'
import { type Client, linkedSlug } from '../clients/client.ts'
import { OAuthError } from '../errors.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { OAuthEvents } from '../ports.ts'
import type { Attempt, ClientAuthentication } from './client-authentication.ts'
import type { ParsedClient } from './client-cache.ts'
import { commitUnit } from './commit.ts'
import { NATIVE_PATHS } from './configuration.ts'
import type { TokenAnswer } from './engine.ts'
import type { ReadRecords } from './batched-reads.ts'
import type { Grants } from './grants.ts'
import type { AnswerTokens } from './issue-tokens.ts'
import type { LastUse } from './last-use.ts'
import type { NativeAnswer } from './native-run.ts'
import type { NativeEngine } from './provider-pool.ts'
import { notAfterEnd } from './records.ts'
import { newUnit, readUnit, type Unit, type Units } from './unit-of-work.ts'

export interface TokenBridgeOptions {
  readonly store: Store
  readonly read: ReadRecords
  readonly clock: { now(): number }
  readonly answerTokens: AnswerTokens
  /** Waits until a client has the app it is linked to. @throws OAuthError 503 `temporarily_unavailable` */
  readonly demandApp: (instance: Instance, client: Client) => Promise<void>
  /** Whether the client may have scope `*`. */
  readonly isCertified: (client: Client) => boolean
  readonly authentication: ClientAuthentication
  readonly units: Units
  readonly grants: Grants
  readonly lastUse: LastUse
  readonly lastSeen: LastUse
  readonly clientAddress: (ctx: Context) => string
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
/** Above the length of any right value: a longer one stays wrong, but does not become a body too large for the engine. */
const MAX_LENGTH = 4097

/**
 * `POST /auth/access_token`: the engine's token endpoint between two steps of ours, which know both wire formats.
 * @see oauth.md 6, 13.2 T1 to T12; decision D8
 */
export function createTokenBridge(
  options: TokenBridgeOptions,
): (ctx: Context, instance: Instance, form: Parameters) => Promise<void> {
  const { store, read, clock, authentication, units, grants, lifetimes } = options

  return async function token(ctx, instance, form) {
    const attempt = authentication.begin(ctx, instance, form)
    const unit = newUnit(instance)
    await readUnit(read, unit, attempt.keys, presentedToken(form))
    const client = await attempt.admit(unit)
    const answer = await runNative(unit, attempt, form)
    if (answer.status === 401) await attempt.refuse()
    if (answer.status !== 200) {
      refuse(ctx, answer)
      return
    }
    checkCertified(unit, client)
    // SPEC: oauth.md 6.2 row 16 - nothing is used up before; and nobody waits who has not shown the secret.
    await options.demandApp(instance, client.client)
    await commit(unit)
    options.lastSeen.note(instance, client.client.id, options.clientAddress(ctx))
    ctx.body = await issue(unit, form, client, answer)
  }

  async function runNative(
    unit: Unit,
    { basic }: Attempt,
    form: Parameters,
  ): Promise<NativeAnswer> {
    const body: Record<string, string> = {}
    for (const name of PARAMETERS) {
      const value = form.text(name)
      if (value !== '') body[name] = value.slice(0, MAX_LENGTH)
    }
    // SPEC: oauth.md 6.2 row 8 - absent is fine: it is then the one that the code was made for.
    body['redirect_uri'] ??= unit.grant?.record?.value.code.redirectUri ?? NO_REDIRECT_URI
    const answer = await units.run(unit, () =>
      options.providerOf(unit.instance).run({
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
  function checkCertified({ grant }: Unit, { client }: ParsedClient): void {
    if (grant?.record?.value.scope !== '*' || options.isCertified(client)) return
    const description = 'grant request is invalid'
    throw new OAuthError('invalid_grant', { description, detail: 'its client is not certified' })
  }

  /** Writes what the run changed: all of it, once among parallel runs; otherwise the client gets nothing. */
  async function commit(unit: Unit): Promise<void> {
    if (unit.grant?.next === undefined) return
    if (await commitUnit(store, clock, unit)) return
    // Another run used the code between our look and our write (a replay like one that comes later), or the grant
    // was revoked.
    await grants.revoke(unit.instance, unit.grant.next.value.id, 'code replayed')
    throw new OAuthError('invalid_grant', { description: 'grant request is invalid' })
  }

  /** The answer in our form, with our token in the place of the engine's (D69). */
  async function issue(
    unit: Unit,
    form: Parameters,
    { client }: ParsedClient,
    { body, entities }: NativeAnswer,
  ): Promise<TokenAnswer> {
    const { instance, refreshToken = form.text('refresh_token') } = unit
    const { grantId: gid, jti } = entities.AccessToken ?? {}
    if (gid === undefined || jti === undefined)
      throw new Error('the engine issued a token without a grant')
    const slug = linkedSlug(client.metadata.software_id)
    // SPEC: oauth.md 6.4 - a linked client's scope is always that of its app.
    const scope =
      slug === undefined ? String(body?.['scope'] ?? '') : `@${options.namespace}.apps/${slug}`
    const end = unit.grant?.next?.value ?? unit.grant?.record?.value ?? {}
    const granted = { client, grantId: gid, scope, refreshToken, jti }
    const tokens = await options.answerTokens(instance, granted, end)
    const isRefresh = unit.refreshToken === undefined
    if (isRefresh) await keepAlive(unit)
    options.lastUse.note(instance, client.id)
    const grant = isRefresh ? 'refresh_token' : 'authorization_code'
    options.emit('token.issued', { instance, client, grant, scope })
    return tokens
  }

  /** Moves the end of an unused life, at most once a day and grant (D41, D27). */
  async function keepAlive({ grant }: Unit): Promise<void> {
    if (grant?.record === undefined) return
    const { refreshTokenMs, accessTokenMs } = lifetimes
    const { key, expiresAt = 0 } = grant.record
    const end = notAfterEnd(grant.record.value, clock.now() + refreshTokenMs + accessTokenMs)
    if (end - expiresAt < Math.min(DAY_MS, refreshTokenMs / 10)) return
    await store.write([{ op: 'touch', key, expiresAt: end, ifPresent: true }])
  }
}

/** What the request presents for tokens, whatever becomes of it. */
function presentedToken(form: Parameters): string {
  const grantType = form.text('grant_type')
  if (grantType === 'authorization_code') return form.text('code')
  return grantType === 'refresh_token' ? form.text('refresh_token') : ''
}

/** Passes a refusal of the engine on: its codes and descriptions are those of RFC 6749. */
function refuse(ctx: Context, { status, body }: NativeAnswer): void {
  if (status >= 500 || body === undefined) throw new Error(`the engine answered ${status}`)
  ctx.status = status
  ctx.body = body
}
