import type http from 'node:http'
import type { Gate } from '../gate.ts'
import type { ProviderGrants } from './provider-grants.ts'
import type { ProviderRequest } from './provider-requests.ts'

/** Parts of an answer. */
export interface PlainAnswer {
  /** @defaultValue `200` */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, or as JSON. */
  readonly body?: string | Buffer | object
}

/** An answer of a test's own: parts of one, or whatever is done to the response. */
export type ScriptedAnswer =
  | PlainAnswer
  | ((request: ProviderRequest, response: http.ServerResponse) => void | Promise<void>)

/**
 * Answers requests in place of the provider's endpoints, or of its 404: such as a page that asks the person first.
 * Undefined: it does not.
 */
export type ProviderPages = (
  request: ProviderRequest,
  provider: Pick<Provider, 'grants' | 'origin'>,
) => PlainAnswer | undefined

/** What a path can be scripted for. */
export type ProviderEndpoint = 'authorize' | 'token' | 'revoke' | 'metadata' | 'jwks'

export interface ProviderOptions {
  /** @defaultValue `client-1` */
  readonly clientId?: string
  /** `null`: a public client. @defaultValue `secret-1` */
  readonly clientSecret?: string | null
  /** First answers of the token endpoint, one a request; then those of a correct provider. */
  readonly answers?: readonly ScriptedAnswer[]
  /** Whether refresh tokens rotate, with reuse detection. @defaultValue `true` */
  readonly isRotating?: boolean
  /** Life of access tokens. Seconds. @defaultValue `3600` */
  readonly expiresIn?: number
  /** Whether its redirects carry `iss`, and its metadata says so. @defaultValue `false` */
  readonly sendsIssuer?: boolean
  /** `sub` of its id tokens, which come with the scope `openid`. @defaultValue `subject-1` */
  readonly subject?: string
  /** More members of its metadata, or others. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** More members of its answers with tokens. @defaultValue none */
  readonly tokenMembers?: (provider: Pick<Provider, 'origin'>) => Readonly<Record<string, unknown>>
  /** @defaultValue everything is allowed at once, nobody is asked */
  readonly pages?: ProviderPages
  /** Where it listens. @defaultValue `0`, chosen by the system */
  readonly port?: number
  /** Serves https. PEM. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** Host name of its addresses. @defaultValue `127.0.0.1` */
  readonly hostname?: string
  /** @defaultValue the machine's */
  readonly clock?: { now(): number }
}

/** A real OAuth provider on loopback. */
export interface Provider {
  readonly port: number
  /** Also its issuer. */
  readonly origin: string
  /** What an account type needs to know about it. */
  readonly entry: {
    readonly client_id: string
    readonly client_secret?: string
    readonly auth_endpoint: string
    readonly token_endpoint: string
    readonly revocation_endpoint: string
  }
  /** Every request, oldest first. */
  readonly requests: readonly ProviderRequest[]
  /** Those of one endpoint. */
  requestsOf(endpoint: ProviderEndpoint): readonly ProviderRequest[]
  /** Next answers of an endpoint, one a request, after those that still wait. */
  script(endpoint: ProviderEndpoint, ...answers: readonly ScriptedAnswer[]): void
  /** Requests of an endpoint wait behind the gate, after they were counted and before anything is done. */
  hold(endpoint: ProviderEndpoint): Gate
  /** Codes and tokens: what is live, and ending it. */
  readonly grants: ProviderGrants
  /** An id token as this provider signs them, with other claims. */
  idToken(claims: Readonly<Record<string, unknown>>): Promise<string>
  close(): Promise<void>
}
