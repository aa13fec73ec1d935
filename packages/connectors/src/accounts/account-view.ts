import type { AccessContext } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { AccountType, AccountTypes } from '../account-types/account-type.ts'
import type { AccountViewer } from '../connectors.ts'
import { type AccountCredentials, type AccountDocument, accountTypeName } from './account.ts'
import type { AccountSeal } from './account-seal.ts'
import { publicAccount } from './public-account.ts'

/** What an account is looked at for. `refresh`: the answer of its refresh endpoint. */
export type ViewPurpose = 'read' | 'refresh'

/** Shows accounts to those who may see them, each as much as is theirs. @see connectors.md 7.4 */
export interface AccountViews {
  view(
    instance: Instance,
    account: AccountDocument,
    viewer: AccountViewer,
    purpose?: ViewPurpose,
  ): Promise<Readonly<Record<string, unknown>>>
}

export interface AccountViewOptions {
  readonly types: Pick<AccountTypes, 'get'>
  readonly seal: AccountSeal
  readonly exposesRefreshToken: boolean
  /** D38. */
  readonly allowsClientSideExchange: boolean
}

export function createAccountViews(options: AccountViewOptions): AccountViews {
  const { types, seal } = options

  /** What of the secrets is for the connector of the account alone. */
  function ofConnector(credentials: AccountCredentials, oauth: AccountDocument['oauth']) {
    const { refreshToken, query, clientSecret } = credentials
    return {
      ...(options.exposesRefreshToken &&
        refreshToken !== undefined && { refresh_token: refreshToken }),
      ...(options.allowsClientSideExchange && {
        ...(query !== undefined && { query }),
        ...(oauth?.client_id !== undefined && { client_id: oauth.client_id }),
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
      }),
    }
  }

  return {
    async view(instance, account, viewer, purpose = 'read') {
      const shown = publicAccount(account)
      const { oauth } = account
      if (oauth === undefined) return shown
      const type = await types.get(accountTypeName(account), instance.context)
      const isConnector = isConnectorOf(viewer, account, type)
      const seesToken =
        isConnector ||
        purpose === 'refresh' ||
        (viewer.kind === 'app' && viewer.wantsCredentials === true)
      if (!seesToken) return shown
      const credentials = seal.credentialsOf(instance, account)
      const { accessToken, callbackResults } = credentials
      return {
        ...shown,
        oauth: {
          // Made by `publicAccount` of an object.
          ...(shown['oauth'] as Record<string, unknown>),
          ...(accessToken !== undefined && { access_token: accessToken }),
          // SPEC: 7.3.4
          ...(!credentials.isIntact && { status: 'reconnect_required' }),
          ...(isConnector && ofConnector(credentials, oauth)),
        },
        ...(isConnector &&
          callbackResults !== undefined && { oauth_callback_results: callbackResults }),
      }
    },
  }
}

/** The connector that the type is for: the one it names, else the one of its own name. @see connectors.md 6.7 */
export function isConnectorOf(
  viewer: AccountViewer,
  account: AccountDocument,
  type: AccountType | undefined,
): boolean {
  if (viewer.kind !== 'konnector' || viewer.slug === undefined) return false
  return viewer.slug === (type?.slug ?? accountTypeName(account))
}

export function viewerOf({ kind, app, konnector }: AccessContext): AccountViewer {
  const slug = kind === 'konnector' ? konnector?.slug : app?.slug
  return { kind, ...(slug !== undefined && { slug }) }
}
