import { setImmediate, setTimeout } from 'node:timers/promises'

// A process that was at rest a few times: `tick-process.ts kept` has a server's packages in it, `tick-process.ts bare` has
// not. It says what one call of `process.nextTick` takes, in nanoseconds, and goes.
const TICKS = 1000
/** V8 lets go of a shape that it met in none of three. */
const COLLECTIONS = 5
const ROUNDS = 30

if (process.argv[2] === 'kept') {
  const { createOAuth } = await import('@svc/oauth-core')
  const { sqliteStore } = await import('@svc/store/sqlite')
  const keys = [{ kid: '1', key: Buffer.alloc(32, 7) }]
  createOAuth({ store: sqliteStore({ file: ':memory:' }), keys })
}
// As a server that was busy before it rested: `nextTick` is compiled.
await fastestUs()
for (let i = 0; i < COLLECTIONS; i += 1) {
  await setTimeout(20)
  globalThis.gc?.()
}
process.send?.(((await fastestUs()) * 1000) / TICKS)
process.once('disconnect', () => process.exit())

/** Of a thousand ticks, least of the rounds. */
async function fastestUs(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = performance.now()
    for (let i = 0; i < TICKS; i += 1) process.nextTick(doNothing)
    least = Math.min(least, (performance.now() - before) * 1000)
    await setImmediate()
  }
  return least
}

function doNothing(): void {}
