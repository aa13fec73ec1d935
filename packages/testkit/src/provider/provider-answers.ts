import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { PlainAnswer, ProviderEndpoint, ProviderOptions } from './provider.ts'
import type { IssuedTokens, ProviderGrants } from './provider-grants.ts'
import type { ProviderRequest } from './provider-requests.ts'

/** What a correct provider answers. */
export interface ProviderAnswers {
  readonly answer: Readonly<
    Record<ProviderEndpoint, (request: ProviderRequest) => PlainAnswer | Promise<PlainAnswer>>
  >
  idToken(claims: Readonly<Record<string, unknown>>): Promise<string>
}

/** @param originOf - where it is served, known once it listens */
export async function createProviderAnswers(
  options: ProviderOptions & {
    readonly clientId: string
    readonly clientSecret: string | null
    readonly expiresIn: number
    readonly now: () => number
  },
  grants: ProviderGrants,
  originOf: () => string,
): Promise<ProviderAnswers> {
  const { clientId, clientSecret, expiresIn, now } = options
  const { sendsIssuer = false, subject = 'subject-1' } = options
  const keys = await generateKeyPair('ES256')
  const jwk = await exportJWK(keys.publicKey)

  function isClient({ client }: ProviderRequest): boolean {
    return client.id === clientId && (client.secret ?? null) === clientSecret
  }

  const answer: ProviderAnswers['answer'] = {
    authorize: ({ parameters }) => {
      const { client_id, redirect_uri, scope = '', state, nonce, code_challenge } = parameters
      if (client_id !== clientId || parameters.response_type !== 'code') return { status: 400 }
      const target = URL.parse(redirect_uri ?? '')
      if (target === null) return { status: 400 }
      const code = grants.allow({
        clientId,
        scope,
        ...(redirect_uri !== undefined && { redirectUri: redirect_uri }),
        ...(code_challenge !== undefined && { challenge: code_challenge }),
        ...(nonce !== undefined && { nonce }),
      })
      target.searchParams.set('code', code)
      if (state !== undefined) target.searchParams.set('state', state)
      if (sendsIssuer) target.searchParams.set('iss', originOf())
      return { status: 302, headers: { location: target.href } }
    },
    token: async (request) => {
      if (!isClient(request)) return { status: 401, body: { error: 'invalid_client' } }
      const { grant_type, code = '', redirect_uri, code_verifier } = request.parameters
      const { refresh_token = '' } = request.parameters
      if (grant_type !== 'authorization_code' && grant_type !== 'refresh_token') {
        return { status: 400, body: { error: 'unsupported_grant_type' } }
      }
      const tokens =
        grant_type === 'refresh_token'
          ? grants.refresh(refresh_token, clientId)
          : grants.exchange(code, clientId, redirect_uri, code_verifier)
      if (tokens === undefined) return { status: 400, body: { error: 'invalid_grant' } }
      return { body: await tokenBody(tokens) }
    },
    revoke: (request) => {
      if (!isClient(request)) return { status: 401, body: { error: 'invalid_client' } }
      grants.revoke(request.parameters.token ?? '')
      return { status: 200 }
    },
    metadata: () => {
      const origin = originOf()
      return {
        body: {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          revocation_endpoint: `${origin}/revoke`,
          jwks_uri: `${origin}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['ES256'],
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: sendsIssuer,
          ...options.metadata,
        },
      }
    },
    jwks: () => ({
      body: { keys: [{ ...jwk, alg: 'ES256', use: 'sig', kid: '1' }] },
    }),
  }

  async function tokenBody(tokens: IssuedTokens): Promise<Record<string, unknown>> {
    const isOpenId = tokens.scope.split(' ').includes('openid')
    return {
      access_token: tokens.accessToken,
      token_type: 'Bearer',
      expires_in: expiresIn,
      refresh_token: tokens.refreshToken,
      ...(tokens.scope !== '' && { scope: tokens.scope }),
      ...options.tokenMembers?.({ origin: originOf() }),
      ...(isOpenId && { id_token: await idToken({ nonce: tokens.nonce }) }),
    }
  }

  function idToken(claims: Readonly<Record<string, unknown>>): Promise<string> {
    const issuedAt = Math.floor(now() / 1000)
    const all = {
      iss: originOf(),
      aud: clientId,
      sub: subject,
      iat: issuedAt,
      exp: issuedAt + 300,
      ...claims,
    }
    return new SignJWT(all).setProtectedHeader({ alg: 'ES256', kid: '1' }).sign(keys.privateKey)
  }

  return { answer, idToken }
}
