import { ConnectorError } from '../connector-error.ts'
import type { AccountType } from '../account-types/account-type.ts'
import type { AccountDocument } from './account.ts'

/** Whether the service exchanges the tokens of a type; else its connectors do (D38). */
export function hasTokenEndpoint(type: AccountType): boolean {
  return (type.tokenEndpoint ?? type.refreshEndpoint ?? type.issuer) !== undefined
}

/** @throws ConnectorError for an account whose tokens cannot be replaced. @see connectors.md 8.1 */
export function demandRefreshable(account: AccountDocument): void {
  if (account.oauth === undefined) {
    throw new ConnectorError('account_not_refreshable', {
      description: 'The account has no OAuth tokens.',
    })
  }
  if (!hasRefreshToken(account)) {
    throw new ConnectorError('oauth_refresh_unavailable', {
      description: 'The provider gave no refresh token for the account.',
    })
  }
}

export function hasRefreshToken({ oauth }: AccountDocument): boolean {
  return oauth?.refresh_token_encrypted !== undefined
}
