import type { ConnectorsOptions } from '@svc/connectors'
import type { ConfigGroup } from './entry.ts'

/** How owners connect accounts at providers. @see connectors.md 14 */
export const CONNECTORS_ENTRIES: ConfigGroup = {
  callbackUrl: {
    type: 'string',
    pattern: '^https?://[^/\\s]+$',
    defaultText: 'answers come to the instances',
    description:
      'Origin that takes the answers of all providers, such as `https://oauth.example.org`; its host leads here, too.',
  },
  autoRefresh: {
    type: 'boolean',
    default: true,
    description: 'Refresh tokens of accounts ahead of their end.',
  },
  browserBinding: {
    type: 'boolean',
    default: true,
    description: "Take a provider's answer only in the browser that started.",
  },
  exposeRefreshToken: {
    type: 'boolean',
    default: false,
    description: 'Give connectors the refresh tokens of their accounts.',
  },
  allowClientSideExchange: {
    type: 'boolean',
    default: false,
    description:
      'Let connectors exchange codes themselves, for account types without a token endpoint: they get the client secret.',
  },
  enforceManifestScope: {
    type: 'boolean',
    default: false,
    description: "Refuse scopes beyond those of the connector's manifest.",
  },
}

/** Where account types come from, and where their providers may be. */
export const PROVIDER_ENTRIES: ConfigGroup = {
  accountTypesFile: {
    type: 'string',
    defaultText: 'account types are put into the store',
    description:
      'JSON file with the account types, a list; read again when it changes, and on SIGHUP.',
  },
  trustedNetworks: {
    type: 'string',
    pattern: '^(none|[0-9A-Fa-f.:/]+(,[0-9A-Fa-f.:/]+)*)$',
    defaultText: '`none`; when `NODE_ENV` is not `production`, this machine itself',
    description:
      'CIDRs, separated by commas, that account types with `trusted_network` may use, plain http included.',
  },
}

/** The values of the entries that are set. */
export interface ConnectorsValues {
  readonly callbackUrl?: string
  readonly autoRefresh?: boolean
  readonly browserBinding?: boolean
  readonly exposeRefreshToken?: boolean
  readonly allowClientSideExchange?: boolean
  readonly enforceManifestScope?: boolean
}

const THIS_MACHINE = ['127.0.0.0/8', '::1/128']

/** The networks of `trustedNetworks`. */
export function trustedNetworksOf(config: {
  readonly isProduction: boolean
  readonly trustedNetworks?: string
}): readonly string[] {
  const { trustedNetworks = config.isProduction ? 'none' : THIS_MACHINE.join(',') } = config
  return trustedNetworks === 'none' ? [] : trustedNetworks.split(',')
}

/** What `createConnectors` takes of them. */
export function connectorsOptions(
  values: ConnectorsValues,
): Omit<Partial<ConnectorsOptions>, 'oauth' | 'accounts' | 'sessions'> {
  const { browserBinding, ...others } = values
  return { ...others, ...(browserBinding === false && { browserBinding: 'off' as const }) }
}
