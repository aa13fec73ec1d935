import { createOutbound } from '@svc/platform'
import { openProvider, type Provider, type ProviderOptions } from '@svc/testkit'
import type { AccountType } from '../../src/account-types/account-type.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from '../../src/lifetimes.ts'
import { createTokenClient } from '../../src/token-client/token-endpoint.ts'
import type { TokenClient, TokenResult, TokenSet } from '../../src/token-client/provider.ts'
import { type RecordedLog, recordedLog } from './recorded-log.ts'
import { sampleType } from './sample-type.ts'

export interface TokenClientSetup {
  readonly client: TokenClient
  readonly provider: Provider
  readonly log: RecordedLog
  /** An account type of the provider, some fields changed. */
  type(fields?: Partial<AccountType>): AccountType
  close(): Promise<void>
}

/** A token client that may reach loopback, and a provider there. */
export async function openTokenClient(
  options: {
    readonly provider?: ProviderOptions
    readonly lifetimes?: Partial<Lifetimes>
    readonly clock?: { now(): number }
    readonly lookup?: (hostname: string) => Promise<readonly string[]>
  } = {},
): Promise<TokenClientSetup> {
  const { clock = { now: () => Date.now() }, lookup } = options
  const provider = await openProvider({ clock, ...options.provider })
  const log = recordedLog()
  const client = createTokenClient({
    outbound: createOutbound({
      trustedNetworks: ['127.0.0.0/8'],
      ...(lookup !== undefined && { lookup }),
    }),
    clock,
    log,
    lifetimes: { ...DEFAULT_LIFETIMES, ...options.lifetimes },
  })
  return {
    client,
    provider,
    log,
    type: (fields) =>
      sampleType({
        tokenEndpoint: `${provider.origin}/token`,
        authEndpoint: `${provider.origin}/authorize`,
        isTrustedNetwork: true,
        ...fields,
      }),
    close: () => provider.close(),
  }
}

/** The tokens of a result that must be good. */
export function tokensOf(result: TokenResult): TokenSet {
  if (!result.ok) throw new Error(`refused: ${result.class} ${result.reason}`)
  return result.tokens
}
