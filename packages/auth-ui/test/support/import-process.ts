import { redisPatience } from '@svc/testkit'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { withMember } from './noted-events.ts'
import { startUi } from './ui-server.ts'

/** What the process is told that imports owners until it is killed. */
export interface ImportProcessArguments {
  /** Of Redis; absent: SQLite on the file. */
  readonly url?: string
  readonly file?: string
  /** In base64. */
  readonly key: string
  /** JSON texts. */
  readonly lines: readonly string[]
}

// `import-process.ts <arguments as JSON>`: says how many owners are written, each time one is.
const told = JSON.parse(process.argv[2] ?? '') as ImportProcessArguments // Written by the test.
const inner =
  told.url === undefined
    ? sqliteStore({ file: told.file ?? '' })
    : redisStore({ url: told.url, ...redisPatience() })
let written = 0
const store = withMember(inner, 'write', async (changes, options) => {
  const result = await inner.write(changes, options)
  if (changes.some(({ key }) => key.includes(':owner:'))) process.send?.((written += 1))
  return result
})
const server = await startUi({ store, key: Buffer.from(told.key, 'base64') })
process.once('disconnect', () => process.exit())
await server.ui.owners.importAll(told.lines)
