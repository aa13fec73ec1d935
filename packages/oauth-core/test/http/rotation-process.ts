import type { Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { redisPatience } from '@svc/testkit'
import { MCP } from '../sample-resources.ts'
import { startTokenServer } from './token-server.ts'

/** What the other process is told: the same instances and sealing key on the same store. */
export interface RotationProcessArguments {
  /** A file, or the address of Redis. */
  readonly at: string
  readonly isRedis: boolean
  readonly instances: readonly [Instance, Instance]
  /** In base64. */
  readonly sealingKey: string
  /** Whether it kills itself once a refresh token was rotated, before anybody is answered. */
  readonly diesAfterRotation: boolean
}

// A second process that serves the token endpoints: `rotation-process.ts <arguments as JSON>`.
const told = JSON.parse(process.argv[2] ?? '') as RotationProcessArguments // Written by the test.
const store: Store = told.isRedis
  ? redisStore({ url: told.at, ...redisPatience() })
  : sqliteStore({ file: told.at })
if (told.diesAfterRotation) {
  const write = store.write.bind(store)
  store.write = async (...given) => {
    const result = await write(...given)
    const isRotation = given[0].some((change) => change.op === 'put' && 'ifRevision' in change)
    if (isRotation && result.written) process.kill(process.pid, 'SIGKILL')
    return result
  }
}
const server = await startTokenServer({
  store,
  instances: told.instances,
  sealingKey: Buffer.from(told.sealingKey, 'base64'),
  resource: MCP,
})
process.once('disconnect', () => process.exit())
process.send?.(server.origin)
