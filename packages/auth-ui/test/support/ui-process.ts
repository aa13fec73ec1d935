import { redisStore } from '@svc/store/redis'
import { startUi } from './ui-server.ts'

/** What the other process is told: the same sealing key on the same Redis. */
export interface UiProcessArguments {
  readonly url: string
  /** In base64. */
  readonly key: string
}

// A second process that serves the owner: `ui-process.ts <arguments as JSON>`.
const told = JSON.parse(process.argv[2] ?? '') as UiProcessArguments // Written by the test.
const many = { limit: 1000, windowMs: 60_000 }
const server = await startUi({
  store: redisStore({ url: told.url }),
  key: Buffer.from(told.key, 'base64'),
  ui: {
    limits: { auth: many, 'auth-ip': many, 'magic-link': many, 'two-factor-generation': many },
  },
})
process.once('disconnect', () => process.exit())
process.send?.(server.port)
