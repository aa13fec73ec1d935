import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '@svc/store'
import { openProvider } from '@svc/testkit/provider'
import { demoEndpoints } from './demo-endpoints.ts'
import { DEV_ACCOUNT_TYPE } from './photos.ts'

/** A provider that listens on this machine. */
export interface DevProvider {
  readonly origin: string
  /** Name of the account type that uses it. */
  readonly accountType: string
  /** The account type that uses it, with its secret. */
  readonly entry: Readonly<Record<string, unknown>>
  close(): Promise<void>
}

export interface DevProviderOptions {
  /** 0: chosen by the system. */
  readonly port: number
  /** Of access tokens. Milliseconds. */
  readonly tokenLifeMs: number
  /** @defaultValue the machine's clock */
  readonly clock?: Clock
}

/** Starts a provider for development. Its client is a new one each time; nothing outlives the process. */
export async function startDevProvider(options: DevProviderOptions): Promise<DevProvider> {
  const { port, tokenLifeMs, clock = systemClock } = options
  const clientId = 'svc'
  const clientSecret = randomBytes(24).toString('base64url')
  const provider = await openProvider({
    clientId,
    clientSecret,
    port,
    clock,
    expiresIn: Math.round(tokenLifeMs / 1000),
    pages: demoEndpoints(clientId, clock),
    // Where the connector finds the photos.
    tokenMembers: ({ origin }) => ({ api_url: origin }),
  })
  const { origin } = provider
  return {
    origin,
    accountType: DEV_ACCOUNT_TYPE,
    entry: {
      slug: DEV_ACCOUNT_TYPE,
      grant_mode: 'authorization_code',
      ...provider.entry,
      pkce: 'S256',
      trusted_network: true,
    },
    close: () => provider.close(),
  }
}
