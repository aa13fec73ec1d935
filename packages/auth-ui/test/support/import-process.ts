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
  /** Owners that are written; of the others the names are claimed, and their writes wait for the end. */
  readonly most: number
}

// `import-process.ts <arguments as JSON>`: says when it has written as many owners as it may.
const told = JSON.parse(process.argv[2] ?? '') as ImportProcessArguments // Written by the test.
const inner =
  told.url === undefined
    ? sqliteStore({ file: told.file ?? '' })
    : redisStore({ url: told.url, ...redisPatience() })
let begun = 0
let written = 0
const store = withMember(inner, 'write', async (changes, options) => {
  if (!changes.some(({ key }) => key.includes(':owner:'))) return inner.write(changes, options)
  begun += 1
  // However late the signal comes, it comes in the middle.
  if (begun > told.most) return new Promise(() => {})
  const result = await inner.write(changes, options)
  written += 1
  if (written === told.most) process.send?.('written')
  return result
})
const server = await startUi({ store, key: Buffer.from(told.key, 'base64') })
process.once('disconnect', () => process.exit())
await server.ui.owners.importAll(told.lines)
