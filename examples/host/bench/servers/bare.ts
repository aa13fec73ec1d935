import { createHash, createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Store } from '@svc/store'
import {
  type AdapterFactory,
  type AdapterPayload,
  type Configuration,
  type JWK,
  Provider,
} from 'oidc-provider'
import {
  type BenchClient,
  type BenchServer,
  CLIENTS,
  exchangeForm,
  mintAll,
  notServed,
  REDIRECT_URI,
  refreshForm,
  SCOPE,
  toRegistration,
  toTokenMessage,
  VERIFIER,
} from './bench-server.ts'
import { plainAdapter } from './plain-adapter.ts'

const HOST = 'bare.example.com'
const RESOURCE = 'urn:svc:bench'
const TEN_YEARS_S = 315_360_000

/** The engine by itself: the configuration of oauth.md 13.1, the same tokens signed by its own means. */
export async function startBare(store: Store): Promise<BenchServer> {
  const adapter = plainAdapter(store)
  const provider = new Provider(`https://${HOST}`, configuration(adapter))
  const server = http.createServer(provider.callback())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // A TCP server's address is an object.
  const clients: BenchClient[] = []

  async function register(): Promise<BenchClient> {
    const client = {
      id: randomBytes(16).toString('hex'),
      secret: randomBytes(24).toString('base64url'),
    }
    await adapter('Client').upsert(client.id, {
      application_type: 'web',
      client_id: client.id,
      client_name: `Bench ${clients.length}`,
      client_secret: client.secret,
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [REDIRECT_URI],
      response_types: ['code'],
      software_id: 'github.com/example/bench',
      token_endpoint_auth_method: 'client_secret_post',
    } as AdapterPayload)
    return client
  }

  async function grantOf(client: BenchClient): Promise<string> {
    const grant = new provider.Grant({ accountId: 'owner', clientId: client.id })
    grant.addResourceScope(RESOURCE, SCOPE)
    return grant.save()
  }

  async function codeOf(client: BenchClient): Promise<string> {
    const found = await provider.Client.find(client.id)
    if (found === undefined) throw new Error('the client was not stored')
    return new provider.AuthorizationCode({
      accountId: 'owner',
      client: found,
      codeChallenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      codeChallengeMethod: 'S256',
      expiresWithSession: false,
      grantId: await grantOf(client),
      redirectUri: REDIRECT_URI,
      resource: RESOURCE,
      scope: SCOPE,
    } as ConstructorParameters<typeof provider.AuthorizationCode>[0]).save()
  }

  async function refreshTokenOf(client: BenchClient): Promise<string> {
    const found = await provider.Client.find(client.id)
    if (found === undefined) throw new Error('the client was not stored')
    return new provider.RefreshToken({
      accountId: 'owner',
      client: found,
      expiresWithSession: false,
      grantId: await grantOf(client),
      gty: 'authorization_code',
      resource: RESOURCE,
      rotations: 0,
      scope: SCOPE,
    } as ConstructorParameters<typeof provider.RefreshToken>[0]).save()
  }

  return {
    port,
    async prepare(job, count) {
      if (job === 'registration') {
        const more = { token_endpoint_auth_method: 'client_secret_post' }
        return Array.from({ length: count }, () => toRegistration(HOST, more))
      }
      if (job !== 'exchange' && job !== 'refresh') throw notServed(job)
      while (clients.length < CLIENTS) clients.push(await register())
      return mintAll(count, async (i) => {
        const client = clients[i % CLIENTS] as BenchClient // The remainder is an index.
        const form =
          job === 'exchange'
            ? exchangeForm(client, await codeOf(client))
            : refreshForm(client, await refreshTokenOf(client))
        return toTokenMessage(HOST, form)
      })
    },
  }
}

function configuration(adapter: AdapterFactory): Configuration {
  const key = createSecretKey(randomBytes(64))
  const account = { accountId: 'owner', claims: () => ({ sub: 'owner' }) }
  return {
    adapter,
    clientAuthMethods: ['client_secret_post', 'client_secret_basic'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
    cookies: { keys: ['bench'] },
    expiresWithSession: () => false,
    extraClientMetadata: { properties: ['software_id'] },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: { enabled: true },
      registrationManagement: { enabled: true, rotateRegistrationAccessToken: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        getResourceServerInfo: (ctx) => {
          const { AuthorizationCode: code, RefreshToken: token } = ctx.oidc.entities
          const scopes = [ctx.oidc.params?.['scope'], code?.scope, token?.scope]
          return {
            accessTokenFormat: 'jwt',
            accessTokenTTL: 86_400,
            audience: 'access',
            jwt: { sign: { alg: 'HS512', key, kid: 'access.1' } },
            scope: scopes.filter((scope) => typeof scope === 'string').join(' '),
          }
        },
        useGrantedResource: () => true,
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    findAccount: () => account,
    formats: {
      customizers: {
        jwt: (_ctx, token, jwt) => {
          jwt.header = { typ: 'JWT' }
          const gid = 'grantId' in token ? token.grantId : undefined
          Object.assign(jwt.payload, { iss: HOST, sub: token.clientId, gid })
          delete jwt.payload['client_id']
        },
      },
    },
    issueRefreshToken: () => true,
    jwks: { keys: [signingKey()] },
    pkce: { required: () => false },
    responseTypes: ['code'],
    rotateRefreshToken: false,
    routes: {
      authorization: '/auth/authorize',
      registration: '/auth/register',
      token: '/auth/access_token',
    },
    scopes: [],
    ttl: {
      AccessToken: 86_400,
      AuthorizationCode: 300,
      Grant: TEN_YEARS_S,
      RefreshToken: TEN_YEARS_S,
    },
  }
}

function signingKey(): JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  // The members of an EC key, which this is.
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' } as JWK
}
