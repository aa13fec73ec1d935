import { redisPatience } from '@svc/testkit'
import { redisStore } from '@svc/store/redis'
import type { Instance } from '@svc/platform'
import { startTokenServer } from './token-server.ts'

/** What the other process is told: the same instances and sealing key on the same Redis. */
export interface TokenProcessArguments {
  readonly url: string
  readonly instances: readonly [Instance, Instance]
  /** In base64. */
  readonly sealingKey: string
}

// A second process that serves the token endpoints: `token-process.ts <arguments as JSON>`.
const told = JSON.parse(process.argv[2] ?? '') as TokenProcessArguments // Written by the test.
const server = await startTokenServer({
  store: redisStore({ url: told.url, ...redisPatience() }),
  instances: told.instances,
  sealingKey: Buffer.from(told.sealingKey, 'base64'),
})
process.once('disconnect', () => process.exit())
process.send?.(server.origin)
