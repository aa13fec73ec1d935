import * as oauth from 'oauth4webapi'
import { loopbackFetch } from './loopback-fetch.ts'
import type { LoopbackMap } from './loopback-request.ts'

export interface RelyingPartyOptions extends LoopbackMap {
  /** The instance, e.g. `https://alice.example.com`. */
  readonly issuer: string
  /** @defaultValue `https://client.example/callback` */
  readonly redirectUri?: string
  /** Client metadata of the registration, besides `redirect_uris`. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** How the secret travels. @defaultValue `client_secret_post` */
  readonly authentication?: 'client_secret_post' | 'client_secret_basic'
}

/** What a registered client knows about itself: its metadata as registered, wire names. */
export type RegisteredClient = oauth.OmitSymbolProperties<oauth.Client>

/** One authorization in the making. */
export interface PendingAuthorization {
  /** Where to send the owner. */
  readonly url: string
  readonly state: string
  readonly codeVerifier: string
}

export interface AuthorizeOptions {
  readonly scope: string
  /** @defaultValue a random one */
  readonly state?: string
  /** Whether the request carries an S256 challenge. @defaultValue `true` */
  readonly pkce?: boolean
  /** More parameters. */
  readonly parameters?: Readonly<Record<string, string>>
}

/** An outside OAuth client, on oauth4webapi: it checks every answer as strictly as RFC 6749, 7591, 8414 and 9207 ask. */
export interface RelyingParty {
  readonly redirectUri: string
  /** Metadata of the server (RFC 8414), read once. */
  discover(): Promise<oauth.AuthorizationServer>
  /** Registers by RFC 7591 and remembers the answer. */
  register(metadata?: Readonly<Record<string, unknown>>): Promise<RegisteredClient>
  /** @throws Error before `register` */
  readonly client: RegisteredClient
  authorize(options: AuthorizeOptions): Promise<PendingAuthorization>
  /** Checks the callback (state, issuer, error) and exchanges its code. */
  exchange(callbackUrl: string, pending: PendingAuthorization): Promise<oauth.TokenEndpointResponse>
  refresh(refreshToken: string): Promise<oauth.TokenEndpointResponse>
  /** RFC 7009. */
  revoke(token: string): Promise<void>
  /** Calls a resource with a bearer token. @throws oauth4webapi's WWWAuthenticateChallengeError on a challenge */
  call(accessToken: string, method: string, url: string, json?: unknown): Promise<Response>
}

/** A client that is not registered yet. */
export function relyingParty(options: RelyingPartyOptions): RelyingParty {
  const redirectUri = options.redirectUri ?? 'https://client.example/callback'
  const http = {
    [oauth.customFetch]: loopbackFetch(options),
    [oauth.allowInsecureRequests]: options.issuer.startsWith('http:'),
  }
  let server: Promise<oauth.AuthorizationServer> | undefined
  let registered: RegisteredClient | undefined

  const discover = (): Promise<oauth.AuthorizationServer> => {
    server ??= (async () => {
      const issuer = new URL(options.issuer)
      const response = await oauth.discoveryRequest(issuer, { ...http, algorithm: 'oauth2' })
      return await oauth.processDiscoveryResponse(issuer, response)
    })()
    return server
  }
  const client = (): RegisteredClient => {
    if (registered === undefined) throw new Error('the relying party has not registered yet')
    return registered
  }
  const secret = (): oauth.ClientAuth => {
    const value = String(client().client_secret)
    return options.authentication === 'client_secret_basic'
      ? oauth.ClientSecretBasic(value)
      : oauth.ClientSecretPost(value)
  }

  return {
    redirectUri,
    discover,
    get client() {
      return client()
    },
    register: async (metadata = {}) => {
      const response = await oauth.dynamicClientRegistrationRequest(
        await discover(),
        {
          redirect_uris: [redirectUri],
          client_name: 'Relying party',
          software_id: 'github.com/example/relying-party',
          ...options.metadata,
          ...metadata,
        },
        http,
      )
      registered = await oauth.processDynamicClientRegistrationResponse(response)
      return registered
    },
    authorize: async ({ scope, state, pkce = true, parameters = {} }) => {
      const codeVerifier = oauth.generateRandomCodeVerifier()
      const pending = state ?? oauth.generateRandomState()
      const url = new URL(required((await discover()).authorization_endpoint))
      url.search = new URLSearchParams({
        client_id: client().client_id,
        redirect_uri: redirectUri,
        response_type: 'code',
        state: pending,
        scope,
        ...(pkce && {
          code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
        }),
        ...parameters,
      }).toString()
      return { url: url.href, state: pending, codeVerifier: pkce ? codeVerifier : '' }
    },
    exchange: async (callbackUrl, pending) => {
      const as = await discover()
      const checked = oauth.validateAuthResponse(as, client(), new URL(callbackUrl), pending.state)
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        client(),
        secret(),
        checked,
        redirectUri,
        pending.codeVerifier === '' ? oauth.nopkce : pending.codeVerifier,
        http,
      )
      return await oauth.processAuthorizationCodeResponse(as, client(), response)
    },
    refresh: async (refreshToken) => {
      const as = await discover()
      const response = await oauth.refreshTokenGrantRequest(
        as,
        client(),
        secret(),
        refreshToken,
        http,
      )
      return await oauth.processRefreshTokenResponse(as, client(), response)
    },
    revoke: async (token) => {
      const as = await discover()
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(as, client(), secret(), token, http),
      )
    },
    call: (accessToken, method, url, json) => {
      const headers = new Headers(json === undefined ? {} : { 'content-type': 'application/json' })
      const body = json === undefined ? null : JSON.stringify(json)
      return oauth.protectedResourceRequest(accessToken, method, new URL(url), headers, body, http)
    },
  }
}

function required(endpoint: string | undefined): string {
  if (endpoint === undefined) throw new Error('the server metadata names no such endpoint')
  return endpoint
}
