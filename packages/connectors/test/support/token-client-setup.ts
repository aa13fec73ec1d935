import { createOutbound } from '@svc/platform'
import { openProvider, type ProviderOptions } from '@svc/testkit'
import type { AccountType } from '../../src/account-types/account-type.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from '../../src/lifetimes.ts'
import type { ProviderServices } from '../../src/services.ts'
import { createIssuers, discover } from '../../src/token-client/discovery.ts'
import { readSubject } from '../../src/token-client/id-token.ts'
import type { TokenResult, TokenSet } from '../../src/token-client/provider.ts'
import { revokeToken } from '../../src/token-client/revoke.ts'
import { exchangeCode, refreshTokens } from '../../src/token-client/token-endpoint.ts'
import { recordedLog } from './recorded-log.ts'
import { sampleType } from './sample-type.ts'

export type TokenClientSetup = Awaited<ReturnType<typeof openTokenClient>>

/** A token client that may reach loopback, and a provider there. */
export async function openTokenClient(
  options: {
    readonly provider?: ProviderOptions
    readonly lifetimes?: Partial<Lifetimes>
    readonly clock?: { now(): number }
    readonly lookup?: (hostname: string) => Promise<readonly string[]>
  } = {},
) {
  const { clock = { now: () => Date.now() }, lookup } = options
  const provider = await openProvider({ clock, ...options.provider })
  const log = recordedLog()
  const services: ProviderServices = {
    outbound: createOutbound({
      trustedNetworks: ['127.0.0.0/8'],
      ...(lookup !== undefined && { lookup }),
    }),
    clock,
    log,
    lifetimes: { ...DEFAULT_LIFETIMES, ...options.lifetimes },
    calls: new Map(),
    issuers: createIssuers(),
  }
  return {
    client: clientOf(services),
    provider,
    log,
    /** An account type of the provider, some fields changed. */
    type: (fields?: Partial<AccountType>) =>
      sampleType({
        tokenEndpoint: `${provider.origin}/token`,
        authEndpoint: `${provider.origin}/authorize`,
        isTrustedNetwork: true,
        ...fields,
      }),
    close: () => provider.close(),
  }
}

/** The calls to providers, with the services that they need. */
function clientOf(services: ProviderServices) {
  type Rest<Call> = Call extends (services: ProviderServices, ...rest: infer Given) => unknown
    ? Given
    : never
  return {
    exchange: (...rest: Rest<typeof exchangeCode>) => exchangeCode(services, ...rest),
    refresh: (...rest: Rest<typeof refreshTokens>) => refreshTokens(services, ...rest),
    revoke: (...rest: Rest<typeof revokeToken>) => revokeToken(services, ...rest),
    discover: (...rest: Rest<typeof discover>) => discover(services, ...rest),
    subjectOf: (...rest: Rest<typeof readSubject>) => readSubject(services, ...rest),
  }
}

/** The tokens of a result that must be good. */
export function tokensOf(result: TokenResult): TokenSet {
  if (!result.ok) throw new Error(`refused: ${result.class} ${result.reason}`)
  return result.tokens
}
