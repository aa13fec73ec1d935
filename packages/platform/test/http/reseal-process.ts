/** Reseals a store until it is done or killed: `reseal-process.ts <place> <kid:hex> <kid:hex>`; a line for each write of a key. */
import { type Store, systemClock } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { Reseal } from '../../src/index.ts'
import { SILENT } from '../support/open-instances.ts'
import { testRegistry } from '../support/sealed-store.ts'

const [, , place = '', ...texts] = process.argv
const store = place.startsWith('redis') ? redisStore({ url: place }) : sqliteStore({ file: place })
const write = store.write.bind(store)
Object.assign(store, {
  async write(...given: Parameters<Store['write']>) {
    const answer = await write(...given)
    for (const change of given[0]) if (change.op === 'revise') console.log(change.key)
    return answer
  },
})
const keys = texts.map((text) => {
  const [kid = '', hex = ''] = text.split(':')
  return { kid, key: Buffer.from(hex, 'hex') }
})
const run = new Reseal({
  store,
  keys,
  clock: systemClock,
  records: testRegistry(),
  log: SILENT,
  hostname: String(process.pid),
  leaseMs: 500,
})
await run.start(100)
for (;;) {
  const progress = await run.progress()
  if (progress?.status !== 'running') break
  await new Promise((resolve) => setTimeout(resolve, 20))
}
await run.close()
await store.close()
