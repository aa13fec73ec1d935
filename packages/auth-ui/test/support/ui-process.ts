import { redisPatience } from '@svc/testkit'
import { redisStore } from '@svc/store/redis'
import { ROOMY_LIMITS } from './roomy-limits.ts'
import { startUi } from './ui-server.ts'

/** What the other process is told: the same sealing key on the same Redis. */
export interface UiProcessArguments {
  readonly url: string
  /** In base64. */
  readonly key: string
}

// A second process that serves the owner: `ui-process.ts <arguments as JSON>`.
const told = JSON.parse(process.argv[2] ?? '') as UiProcessArguments // Written by the test.
const server = await startUi({
  store: redisStore({ url: told.url, ...redisPatience() }),
  key: Buffer.from(told.key, 'base64'),
  ui: { limits: ROOMY_LIMITS },
})
process.once('disconnect', () => process.exit())
process.send?.(server.port)
