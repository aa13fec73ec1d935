import type { Instance } from '@svc/platform'
import { hasTokenEndpoint } from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsServices } from '../services.ts'
import { type AccountDocument, accountTypeName, fromInstant, hasRefreshToken } from './account.ts'
import { countUse } from './account-activity.ts'
import { credentialsOf } from './account-seal.ts'
import { secretsOfConnector } from './account-view.ts'
import { openAuth } from './legacy-auth.ts'
import { refreshAccount } from './refresh-account.ts'
import { failingClosed, refreshError } from './refresh-errors.ts'
import type { LoadedAccount } from './refresh-state.ts'
import { loadAccount } from './token-journal.ts'

/** A token that ends within this time is replaced before a connector begins to work with it. */
const SHORTEST_LEFT_MS = 60_000

/**
 * What a connector that is about to run gets as its fields, by the names that its developer configured by hand.
 * @see decision D38
 */
export function fieldsForConnector(
  services: ConnectorsServices,
  instance: Instance,
  { _id }: AccountDocument,
): Promise<Readonly<Record<string, unknown>>> {
  return failingClosed(async () => {
    const loaded = await loadAccount(services, instance, _id)
    if (loaded === undefined) throw new ConnectorError('account_not_found')
    const account =
      loaded.account.oauth === undefined
        ? loaded.account
        : await withFreshToken(services, instance, loaded)
    const { oauth } = account
    const auth = openAuth(services, instance, account)
    if (oauth === undefined) return auth
    const credentials = credentialsOf(services, instance, account)
    const { accessToken, callbackResults } = credentials
    // SPEC: 7.3.4
    if (oauth.access_token_encrypted !== undefined && accessToken === undefined) {
      throw refreshError({ class: 'revoked' })
    }
    countUse(services, instance, account, 'credentials')
    return {
      ...auth,
      ...(accessToken !== undefined && { access_token: accessToken }),
      ...(oauth.token_type !== undefined && { token_type: oauth.token_type }),
      ...(oauth.expires_at !== undefined && { expires_at: oauth.expires_at }),
      ...(oauth.scope !== undefined && { scope: oauth.scope }),
      ...(callbackResults !== undefined && { oauth_callback_results: callbackResults }),
      ...secretsOfConnector(services, credentials, oauth),
    }
  })
}

async function withFreshToken(
  services: ConnectorsServices,
  instance: Instance,
  loaded: LoadedAccount,
): Promise<AccountDocument> {
  const { accountTypes, clock, log } = services
  const { account } = loaded
  const { oauth } = account
  const endsAt = fromInstant(oauth?.expires_at) ?? Number.POSITIVE_INFINITY
  const now = clock.now()
  const hasToken = oauth?.access_token_encrypted !== undefined
  if (hasToken && endsAt > now + SHORTEST_LEFT_MS) return account
  const type = await accountTypes.get(accountTypeName(account), instance.context)
  const isUsable = type !== undefined && type.fault === undefined && hasTokenEndpoint(type)
  if (!hasRefreshToken(account) || !isUsable) return account
  // SPEC: 7.2 - final until its owner connected it again.
  if (oauth?.status === 'reconnect_required') throw refreshError({ class: 'revoked' })
  try {
    return await refreshAccount(services, { instance, type, loaded })
  } catch (error) {
    const isRefused = ConnectorError.is(error) && error.status === 401
    if (isRefused || !hasToken || endsAt <= now) throw error
    log.info('account.token_about_to_end', { domain: instance.domain, accountId: account._id })
    return account
  }
}
