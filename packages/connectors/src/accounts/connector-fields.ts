import { type Instance, type Logger } from '@svc/platform'
import type { AccountTypes } from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { AccountLoader, LoadedAccount } from './account-loader.ts'
import { failingClosed, refreshError } from './refresh-errors.ts'
import { hasRefreshToken, hasTokenEndpoint } from './refreshable.ts'
import type { Refresher } from './refresh-account.ts'
import { type AccountDocument, accountTypeName } from './account.ts'
import type { AccountSeal } from './account-seal.ts'
import { openAuth } from './legacy-auth.ts'
import { fromInstant } from './stored-oauth.ts'

export interface ConnectorFieldsOptions {
  readonly clock: { now(): number }
  readonly types: Pick<AccountTypes, 'get'>
  readonly loader: AccountLoader
  readonly refresher: Refresher
  readonly seal: AccountSeal
  readonly log: Logger
  readonly exposesRefreshToken: boolean
  /** D38. */
  readonly allowsClientSideExchange: boolean
}

/** A token that ends within this time is replaced before a connector begins to work with it. */
const SHORTEST_LEFT_MS = 60_000

/**
 * What a connector that is about to run gets as its fields, by the names that its developer configured by hand.
 * @see decision D38
 */
export function createConnectorFields(
  options: ConnectorFieldsOptions,
): (instance: Instance, account: AccountDocument) => Promise<Readonly<Record<string, unknown>>> {
  const { clock, types, loader, refresher, seal, log } = options

  async function fresh(instance: Instance, loaded: LoadedAccount): Promise<AccountDocument> {
    const { account } = loaded
    const { oauth } = account
    const endsAt = fromInstant(oauth?.expires_at) ?? Number.POSITIVE_INFINITY
    const now = clock.now()
    const hasToken = oauth?.access_token_encrypted !== undefined
    if (hasToken && endsAt > now + SHORTEST_LEFT_MS) return account
    const type = await types.get(accountTypeName(account), instance.context)
    const isUsable = type !== undefined && type.fault === undefined && hasTokenEndpoint(type)
    if (!hasRefreshToken(account) || !isUsable) return account
    // SPEC: 7.2 - final until its owner connected it again.
    if (oauth?.status === 'reconnect_required') throw refreshError({ class: 'revoked' })
    try {
      return await refresher.refresh({ instance, type, loaded })
    } catch (error) {
      const isRefused = ConnectorError.is(error) && error.status === 401
      if (isRefused || !hasToken || endsAt <= now) throw error
      log.info('account.token_about_to_end', { instance: instance.domain, accountId: account._id })
      return account
    }
  }

  return (instance, { _id }) =>
    failingClosed(async () => {
      const loaded = await loader.load(instance, _id)
      if (loaded === undefined) throw new ConnectorError('account_not_found')
      const account =
        loaded.account.oauth === undefined ? loaded.account : await fresh(instance, loaded)
      const { oauth } = account
      const auth = openAuth(seal, instance, account)
      if (oauth === undefined) return auth
      const secrets = seal.credentialsOf(instance, account)
      // SPEC: 7.3.4
      if (oauth.access_token_encrypted !== undefined && secrets.accessToken === undefined) {
        throw refreshError({ class: 'revoked' })
      }
      const { accessToken, refreshToken, callbackResults, query, clientSecret } = secrets
      return {
        ...auth,
        ...(accessToken !== undefined && { access_token: accessToken }),
        ...(oauth.token_type !== undefined && { token_type: oauth.token_type }),
        ...(oauth.expires_at !== undefined && { expires_at: oauth.expires_at }),
        ...(oauth.scope !== undefined && { scope: oauth.scope }),
        ...(callbackResults !== undefined && { oauth_callback_results: callbackResults }),
        ...(options.exposesRefreshToken &&
          refreshToken !== undefined && { refresh_token: refreshToken }),
        ...(options.allowsClientSideExchange && {
          ...(query !== undefined && { query }),
          ...(oauth.client_id !== undefined && { client_id: oauth.client_id }),
          ...(clientSecret !== undefined && { client_secret: clientSecret }),
        }),
      }
    })
}
