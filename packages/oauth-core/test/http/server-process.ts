import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { redisPatience } from '@svc/testkit'
import { resourceServer } from '../resource-server.ts'
import { MCP } from '../sample-resources.ts'
import type { ProcessArguments } from './token-server.ts'

// A second process that serves the package: `server-process.ts <arguments as JSON>`.
const told = JSON.parse(process.argv[2] ?? '') as ProcessArguments // Written by the test.
const store = told.isRedis
  ? redisStore({ url: told.at, ...redisPatience() })
  : sqliteStore({ file: told.at })
if (told.diesAfterRotation === true) {
  const write = store.write.bind(store)
  store.write = async (...given) => {
    const result = await write(...given)
    const isRotation = given[0].some((change) => change.op === 'put' && 'ifRevision' in change)
    if (isRotation && result.written) process.kill(process.pid, 'SIGKILL')
    return result
  }
}
const { port } = await resourceServer({
  store,
  keys: [{ kid: 'test', key: Buffer.from(told.sealingKey, 'base64') }],
  resources: [MCP],
  isSecondProcess: true,
  isKept: true,
})
process.once('disconnect', () => process.exit())
process.send?.(port)
