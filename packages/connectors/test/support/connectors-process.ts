import type { Instance } from '@svc/platform'
import { redisPatience } from '@svc/testkit'
import { redisStore } from '@svc/store/redis'
import type { Provider } from '@svc/testkit'
import { CALLBACK_URL, startConnectors } from './connectors-server.ts'
import { cookieLogins } from './cookie-logins.ts'

/** What the other process is told. */
export interface ConnectorsProcessArguments {
  readonly url: string
  readonly alice: Instance
  readonly bob: Instance
}

// Another process of the host: `connectors-process.ts <arguments as JSON>`. It answers with its port.
const { url, alice, bob } = JSON.parse(process.argv[2] ?? '') as ConnectorsProcessArguments // Written by the test.
const server = await startConnectors({
  store: redisStore({ url, ...redisPatience() }),
  // Its provider is the test's: it only needs what the type in the store says of it.
  sameAs: { alice, bob, logins: cookieLogins(), provider: {} as Provider },
  connectors: { callbackUrl: CALLBACK_URL },
})
process.once('disconnect', () => process.exit())
process.send?.(server.port)
