import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Store } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { startRedisServer } from '@svc/store/testing'
import { needsRedis, redisPatience, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import type { ImportProcessArguments } from '../support/import-process.ts'
import { startUi } from '../support/ui-server.ts'

const COUNT = 300
const LINES = Array.from({ length: COUNT }, (_, n) =>
  JSON.stringify({
    externalId: `user:${n}`,
    domain: `owner-${n}.example.com`,
    email: `owner-${n}@mail.example`,
  }),
)
const PROGRAM = path.join(import.meta.dirname, '../support/import-process.ts')
/** Owners that are written until the process is killed, the first time and the second. */
const KILLS = [40, 40]

/** Imports the lines in a process of its own, and kills it when as many owners as it may are written. */
async function killInTheMiddle(told: ImportProcessArguments): Promise<void> {
  const child = fork(PROGRAM, [JSON.stringify(told)])
  const exited = once(child, 'exit')
  child.once('message', () => child.kill('SIGKILL'))
  expect((await exited)[1]).to.equal('SIGKILL')
}

describe('an import of owners that is killed twice', function () {
  this.timeout(timeBudget(60_000))

  async function check(
    told: Pick<ImportProcessArguments, 'file' | 'url'>,
    open: () => Store,
  ): Promise<void> {
    const key = randomBytes(32)
    for (const most of KILLS) {
      await killInTheMiddle({ ...told, most, key: key.toString('base64'), lines: LINES })
    }
    const store = open()
    const server = await startUi({ store, key })
    try {
      // Names that the killed ones had claimed are free a minute later.
      server.clock.advance(120_000)
      const imported = await server.ui.owners.importAll(LINES)
      const known = KILLS.reduce((sum, most) => sum + most, 0)
      expect(imported).to.include({ created: COUNT - known, unchanged: known })
      const again = await server.ui.owners.importAll(LINES)
      expect(again).to.include({ created: 0, unchanged: COUNT })
      const urls = imported.owners.map(({ onboardingUrl }) => onboardingUrl)
      expect(again.owners.map(({ onboardingUrl }) => onboardingUrl)).to.deep.equal(urls)
      expect(new Set(urls).size).to.equal(COUNT)
      const ids: string[] = []
      let cursor: string | undefined
      do {
        const page = await server.oauth.instances.list(cursor === undefined ? {} : { cursor })
        ids.push(...page.instances.map(({ externalId = '' }) => externalId))
        ;({ cursor } = page)
      } while (cursor !== undefined)
      expect(ids).to.have.length(COUNT)
      expect(new Set(ids).size).to.equal(COUNT)
    } finally {
      await server.close()
      await store.close()
    }
  }

  it('makes every owner once on SQLite', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'svc-import-'))
    try {
      const file = path.join(dir, 'store.db')
      await check({ file }, () => sqliteStore({ file }))
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  })

  it('makes every owner once on Redis', async function () {
    needsRedis(this)
    const redis = await startRedisServer()
    try {
      const { url } = redis
      await check({ url }, () => redisStore({ url, ...redisPatience() }))
    } finally {
      await redis.stop()
    }
  })
})
