import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { skipUnless } from '@svc/testkit'
import { indexKey, recordKey, type Store, systemClock } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { type EmbeddedStore, sqliteStore } from '@svc/store/sqlite'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { ConfigError } from '../../src/config/config.ts'
import type { UpgradeStep } from '../../src/storage/migrate-records.ts'
import { raiseEmbedded, upgradeShared } from '../../src/storage/raise-store.ts'
import { readStoreRecord } from '../../src/storage/store-record.ts'
import {
  checkVersion,
  KNOWN_VERSIONS,
  type KnownVersions,
} from '../../src/storage/store-version.ts'
import { closeAfterTest, testFolder } from '../support/for-test.ts'

const key = (n: number) => recordKey('i', 'thing', String(n))
const COUNT = 250

/** Things say who they are by `name` in version 2, by `n` before. */
const STEP: UpgradeStep = {
  to: 2,
  oldestProduct: '0.2.0',
  migrate({ key: { length }, value }) {
    const isOld = length > 0 && typeof value === 'object' && value !== null && 'n' in value
    return isOld ? { v: 2, name: `thing ${String(value['n'])}` } : undefined
  },
}
const NEXT: KnownVersions = {
  ...KNOWN_VERSIONS,
  product: '0.2.1',
  reads: [1, 2],
  writes: 2,
  oldestProduct: '0.2.0',
  steps: [STEP],
}

async function fill(store: Store): Promise<void> {
  for (let n = 0; n < COUNT; n++) await store.write([{ op: 'put', key: key(n), value: { n } }])
}

async function expectMigrated(store: Store): Promise<void> {
  for (let n = 0; n < COUNT; n++) {
    expect((await store.get(key(n)))?.value).to.deep.equal({ v: 2, name: `thing ${n}` })
  }
  expect(await readStoreRecord(store)).to.include({
    version: 2,
    oldestProduct: '0.2.0',
    product: '0.2.1',
  })
}

describe('raising an embedded store', () => {
  let dir = ''
  let file = ''
  let store: EmbeddedStore
  const told: unknown[] = []
  beforeEach(async () => {
    dir = testFolder()
    file = join(dir, 'store.db')
    store = sqliteStore({ file, reads: NEXT.reads })
    await fill(store)
    told.length = 0
  })
  afterEach(async () => {
    await store.close()
  })

  const raise = (known: KnownVersions, freeBytes?: number): Promise<void> =>
    raiseEmbedded({
      store,
      file,
      clock: systemClock,
      known,
      log: { info: (event: string, fields?: object) => void told.push({ event, ...fields }) },
      ...(freeBytes !== undefined && { freeBytes: async () => freeBytes }),
    })

  it('keeps a copy from before, brings records forward, and raises both places of the version', async () => {
    await raise(NEXT)
    await expectMigrated(store)
    expect(store.version()).to.equal(2)
    const copyFile = `${file}.before-v2`
    expect(told).to.deep.equal([{ event: 'store.raised', from: 1, to: 2, copy: copyFile }])
    const copy = sqliteStore({ file: copyFile })
    try {
      expect(copy.version()).to.equal(1)
      expect((await copy.get(key(7)))?.value).to.deep.equal({ n: 7 })
    } finally {
      await copy.close()
    }
    await raise(NEXT)
    expect(told).to.have.length(1)
  })

  it('changes nothing when there is no room for the copy', async () => {
    const failure = await raise(NEXT, 1024).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(ConfigError)
    expect(String(failure)).to.include('no room for the copy')
    expect(store.version()).to.equal(1)
    expect((await store.get(key(7)))?.value).to.deep.equal({ n: 7 })
    expect(existsSync(`${file}.before-v2`)).to.equal(false)
  })

  it('goes on after an interruption, with the copy of the first attempt', async () => {
    let calls = 0
    const breaking: UpgradeStep = {
      ...STEP,
      migrate(record) {
        if (++calls > 100) throw new Error('killed')
        return STEP.migrate(record)
      },
    }
    await raise({ ...NEXT, steps: [breaking] }).catch(() => {})
    expect(store.version()).to.equal(1)
    await raise(NEXT)
    await expectMigrated(store)
    const copy = sqliteStore({ file: `${file}.before-v2` })
    closeAfterTest(() => copy.close())
    for (let n = 0; n < COUNT; n++) {
      expect((await copy.get(key(n)))?.value).to.deep.equal({ n })
    }
  })

  it('refuses a store that is too old, and names the version to go through', () => {
    const known = { ...NEXT, reads: [2, 3] as const, through: { 1: '0.2.9' } }
    expect(() => checkVersion({ version: 1 }, known)).to.throw(
      ConfigError,
      'This store is of version 1; this is Svc 0.2.1, which knows versions from 2. ' +
        'Start Svc 0.2.9 once, which raises it, then this one.',
    )
  })
})

describe('raising a store on Redis', () => {
  it('waits for processes that cannot read it, then brings records forward under writes', async function () {
    this.timeout(30_000)
    skipUnless(this, hasRedisServer(), 'redis-server is not installed')
    const server = await startRedisServer({ args: ['--appendfsync', 'no'] })
    const store = redisStore({ url: server.url })
    try {
      await fill(store)
      const old = recordKey('host', 'process', 'old')
      const value = { version: '0.1.0', reads: [1, 1], hostname: 'one', port: 8081, startedAt: 1 }
      const indexes = [{ index: indexKey('host', 'processes'), sort: '1' }]
      await store.write([{ op: 'put', key: old, value, indexes }])
      const options = { pauseMs: 0 }
      const refused = await upgradeShared(store, systemClock, NEXT, options).catch(String)
      expect(refused).to.include('one port 8081 (Svc 0.1.0) cannot read it')
      expect((await readStoreRecord(store))?.version).to.equal(1)
      expect((await store.get(key(7)))?.value).to.deep.equal({ n: 7 })

      await store.write([{ op: 'delete', key: old }])
      // Somebody else writes a record between its read and its write.
      let isOvertaken = false
      const overtaken: UpgradeStep = {
        ...STEP,
        migrate(record) {
          if (!isOvertaken)
            void store.write([{ op: 'revise', key: record.key, value: record.value }])
          isOvertaken = true
          return STEP.migrate(record)
        },
      }
      const report = await upgradeShared(
        store,
        systemClock,
        { ...NEXT, steps: [overtaken] },
        options,
      )
      expect(report).to.deep.equal({ from: 1, to: 2, changed: COUNT })
      await expectMigrated(store)
      const again = await upgradeShared(store, systemClock, NEXT, options)
      expect(again).to.deep.equal({ from: 2, to: 2, changed: 0 })
    } finally {
      await store.close()
      await server.stop()
    }
  })
})
