import type { InstanceId } from '@svc/platform'

/** How a provider's token endpoint takes the client's secret. @see connectors.md 6.2 */
export type TokenMode = 'form' | 'basic' | 'get'

/** How an account comes into being: at the provider's pages, imported, or without OAuth. @see connectors.md K2 */
export type GrantMode =
  | 'authorization_code'
  | 'authorization_code+secret'
  | 'refresh_token'
  | 'secret'

/** Entry of the secrets store, as operators write it; names are those of the wire. @see connectors.md 2.1 */
export interface AccountTypeEntry {
  /** `<name>`, or `<context>/<name>` to take its place in one context. */
  readonly _id: string
  readonly slug?: string
  readonly preset?: string
  readonly grant_mode?: GrantMode
  readonly client_id?: string
  readonly client_secret?: string
  readonly auth_endpoint?: string
  readonly token_endpoint?: string
  readonly refresh_endpoint?: string
  readonly revocation_endpoint?: string
  readonly issuer?: string
  /** `post` is read as `form`. */
  readonly token_mode?: TokenMode | 'post'
  readonly redirect_uri?: string
  readonly extras?: Readonly<Record<string, string>>
  readonly skip_redirect_uri_on_authorize?: boolean
  readonly skip_state_on_token?: boolean
  /** Any JSON, handed to the connector. */
  readonly secret?: unknown
  /** For notifications. @see notifications.md 16.3 */
  readonly push_credentials?: unknown
  /** For notifications. @see notifications.md 16.3 */
  readonly apns_credentials?: unknown
  readonly pkce?: 'S256' | 'off'
  /** @defaultValue one space */
  readonly scope_separator?: string
  /** Name of the parameter that carries the scope (D38: `user_scope` of Slack). @defaultValue `scope` */
  readonly scope_param?: string
  /** Where granted scopes are read (D38). @defaultValue `token` */
  readonly scope_from?: 'token' | 'callback'
  /** Asked for besides what the connector asks, such as `offline_access`. */
  readonly added_scopes?: readonly string[]
  readonly token_basic_encoding?: 'raw' | 'rfc6749'
  readonly token_body_format?: 'form' | 'json'
  readonly token_params?: Readonly<Record<string, string>>
  readonly refresh_params?: Readonly<Record<string, string>>
  readonly token_headers?: Readonly<Record<string, string>>
  /** Values of `token_type` that are taken besides `bearer`, in any case. */
  readonly token_types?: readonly string[]
  /** Dotted path of the object that holds the tokens. */
  readonly token_response_path?: string
  /** Dotted path of a number that is not 0 when a 200 is an error (Withings: `status`). */
  readonly error_status_path?: string
  readonly callback_params?: readonly string[]
  /** Codes of errors that mean that the owner has to connect again. */
  readonly revoked_errors?: readonly string[]
  /** Codes of errors that the operator has to mend. */
  readonly config_errors?: readonly string[]
  /** Codes of errors that pass by themselves. */
  readonly later_errors?: readonly string[]
  /**
   * Dotted paths to codes of errors, besides the usual ones. A list on the way stands for each of its items; members
   * joined with `+` (`errors.resource+field+code`) are one code, with points between them.
   */
  readonly error_paths?: readonly string[]
  readonly nonce_on_token?: boolean
  readonly browser_binding?: boolean
  /** Seconds. */
  readonly refresh_margin?: number
  /** Whether idle refresh tokens die, so that one is used at least every 24 h. */
  readonly keepalive?: boolean
  readonly trusted_network?: boolean
  readonly [other: string]: unknown
}

/**
 * What every other part works with: preset applied, defaults filled in, context prefix gone. Secrets are behind
 * `Secret`, which prints as `[redacted]`.
 */
