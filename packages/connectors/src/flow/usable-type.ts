import type { Instance } from '@svc/platform'
import { type AccountType, isAccountTypeName } from '../account-types/account-type.ts'
import { refreshError } from '../accounts/refresh-errors.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsServices } from '../services.ts'
import { discover } from '../token-client/discovery.ts'
import type { ProviderMetadata } from '../token-client/provider.ts'

/** An account type that owners can connect, with what its provider says about itself. */
export interface UsableType {
  /** Endpoints that the entry lacks are those of the provider's metadata. */
  readonly type: AccountType
  readonly authEndpoint: string
  /** Whether the connector exchanges the code itself: there is no token endpoint (D38). */
  readonly isClientSide: boolean
  readonly metadata: ProviderMetadata | undefined
}

/** What a path says that names no type. */
export const NO_TYPE = 'there is no such account type'
const NOT_INTERACTIVE = 'accounts of this type are not connected by their owner'

/**
 * @throws ConnectorError `account_type_not_found`, `account_type_misconfigured`, `grant_mode_not_interactive`;
 * `oauth_provider_unavailable` when the provider is to say where its endpoints are, and does not
 */
export async function findUsableType(
  services: ConnectorsServices,
  instance: Instance,
  name: string,
): Promise<UsableType> {
  const { accountTypes, options } = services
  const found = isAccountTypeName(name) ? await accountTypes.get(name, instance.context) : undefined
  if (found === undefined) {
    throw new ConnectorError('account_type_not_found', { description: NO_TYPE })
  }
  const { fault, issuer } = found
  if (fault !== undefined) throw misconfigured(services, found, fault.field, fault.reason)
  if (!found.isInteractive) {
    throw new ConnectorError('grant_mode_not_interactive', { description: NOT_INTERACTIVE })
  }
  const metadata = issuer === undefined ? undefined : await discover(services, found)
  const authEndpoint = found.authEndpoint ?? metadata?.authorizationEndpoint
  const tokenEndpoint = found.tokenEndpoint ?? metadata?.tokenEndpoint
  const lacksOne = authEndpoint === undefined || tokenEndpoint === undefined
  // The provider is to say what the entry leaves open.
  if (lacksOne && issuer !== undefined && metadata === undefined) {
    throw refreshError({ class: 'unavailable' })
  }
  if (authEndpoint === undefined) {
    throw misconfigured(services, found, 'auth_endpoint', 'is missing')
  }
  const isClientSide = tokenEndpoint === undefined
  // A provider that describes itself has one, or the entry is of no use.
  if (isClientSide && (!options.allowClientSideExchange || issuer !== undefined)) {
    throw misconfigured(services, found, 'token_endpoint', 'is missing')
  }
  return { type: { ...found, tokenEndpoint }, authEndpoint, isClientSide, metadata }
}

/**
 * Whether an owner could connect a connector: its manifest has `oauth` (where manifests are known), and an interactive
 * type that works belongs to it, by its slug or else by its name.
 * @see connectors.md 12
 */
export async function isOAuthAvailable(
  { accountTypes, manifests, options }: ConnectorsServices,
  instance: Instance,
  slug: string,
): Promise<boolean> {
  if (manifests !== undefined) {
    const manifest = await manifests.manifestOf(instance, slug)
    if (manifest?.oauth === undefined) return false
  }
  const isUsable = ({ fault, isInteractive, issuer, tokenEndpoint }: AccountType): boolean => {
    const hasExchange = tokenEndpoint !== undefined || issuer !== undefined
    return fault === undefined && isInteractive && (hasExchange || options.allowClientSideExchange)
  }
  const types = await accountTypes.findBySlug(slug, instance.context)
  if (types.some(isUsable)) return true
  const named = isAccountTypeName(slug) ? await accountTypes.get(slug, instance.context) : undefined
  return named !== undefined && named.slug === undefined && isUsable(named)
}

function misconfigured(
  { log }: Pick<ConnectorsServices, 'log'>,
  { id }: AccountType,
  field: string,
  reason: string,
): ConnectorError {
  log.error('account_type.misconfigured', { accountType: id, field, reason })
  return new ConnectorError('account_type_misconfigured')
}
