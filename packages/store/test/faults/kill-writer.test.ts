import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { until } from '../../../testkit/src/until.ts'
import { hasRedisServer, type RedisServer, startRedisServer } from '../../src/testing/index.ts'
import { startChild } from '../child.ts'
import { openStore } from '../open-store.ts'
import { skipUnless } from '../skip-unless.ts'
import { audit } from './audit.ts'
import { createLedger, type Ledger } from './ledger.ts'

const ROUNDS = 50
/** Lines that a process says before it is killed, on average. */
const MEAN_LINES = 200

describe('kill -9 of a process in a stream of acknowledged writes', function () {
  this.timeout(120_000)
  let dir: string
  let server: RedisServer | undefined

  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'svc-store-'))
  })
  after(async () => {
    await server?.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  it('loses and revives nothing on SQLite, 50 times', async () => {
    expect(await killRounds(join(dir, 'store.db'))).to.be.greaterThan(ROUNDS * 20)
  })

  it('loses and revives nothing on Redis, 50 times', async function () {
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    server = await startRedisServer()
    expect(await killRounds(server.url)).to.be.greaterThan(ROUNDS * 20)
  })
})

/** Answers how much was acknowledged, after comparing all of it. */
async function killRounds(place: string): Promise<number> {
  const ledgers = new Map<string, Ledger>()
  let acknowledged = 0
  for (let number = 0; number < ROUNDS; number++) {
    const round = `r${number}`
    const ledger = await killInStream(place, round)
    acknowledged += ledger.acknowledged
    ledgers.set(round, ledger)
    const store = openStore(place)
    try {
      expect(await audit(store, round, ledger), round).to.deep.equal([])
      const [earlier] = ledgers
      if (earlier !== undefined && number % 10 === 9) {
        expect(await audit(store, ...earlier), earlier[0]).to.deep.equal([])
      }
    } finally {
      await store.close()
    }
  }
  return acknowledged
}

async function killInStream(place: string, round: string): Promise<Ledger> {
  const child = startChild('faults/writer-process.ts', place, round)
  await child.line('+')
  // Anywhere in the stream, also in the middle of a commit.
  const count = randomInt(1, 2 * MEAN_LINES)
  await until(() => child.lines.length >= count)
  await child.kill()
  const ledger = createLedger()
  for (const line of child.lines) ledger.note(line)
  return ledger
}
