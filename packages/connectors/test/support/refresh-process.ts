import type { Instance } from '@svc/platform'
import { redisStore } from '@svc/store/redis'
import type { Provider } from '@svc/testkit'
import type { ConnectorsOptions } from '../../src/options.ts'
import { cookieLogins } from './cookie-logins.ts'
import { startRefresh } from './refresh-server.ts'
import { createStoredAccounts } from '../../src/accounts/account-store.ts'
import { watchedAccounts } from './watched-accounts.ts'

/** What the other process is told. */
export interface RefreshProcessArguments {
  readonly url: string
  readonly alice: Instance
  readonly lifetimes: ConnectorsOptions['lifetimes']
  readonly autoRefresh?: boolean
  /** Whether its writes of accounts never come to an end. */
  readonly stalls?: boolean
}

/** What it answers to any message. */
export interface RefreshProcessReport {
  readonly port: number
  /** How often it read an account. */
  readonly reads: number
}

// Another process of the host: `refresh-process.ts <arguments as JSON>`.
const told = JSON.parse(process.argv[2] ?? '') as RefreshProcessArguments // Written by the test.
const store = redisStore({ url: told.url })
const accounts = watchedAccounts({
  ...createStoredAccounts(store),
  ...(told.stalls === true && { update: () => new Promise<undefined>(() => {}) }),
})
const server = await startRefresh({
  store,
  // Its provider is the test's: it only needs what the type in the store says of it.
  sameAs: { alice: told.alice, bob: told.alice, logins: cookieLogins(), provider: {} as Provider },
  connectors: {
    accounts,
    ...(told.lifetimes && { lifetimes: told.lifetimes }),
    autoRefresh: told.autoRefresh ?? false,
  },
})
if (told.autoRefresh === true) await server.connectors.start()
const report = (): void => {
  process.send?.({ port: server.port, reads: accounts.reads })
}
process.once('disconnect', () => process.exit())
process.on('message', report)
report()
