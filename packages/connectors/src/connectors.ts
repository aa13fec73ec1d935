import type { AccessContext } from '@svc/oauth-core'
import type { Instance, RouteRow } from '@svc/platform'
import type { Middleware } from 'koa'
import type { AccountTypes } from './account-types/account-type.ts'
import type { AccountDocument } from './accounts/account.ts'
import type { ConnectorEvents, ConnectorPages } from './ports.ts'
import type { CallClass } from './token-client/provider.ts'

/** Credentials to take over, for account types of mode `refresh_token`. */
export interface AccountImport {
  readonly accountType: string
  readonly refreshToken: string
  readonly accessToken?: string
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number
  readonly scope?: string
  readonly name?: string
}

/** Who asks for an account, for {@link Connectors.view}. @see connectors.md 7.4 */
export interface AccountViewer {
  /** The caller's token: of the connector that the account is for, of an app, or anything else. */
  readonly kind: 'access' | 'app' | 'konnector'
  /** Slug of a connector or an app. */
  readonly slug?: string
  /** `include=credentials` of an app. */
  readonly wantsCredentials?: boolean
}

/** Counts since this process began, for monitoring. @see connectors.md 13 */
export interface ConnectorsFigures {
  /** Calls to providers that ended, by id of the account type and how they ended. */
  readonly calls: Readonly<Record<string, Readonly<Partial<Record<CallClass, number>>>>>
}

/** What `createConnectors` answers. */
export interface Connectors {
  /**
   * The endpoints of `connectors.md` 4; mounted behind `resolveInstance`. Without pages errors are JSON:API for
   * everybody.
   */
  routes(options?: { readonly pages?: ConnectorPages }): Middleware
  /**
   * Answers `/accounts/:accountType/redirect` on the host of `callbackUrl`, which is no instance; mounted before
   * `resolveInstance`. Passes everything by without a `callbackUrl`.
   */
  callbackHost(): Middleware
  /** The rows of {@link Connectors.routes}, for documents and tests. */
  readonly rows: readonly RouteRow[]
  readonly accountTypes: AccountTypes
  /** Whether an owner could connect the connector here. @see connectors.md 12 */
  oauthAvailable(instance: Instance, slug: string): Promise<boolean>
  /** Secrets that are not OAuth, for the connector's parameters. @see connectors.md 3.5 */
  secretsForConnector(
    slug: string,
    context: string | undefined,
  ): Promise<{ readonly secret: unknown } | undefined>
  /** `{ access_token, … }` for a connector that is about to run (D38), refreshed when it has expired. */
  fieldsForConnector(
    instance: Instance,
    account: AccountDocument,
  ): Promise<Readonly<Record<string, unknown>>>
  /** The account as a caller may see it: no sealed field, and no token it is not to have. @see connectors.md 7.4 */
  view(
    instance: Instance,
    account: AccountDocument,
    viewer: AccountViewer,
  ): Promise<Readonly<Record<string, unknown>>>
  /** @throws ConnectorError `account_type_not_found`, `invalid_request` */
  importAccount(instance: Instance, input: AccountImport): Promise<AccountDocument>
  /**
   * Fresh tokens for the host itself, as the refresh endpoint gives them, without a token's permissions: an operator
   * asks.
   * @throws ConnectorError of connectors.md 10
   */
  refreshAccount(
    instance: Instance,
    accountId: string,
    options?: { readonly isForced?: boolean },
  ): Promise<AccountDocument>
  /** Revokes at the provider, as far as that listens, then deletes. @throws ConnectorError `account_not_found` */
  removeAccount(instance: Instance, accountId: string): Promise<void>
  /**
   * To be called when the host deleted an account itself: nothing is refreshed any more.
   * @param access - of whoever asked for it, for the record of activity
   */
  accountDeleted(
    instance: Instance,
    account: AccountDocument,
    access?: AccessContext,
  ): Promise<void>
  /** Seals the secrets of a login and password account that the host is about to write. @see connectors.md 7.3 (5) */
  sealAuth(instance: Instance, account: AccountDocument): AccountDocument
  /** What calls to providers came to in this process, for monitoring. @see connectors.md 13 */
  figures(): ConnectorsFigures
  on<Name extends keyof ConnectorEvents>(
    name: Name,
    handler: (event: ConnectorEvents[Name]) => void,
  ): () => void
  /** Starts refreshing ahead of expiry. */
  start(): Promise<void>
  close(): Promise<void>
}
