import type { KonnectorManifest } from '@svc/oauth-core'
import type { BrowserResponse, IssuedTokens } from '@svc/testkit'
import type { AccountDocument } from '../../src/accounts/account.ts'
import type { AccountTypeEntry } from '../../src/account-types/account-type.ts'
import type { AccountImport } from '../../src/connectors.ts'
import {
  type ConnectorsServer,
  type ConnectorsServerOptions,
  startConnectors,
} from './connectors-server.ts'

/** The connector of the type `bank`: it reads accounts of that type, and no other. */
export const BANK: KonnectorManifest = {
  slug: 'bank',
  permissions: {
    accounts: {
      type: 'io.svc.accounts',
      verbs: ['GET', 'DELETE'],
      selector: 'account_type',
      values: ['bank'],
    },
  },
}

export interface RefreshOptions {
  readonly query?: string
  /** `null`: none. @defaultValue one of the connector `bank` */
  readonly token?: string | null
  readonly type?: string
  readonly timeoutMs?: number
}

/** A server with an account to refresh. */
export interface RefreshServer extends ConnectorsServer {
  /** Provisions `bank` as a type whose credentials are imported. */
  putImported(fields?: Partial<AccountTypeEntry>): Promise<void>
  /** An account with live tokens of the provider. */
  importBank(fields?: Partial<AccountImport>): Promise<AccountDocument>
  /** As the last {@link RefreshServer.importBank} got them. */
  readonly issued: IssuedTokens[]
  konnectorToken(slug?: string): Promise<string>
  refresh(accountId: string, options?: RefreshOptions): Promise<BrowserResponse>
  /** The account as it is stored. */
  stored(accountId: string): Promise<AccountDocument>
  /** What the account's connector would run with. */
  fields(accountId: string): Promise<Readonly<Record<string, unknown>>>
}

const ROOMY = { limit: 1_000_000, windowMs: 60_000 }

export async function startRefresh(options: ConnectorsServerOptions): Promise<RefreshServer> {
  const server = await startConnectors({
    ...options,
    connectors: { limits: { 'account-refresh': ROOMY }, ...options.connectors },
  })
  server.konnectors.set('bank', BANK)
  const issued: IssuedTokens[] = []

  const self: RefreshServer = {
    ...server,
    issued,
    putImported: (fields = {}) => server.putType({ grant_mode: 'refresh_token', ...fields }),
    async importBank(fields = {}) {
      const tokens = server.provider.grants.issue('client-1', 'files')
      issued.push(tokens)
      const { accessToken, refreshToken } = tokens
      const input = { accountType: 'bank', accessToken, refreshToken, ...fields }
      return server.connectors.importAccount(server.alice, input)
    },
    async konnectorToken(slug = 'bank') {
      const token = await server.oauth.konnectorTokens.issue(server.alice, slug)
      if (token === undefined) throw new Error(`there is no connector ${slug}`)
      return token
    },
    async refresh(accountId, { query = '', token, type = 'bank', timeoutMs } = {}) {
      const bearer = token === undefined ? await self.konnectorToken() : token
      const path = `/accounts/${type}/${accountId}/refresh${query}`
      return server.browser().request('POST', path, {
        headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` },
        ...(timeoutMs !== undefined && { timeoutMs }),
      })
    },
    async stored(accountId) {
      const account = await server.accounts.get(server.alice, accountId)
      if (account === undefined) throw new Error('there is no such account')
      return account
    },
    async fields(accountId) {
      return server.connectors.fieldsForConnector(server.alice, await self.stored(accountId))
    },
  }
  return self
}

/** The account in an answer of the refresh endpoint. */
export interface RefreshAnswer {
  readonly data: {
    readonly type: string
    readonly id: string
    readonly meta: { readonly rev: string }
    readonly attributes: {
      readonly oauth: Readonly<Record<string, unknown>>
      readonly [name: string]: unknown
    }
    readonly links: { readonly self: string }
  }
}

export function tokenIn(answer: BrowserResponse): unknown {
  return answer.json<RefreshAnswer>().data.attributes.oauth['access_token']
}

export function codeIn(answer: BrowserResponse): string | undefined {
  return answer.json<{ errors: { code: string }[] }>().errors[0]?.code
}
