import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '@svc/store'
import { type RunningServer, startServer } from '../../http/http-server.ts'
import { DEV_ACCOUNT_TYPE } from './photos.ts'
import { createProviderApp } from './provider-app.ts'

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
  let origin = ''
  const app = createProviderApp({
    clientId,
    clientSecret,
    tokenLifeMs,
    clock,
    origin: () => origin,
  })
  const handle = app.callback()
  const server: RunningServer = await startServer(
    (request, response) => void handle(request, response),
    { port, host: '127.0.0.1' },
  )
  origin = `http://127.0.0.1:${server.port}`
  return {
    origin,
    accountType: DEV_ACCOUNT_TYPE,
    entry: {
      slug: DEV_ACCOUNT_TYPE,
      grant_mode: 'authorization_code',
      client_id: clientId,
      client_secret: clientSecret,
      auth_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      revocation_endpoint: `${origin}/revoke`,
      pkce: 'S256',
      trusted_network: true,
    },
    close: () => server.stop(0),
  }
}
