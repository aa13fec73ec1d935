/* Says whether BullMQ is loaded, before and after the scheduler is first used. */
import { createRequire } from 'node:module'
import { recordKey } from '../../src/index.ts'
import { openStore } from '../open-store.ts'

const isLoaded = (): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/bullmq/'))

const store = openStore(process.argv[2] ?? '')
await store.write([{ op: 'put', key: recordKey('i', 'thing', 'a'), value: 1 }])
await store.bus.publish('a', 1)
console.log(`before ${isLoaded()}`)
await store.scheduler.at('q', 'a', 0)
console.log(`after ${isLoaded()}`)
await store.close()
process.disconnect()
