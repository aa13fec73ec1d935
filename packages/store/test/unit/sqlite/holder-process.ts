/*
 * Holds the store file named by the first argument until it is killed. `collected`: nothing points to the store any
 * more, and the garbage was collected. `twice`: it was opened a second time, which is refused.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { recordKey, StoreUnavailableError } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite/index.ts'

const [file = '', what] = process.argv.slice(2)

async function hold(): Promise<void> {
  const store = sqliteStore({ file })
  await store.write([{ op: 'put', key: recordKey('i', 'thing', 'a'), value: 'held' }])
}

await hold()
if (what === 'collected') {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('the garbage cannot be collected by hand')
  for (let round = 0; round < 3; round++) {
    collect()
    await new Promise(setImmediate)
  }
}
if (what === 'twice') {
  try {
    sqliteStore({ file })
    throw new Error('the file was opened twice')
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error
  }
}
console.log('open')
setInterval(() => {}, 60_000)
