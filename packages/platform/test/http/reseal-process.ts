/** Reseals a store until it is done or killed: `reseal-process.ts <place> <kid:hex> <kid:hex>`; prints the revision of progress. */
import { systemClock } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { Reseal } from '../../src/index.ts'
import { SILENT, testRegistry } from '../support/sealed-store.ts'

const [, , place = '', ...texts] = process.argv
const store = place.startsWith('redis') ? redisStore({ url: place }) : sqliteStore({ file: place })
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
  console.log(progress.state.sealed)
  await new Promise((resolve) => setTimeout(resolve, 20))
}
console.log('done')
await run.close()
await store.close()
