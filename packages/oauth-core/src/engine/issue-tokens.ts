import type { Store } from '@svc/store'
import type { Client } from '../clients/client.ts'
import { type Instance, type Keyring, randomId } from '@svc/platform'
import type { Lifetimes } from '../lifetimes.ts'
import type { OAuthEvents } from '../ports.ts'
import { signJwt } from '../tokens/jwt.ts'
import type { ClientRecords } from './client-records.ts'
import type { Engine, TokenAnswer } from './engine.ts'
import type { Grants } from './grants.ts'
import type { LastUse } from './last-use.ts'
import {
  digestOf,
  grantEntries,
  grantKey,
  type GrantRecord,
  notAfterEnd,
  tokenOfGrant,
} from './records.ts'

/** Signs the access token of a grant and makes the answer that carries it. */
export type AnswerTokens = (
  instance: Instance,
  grant: {
    readonly client: Client
    readonly grantId: string
    readonly scope: string
    readonly refreshToken: string
    readonly jti: string
  },
  end?: Pick<GrantRecord, 'endsAt'>,
) => Promise<TokenAnswer>

/** @see oauth.md 6.3, 7.1; decision D69 */
export function createAnswerTokens(options: {
  readonly keyring: Keyring
  readonly clock: { now(): number }
  readonly lifetimes: Lifetimes
}): AnswerTokens {
  const { keyring, clock, lifetimes } = options
  return async function answerTokens(instance, granted, end = {}) {
    const { client, grantId, scope, refreshToken, jti } = granted
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
}

export interface IssueTokensOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly clients: ClientRecords
  readonly grants: Grants
  readonly lastUse: LastUse
  readonly lifetimes: Lifetimes
  readonly answerTokens: AnswerTokens
  readonly emit: <Name extends keyof OAuthEvents>(name: Name, event: OAuthEvents[Name]) => void
}

const GRANT_ID_BYTES = 16
const SECRET_BYTES = 32

/** A grant whose code is spent before anybody saw it: from here on it is like any other. */
export function createIssueTokens(options: IssueTokensOptions): Engine['issueTokens'] {
  const { store, clock, clients, grants, lifetimes } = options

  return async function issueTokens(instance, { client, scope, admit }) {
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
        { op: 'check', key: clients.keyOf(instance, client.id), ifPresent: true },
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
      await grants.revoke(instance, grantId, 'not admitted')
      throw error
    })
    await grants.trim(instance, client.id)
    const grant = { client, grantId, scope, refreshToken, jti: randomId() }
    const answer = await options.answerTokens(instance, grant)
    options.lastUse.note(instance, client.id)
    options.emit('token.issued', { instance, client, grant: 'direct', scope })
    return answer
  }
}
