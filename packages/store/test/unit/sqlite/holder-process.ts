/* Holds the store file named by the first argument until it is killed. */
import { recordKey } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite/index.ts'

const store = sqliteStore({ file: process.argv[2] ?? '' })
await store.write([{ op: 'put', key: recordKey('i', 'thing', 'a'), value: 'held' }])
console.log('open')
setInterval(() => {}, 60_000)
