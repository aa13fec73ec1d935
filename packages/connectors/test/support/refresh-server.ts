import type { KonnectorManifest } from '@svc/oauth-core'
import type { BrowserResponse, IssuedTokens } from '@svc/testkit'
import type { AccountDocument } from '../../src/accounts/account.ts'
import type { AccountTypeEntry } from '../../src/account-types/account-type.ts'
import type { AccountImport } from '../../src/connectors.ts'
import { type ConnectorsServerOptions, startConnectors } from './connectors-server.ts'

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

interface RefreshOptions {
  readonly query?: string
  /** `null`: none. @defaultValue one of the connector `bank` */
  readonly token?: string | null
  readonly type?: string
  readonly timeoutMs?: number
}

export type RefreshServer = Awaited<ReturnType<typeof startRefresh>>

const ROOMY = { limit: 1_000_000, windowMs: 60_000 }

/** A server with an account to refresh. */
export async function startRefresh(options: ConnectorsServerOptions) {
  const server = await startConnectors({
    ...options,
    connectors: { limits: { 'account-refresh': ROOMY }, ...options.connectors },
  })
  server.konnectors.set('bank', BANK)
  /** As the last imports got them. */
  const issued: IssuedTokens[] = []

  async function konnectorToken(slug = 'bank'): Promise<string> {
    const token = await server.oauth.konnectorTokens.issue(server.alice, slug)
    if (token === undefined) throw new Error(`there is no connector ${slug}`)
    return token
  }
  /** The account as it is stored. */
  async function stored(accountId: string): Promise<AccountDocument> {
    const account = await server.accounts.get(server.alice, accountId)
    if (account === undefined) throw new Error('there is no such account')
    return account
  }
  return {
    ...server,
    issued,
    konnectorToken,
    stored,
    /** Provisions `bank` as a type whose credentials are imported. */
    putImported: (fields: Partial<AccountTypeEntry> = {}) =>
      server.putType({ grant_mode: 'refresh_token', ...fields }),
    /** An account with live tokens of the provider. */
    async importBank(fields: Partial<AccountImport> = {}) {
      const tokens = server.provider.grants.issue('client-1', 'files')
      issued.push(tokens)
      const { accessToken, refreshToken } = tokens
      const input = { accountType: 'bank', accessToken, refreshToken, ...fields }
      return server.connectors.importAccount(server.alice, input)
    },
    async refresh(accountId: string, given: RefreshOptions = {}) {
      const { query = '', token, type = 'bank', timeoutMs } = given
      const bearer = token === undefined ? await konnectorToken() : token
      const path = `/accounts/${type}/${accountId}/refresh${query}`
      return server.browser().request('POST', path, {
        headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` },
        ...(timeoutMs !== undefined && { timeoutMs }),
      })
    },
    /** Deletes it as a connector. */
    async remove(accountId: string, slug?: string) {
      const authorization = `Bearer ${await konnectorToken(slug)}`
      const path = `/accounts/bank/${accountId}`
      return server.browser().request('DELETE', path, { headers: { authorization } })
    },
    /** What the account's connector would run with. */
    async fields(accountId: string) {
      return server.connectors.fieldsForConnector(server.alice, await stored(accountId))
    },
  }
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
