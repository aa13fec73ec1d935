import type { Instance, Logger } from '@svc/platform'
import {
  type AccountType,
  type AccountTypes,
  isAccountTypeName,
} from '../account-types/account-type.ts'
import { refreshError } from '../accounts/refresh-errors.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ProviderMetadata, TokenClient } from '../token-client/provider.ts'

/** An account type that owners can connect, with what its provider says about itself. */
export interface UsableType {
  /** Endpoints that the entry lacks are those of the provider's metadata. */
  readonly type: AccountType
  readonly authEndpoint: string
  /** Whether the connector exchanges the code itself: there is no token endpoint (D38). */
  readonly isClientSide: boolean
  readonly metadata: ProviderMetadata | undefined
}

export interface UsableTypes {
  /**
   * @throws ConnectorError `account_type_not_found`, `account_type_misconfigured`, `grant_mode_not_interactive`;
   * `oauth_provider_unavailable` when the provider is to say where its endpoints are, and does not
   */
  find(instance: Instance, name: string): Promise<UsableType>
}

export interface UsableTypesOptions {
  readonly accountTypes: Pick<AccountTypes, 'get'>
  readonly tokenClient: Pick<TokenClient, 'discover'>
  /** D38. */
  readonly allowClientSideExchange: boolean
  readonly log: Logger
}

/** What a path says that names no type. */
export const NO_TYPE = 'there is no such account type'
/** A provider that is to say what the entry leaves open. */
const UNKNOWN = { class: 'unavailable' } as const
const NOT_INTERACTIVE = 'accounts of this type are not connected by their owner'

export function createUsableTypes(options: UsableTypesOptions): UsableTypes {
  const { accountTypes, tokenClient, allowClientSideExchange, log } = options

  function misconfigured({ id }: AccountType, field: string, reason: string): ConnectorError {
    log.error('account_type.misconfigured', { accountType: id, field, reason })
    return new ConnectorError('account_type_misconfigured')
  }

  return {
    async find(instance, name) {
      const found = isAccountTypeName(name)
        ? await accountTypes.get(name, instance.context)
        : undefined
      if (found === undefined)
        throw new ConnectorError('account_type_not_found', { description: NO_TYPE })
      const { fault, issuer } = found
      if (fault !== undefined) throw misconfigured(found, fault.field, fault.reason)
      if (!found.isInteractive) {
        throw new ConnectorError('grant_mode_not_interactive', { description: NOT_INTERACTIVE })
      }
      const metadata = issuer === undefined ? undefined : await tokenClient.discover(found)
      const authEndpoint = found.authEndpoint ?? metadata?.authorizationEndpoint
      const tokenEndpoint = found.tokenEndpoint ?? metadata?.tokenEndpoint
      const lacksOne = authEndpoint === undefined || tokenEndpoint === undefined
      if (lacksOne && issuer !== undefined && metadata === undefined) throw refreshError(UNKNOWN)
      if (authEndpoint === undefined) throw misconfigured(found, 'auth_endpoint', 'is missing')
      const isClientSide = tokenEndpoint === undefined
      // A provider that describes itself has one, or the entry is of no use.
      if (isClientSide && (!allowClientSideExchange || issuer !== undefined)) {
        throw misconfigured(found, 'token_endpoint', 'is missing')
      }
      return { type: { ...found, tokenEndpoint }, authEndpoint, isClientSide, metadata }
    },
  }
}
