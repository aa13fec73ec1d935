import { type Instance, randomId } from '@svc/platform'
import type { Change } from '@svc/store'
import type { Provider } from 'oidc-provider'
import type { Client } from '../clients/client.ts'
import { clientKey } from '../clients/client-record.ts'
import { OAuthError } from '../errors.ts'
import { answerTokens, type TokenAnswer } from './bridge.ts'
import { OWNER, RESOURCE } from './configuration.ts'
import type { Engine } from './engine.ts'
import {
  digestOf,
  grantEntries,
  grantKey,
  type GrantRecord,
  revokeGrant,
  tokenOfGrant,
  trimGrants,
} from './grant.ts'
import { changesOf, newUnit, runUnit } from './unit-of-work.ts'

/** What an authorization code stands for. @see oauth.md 5.8 */
export interface CodeRequest {
  readonly client: Client
  readonly redirectUri: string
  readonly scope: string
  /** Path of the resource that the tokens are for. Absent: the interface itself. */
  readonly resource?: string
  /** S256 challenge. */
  readonly codeChallenge?: string
  /**
   * When everything ends that comes of the code: milliseconds since the epoch, a whole second, so that no token of the
   * grant is ever good for no time at all.
   */
  readonly endsAt?: number
  /** More changes of the same write. */
  readonly also?: readonly Change[]
}

/** A client that gets tokens without a code. */
export interface DirectRequest {
  readonly client: Client
  readonly scope: string
  /**
   * Asked once the grant is stored, so that whoever ends grants meanwhile either finds it or is seen; when it rejects,
   * the grant ends.
   */
  readonly admit?: () => Promise<void>
}

const GRANT_ID_BYTES = 16
const CODE_BYTES = 32
const SECRET_BYTES = 32

/**
 * Makes a grant and its one-time code through the engine's models, in one write that demands the client.
 * @throws OAuthError 400 `invalid_client` when the client is gone
 * @see oauth.md 13.1
 */
export async function mintCode(
  engine: Engine,
  instance: Instance,
  request: CodeRequest,
): Promise<string> {
  const { client, endsAt, resource, also = [] } = request
  const unit = newUnit(instance)
  if (resource !== undefined) unit.grantResource = resource
  if (endsAt !== undefined) unit.grantEndsAt = endsAt
  const { provider } = await engine.providers.of(instance)
  const code = await runUnit(unit, () => saveCode(provider, request))
  const result = await engine.store.write(
    [
      { op: 'check', key: clientKey(instance.id, client.id), ifPresent: true },
      ...changesOf(unit),
      ...also,
    ],
    { id: randomId() },
  )
  if (!result.written) {
    const description = 'The client must be registered'
    throw new OAuthError('invalid_client', { status: 400, description })
  }
  await trimGrants(engine, instance, client.id)
  return code
}

/**
 * Makes a grant with its tokens, without a code: for a client whose owner just logged in with it (oauth.md 7.3). The
 * grant's code is spent before anybody saw it: from here on it is like any other. Undefined when the client is gone.
 */
export async function issueTokens(
  engine: Engine,
  instance: Instance,
  { client, scope, admit }: DirectRequest,
): Promise<TokenAnswer | undefined> {
  const { store, clock, lifetimes } = engine
  const grantId = randomId(GRANT_ID_BYTES)
  const refreshToken = tokenOfGrant(grantId, randomId(SECRET_BYTES))
  const now = clock.now()
  const value: GrantRecord = {
    id: grantId,
    clientId: client.id,
    scope,
    createdAt: now,
    code: {
      hash: digestOf(randomId(SECRET_BYTES)),
      redirectUri: '',
      expiresAt: now,
      consumedAt: now,
    },
    refreshToken: digestOf(refreshToken),
  }
  const result = await store.write(
    [
      { op: 'check', key: clientKey(instance.id, client.id), ifPresent: true },
      {
        op: 'put',
        key: grantKey(instance.id, grantId),
        value,
        expiresAt: now + lifetimes.refreshTokenMs + lifetimes.accessTokenMs,
        indexes: grantEntries(instance.id, value),
        ifAbsent: true,
      },
    ],
    { id: randomId() },
  )
  if (!result.written) return undefined
  await admit?.().catch(async (error: unknown) => {
    await revokeGrant(engine, instance, grantId, 'not admitted')
    throw error
  })
  await trimGrants(engine, instance, client.id)
  const granted = { client, grantId, scope, refreshToken, jti: randomId() }
  const answer = await answerTokens(engine, instance, granted)
  engine.lastRefreshed.note(instance, client.id)
  engine.emitter.emit('token.issued', { instance, client, grant: 'direct', scope })
  return answer
}

async function saveCode(provider: Provider, request: CodeRequest): Promise<string> {
  const { client, redirectUri, scope, codeChallenge } = request
  const grantId = randomId(GRANT_ID_BYTES)
  const code = new provider.AuthorizationCode({
    accountId: OWNER,
    clientId: client.id,
    expiresWithSession: false,
    grantId,
    redirectUri,
    resource: RESOURCE,
    scope,
    ...(codeChallenge === undefined ? {} : { codeChallenge, codeChallengeMethod: 'S256' }),
    // The declared type wants a parsed client, of which the model takes the identifier.
  } as unknown as ConstructorParameters<Provider['AuthorizationCode']>[0])
  code.jti = tokenOfGrant(grantId, randomId(CODE_BYTES))
  const value = await code.save()
  const grant = new provider.Grant({ accountId: OWNER, clientId: client.id })
  grant.jti = grantId
  grant.addResourceScope(RESOURCE, scope)
  await grant.save()
  return value
}