export interface AccountType {
  /** Without context prefix. */
  readonly name: string
  /** As stored, with its context prefix. */
  readonly id: string
  readonly slug: string | undefined
  readonly preset: string | undefined
  readonly grantMode: GrantMode | undefined
  /** Whether owners connect it at the provider's pages. */
  readonly isInteractive: boolean
  readonly clientId: string
  readonly clientSecret: Secret<string> | undefined
  readonly authEndpoint: string | undefined
  readonly tokenEndpoint: string | undefined
  readonly refreshEndpoint: string | undefined
  readonly revocationEndpoint: string | undefined
  readonly issuer: string | undefined
  readonly tokenMode: TokenMode
  readonly redirectUri: string | undefined
  readonly extras: Readonly<Record<string, string>>
  readonly skipsRedirectUriOnAuthorize: boolean
  readonly skipsStateOnToken: boolean
  readonly secret: Secret<unknown> | undefined
  /** Undefined: automatic (K9). */
  readonly pkce: 'S256' | 'off' | undefined
  readonly scopeSeparator: string
  readonly scopeParam: string
  readonly scopeFrom: 'token' | 'callback'
  /** To be asked for besides what the connector asks. */
  readonly addedScopes: readonly string[]
  readonly tokenBasicEncoding: 'raw' | 'rfc6749'
  readonly tokenBodyFormat: 'form' | 'json'
  readonly tokenParams: Readonly<Record<string, string>>
  readonly refreshParams: Readonly<Record<string, string>>
  readonly tokenHeaders: Readonly<Record<string, string>>
  readonly tokenTypes: readonly string[]
  readonly tokenResponsePath: readonly string[]
  readonly errorStatusPath: readonly string[] | undefined
  readonly callbackParams: readonly string[]
  readonly revokedErrors: readonly string[]
  readonly configErrors: readonly string[]
  readonly laterErrors: readonly string[]
  readonly errorPaths: readonly (readonly string[])[]
  readonly sendsNonceOnToken: boolean
  readonly hasBrowserBinding: boolean
  readonly refreshMarginMs: number | undefined
  readonly isKeptAlive: boolean
  readonly isTrustedNetwork: boolean
  /**
   * Why it cannot be used for OAuth, though it exists: `start` and `refresh` answer `account_type_misconfigured`.
   * For logs, never for clients. @see connectors.md 2.2 (5)
   */
  readonly fault: AccountTypeFault | undefined
}

/** A value that must not be printed: `inspect`, `JSON.stringify` and templates show `[redacted]`. */
export interface Secret<Value> {
  /** The only way in. */
  reveal(): Value
  toJSON(): '[redacted]'
  toString(): '[redacted]'
}

/** A fault of an entry. @see connectors.md 2.2 */
export interface AccountTypeFault {
  /** Name of the field, with `/` before a member of it (`token_headers/host`); empty: the entry as a whole. */
  readonly field: string
  /** What is wrong, in words; never holds a value of the entry. */
  readonly reason: string
}

/** What lists and answers may show of an entry: secrets are `true`. */
export type MaskedAccountType = Readonly<Record<string, unknown>> & { readonly _id: string }

/**
 * Account types of a server, for all its instances. A host may supply its own: `get`, `getRaw`, `findBySlug` are what
 * the rest needs. @see connectors.md 3.1
 */
export interface AccountTypes {
  /** `<context>/<name>`, else `<name>`; undefined when neither exists. @see connectors.md 2.3 */
  get(name: string, context: string | undefined): Promise<AccountType | undefined>
  /**
   * The entry itself with its secrets, by its whole id; for push credentials. Printed as a whole, its secrets are
   * masked; they are not once they are taken out of it.
   */
  getRaw(id: string): Promise<AccountTypeEntry | undefined>
  /** Entries of a slug for a context, then global ones not replaced there; at most 100. */
  findBySlug(slug: string, context: string | undefined): Promise<readonly AccountType[]>
  /** `true`: it was new. @throws AccountTypeError with every fault */
  put(entry: unknown): Promise<boolean>
  /** Whether there was one. */
  delete(id: string): Promise<boolean>
  /** In the order of ids. */
  list(): Promise<readonly MaskedAccountType[]>
}

/** The store of account types is one for all instances: keys carry this tag instead of an instance. */
export const ACCOUNT_TYPES_TAG: InstanceId = 'account-types' as InstanceId

const NAME = '[a-z0-9][a-z0-9._-]{0,99}'
const ID = new RegExp(`^(?:([A-Za-z0-9_-]{1,64})/)?(${NAME})$`)
const CONTEXT = /^[A-Za-z0-9_-]{1,64}$/
const WHOLE_NAME = new RegExp(`^${NAME}$`)

/** Whether a text can name an account type in a path: no context prefix. @see connectors.md 2.3 (2) */
export function isAccountTypeName(text: string): boolean {
  return WHOLE_NAME.test(text)
}

/** Parts of an id, or undefined when it is none. @see connectors.md 2.1 `_id` */
export function parseAccountTypeId(
  id: string,
): { readonly context: string | undefined; readonly name: string } | undefined {
  const [, context, name] = ID.exec(id) ?? []
  return name === undefined ? undefined : { context, name }
}

/** The id of a name in a context. */
export function accountTypeId(name: string, context: string): string {
  return `${context}/${name}`
}

/** Whether entries can exist for a context of this name. */
export function isContextName(context: string | undefined): context is string {
  return context !== undefined && CONTEXT.test(context)
}

/** Whether the service exchanges the tokens of a type; else its connectors do (D38). */
export function hasTokenEndpoint(type: AccountType): boolean {
  return (type.tokenEndpoint ?? type.refreshEndpoint ?? type.issuer) !== undefined
}
