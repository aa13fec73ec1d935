/* Writes into the store named by the first argument until it is killed, saying each fact at once. */
import { writeSync } from 'node:fs'
import { openStore } from '../open-store.ts'
import { stream } from './stream.ts'

const [place = '', round = ''] = process.argv.slice(2)
const store = openStore(place)
await store.health()
await stream(store, round, note, () => false)

function note(line: string): void {
  const bytes = Buffer.from(`${line}\n`)
  let sent = 0
  // The pipe may be full for a moment.
  while (sent < bytes.length) {
    try {
      sent += writeSync(1, bytes, sent)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
    }
  }
}
