import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { timeBudget } from '../../../testkit/src/time-budget.ts'
import { eventually } from '../../src/contract/suite.ts'
import type { WakeUp } from '../../src/index.ts'
import { hasRedisServer, startRedisServer } from '../../src/testing/index.ts'
import { startChild } from '../child.ts'
import { openStore } from '../open-store.ts'
import { skipUnless } from '../skip-unless.ts'

describe('kill -9 of a process while it handles wake-ups', function () {
  this.timeout(60_000)

  it('wakes another one for them on SQLite', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'svc-store-'))
    try {
      await killHandler(join(dir, 'store.db'))
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  it('wakes another one for them on Redis', async function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    const server = await startRedisServer()
    try {
      await killHandler(server.url)
    } finally {
      await server.stop()
    }
  })
})

async function killHandler(place: string): Promise<void> {
  const child = startChild('faults/sleeper-process.ts', place)
  const when = Number((await child.line('asked')).split(' ')[1])
  await child.line('woken')
  await child.kill()
  const store = openStore(place)
  try {
    const woken: WakeUp[] = []
    await store.scheduler.process('nights', async (wakeUp) => void woken.push(wakeUp))
    // On Redis the dead process's lock has to expire first.
    await eventually(() => new Set(woken.map(({ id }) => id)).size === 5, timeBudget(30_000))
    for (const wakeUp of woken) {
      expect(wakeUp.when).to.equal(when + Number(wakeUp.id.split('-')[1]))
    }
  } finally {
    await store.close()
  }
}
