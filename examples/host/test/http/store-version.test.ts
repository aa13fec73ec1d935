import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { skipUnless } from '@svc/testkit'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { hasRedisServer, type RedisServer, startRedisServer } from '@svc/store/testing'
import { putStoreRecord, type StoreRecord } from '../../src/storage/store-record.ts'
import { closeAfterTest, testFolder } from '../support/for-test.ts'
import { runFaultyHost, spawnHost } from '../support/host-process.ts'

const KEY = `k1:${Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64')}`
const NEWER: StoreRecord = {
  version: 5,
  oldestProduct: '0.8.5',
  product: '0.9.0',
  raisedAt: Date.parse('2026-05-02T10:00:00Z'),
}
const NEWER_WORDS =
  'This store is of version 5, raised by Svc 0.9.0 on 2026-05-02; this is Svc 0.1.0, which knows versions up to 1. ' +
  'Start 0.8.5 or newer, or restore a backup from before.'

describe('a start on a store', function () {
  this.timeout(60_000)
  let dir = ''
  let file = ''
  let redis: RedisServer | undefined
  before(async () => {
    if (hasRedisServer()) redis = await startRedisServer()
  })
  after(() => redis?.stop())
  beforeEach(async () => {
    dir = testFolder()
    file = path.join(dir, 'store.db')
  })

  const putEmbedded = async (record: StoreRecord): Promise<void> => {
    const store = sqliteStore({ file })
    await store.raise(record.version, [putStoreRecord(record)])
    await store.close()
  }
  const putShared = async (url: string, record: StoreRecord): Promise<void> => {
    const store = redisStore({ url })
    await store.write([putStoreRecord(record)])
    await store.close()
  }
  const startEmbedded = () => runFaultyHost({ SVC_DATA_DIR: dir })
  const startShared = (url: string) => runFaultyHost({ SVC_STORE: url, SVC_KEYS: KEY })

  it('that is newer ends with 78 and says which version to start, embedded', async () => {
    await putEmbedded(NEWER)
    const { code, stderr } = await startEmbedded()
    expect(stderr).to.equal(`${NEWER_WORDS}\n`)
    expect(code).to.equal(78)
  })

  it('that is newer and says no more ends with 78', async () => {
    const db = new DatabaseSync(file)
    db.exec('CREATE TABLE other (a); PRAGMA user_version = 7')
    db.close()
    const { code, stderr } = await startEmbedded()
    expect(stderr).to.include('This store is of version 7; this is Svc 0.1.0, which knows')
    expect(code).to.equal(78)
  })

  it('that is newer ends with 78 and says which version to start, on Redis', async function () {
    skipUnless(this, redis !== undefined, 'redis-server is not installed')
    await putShared(redis?.url ?? '', NEWER)
    const { code, stderr } = await startShared(redis?.url ?? '')
    expect(stderr).to.equal(`${NEWER_WORDS}\n`)
    expect(code).to.equal(78)
  })

  it('says of a new store which version it has, and starts on it again', async () => {
    for (let round = 0; round < 2; round++) {
      const host = await spawnHost({ dataDir: dir })
      expect(await host.stop()).to.equal(0)
    }
    const store = sqliteStore({ file })
    closeAfterTest(() => store.close())
    const { value } = (await store.get(putStoreRecord(NEWER).key)) ?? {}
    expect(value).to.include({ version: 1, product: '0.1.0', oldestProduct: '0.1.0' })
  })
})
