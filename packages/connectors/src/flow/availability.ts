import type { Instance } from '@svc/platform'
import {
  type AccountType,
  type AccountTypes,
  isAccountTypeName,
} from '../account-types/account-type.ts'
import type { ConnectorManifests } from '../ports.ts'

export interface AvailabilityOptions {
  readonly accountTypes: Pick<AccountTypes, 'findBySlug' | 'get'>
  readonly manifests?: ConnectorManifests | undefined
  /** D38. */
  readonly allowClientSideExchange: boolean
}

/**
 * Whether an owner could connect a connector: its manifest has `oauth` (where manifests are known), and an interactive
 * type that works belongs to it, by its slug or else by its name.
 * @see connectors.md 12
 */
export function createOAuthAvailable(
  options: AvailabilityOptions,
): (instance: Instance, slug: string) => Promise<boolean> {
  const { accountTypes, manifests, allowClientSideExchange } = options

  function isUsable(type: AccountType): boolean {
    const { fault, isInteractive, issuer, tokenEndpoint } = type
    const hasExchange = tokenEndpoint !== undefined || issuer !== undefined
    return fault === undefined && isInteractive && (hasExchange || allowClientSideExchange)
  }

  return async function oauthAvailable(instance, slug) {
    if (manifests !== undefined) {
      const manifest = await manifests.manifestOf(instance, slug)
      if (manifest?.oauth === undefined) return false
    }
    const types = await accountTypes.findBySlug(slug, instance.context)
    if (types.some(isUsable)) return true
    const named = isAccountTypeName(slug)
      ? await accountTypes.get(slug, instance.context)
      : undefined
    return named !== undefined && named.slug === undefined && isUsable(named)
  }
}
