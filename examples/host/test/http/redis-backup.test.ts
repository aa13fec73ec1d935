import { randomBytes } from 'node:crypto'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { SealingKey } from '@svc/platform'
import { indexKey, recordKey, systemClock } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { type RedisServer, sendToRedis, startRedisServer } from '@svc/store/testing'
import { browserClient, needsRedis } from '@svc/testkit'
import { expect } from 'chai'
import { allKinds } from '../../src/backups/all-kinds.ts'
import { manifestOf } from '../../src/backups/backup-files.ts'
import { digestOf } from '../../src/backups/check-file.ts'
import type { CreatedBackup } from '../../src/backups/create-backup.ts'
import { type Manifest, readManifest } from '../../src/backups/manifest.ts'
import { markRedisRestored } from '../../src/backups/mark-redis.ts'
import { createRedisBackup } from '../../src/backups/redis-backup.ts'
import { verifyBackup } from '../../src/backups/verify-backup.ts'
import { startHost } from '../../src/host.ts'
import { readSealingKeys } from '../../src/storage/sealing-keys.ts'
import { suiteFolder } from '../support/for-test.ts'
import { hostEnvironment, runSvc } from '../support/host-process.ts'
import { type Recorded, recordingLog, startTestHost, type TestHost } from '../support/test-host.ts'

const KEY = `k1:${randomBytes(32).toString('base64')}`

describe('a backup of a store on Redis', function () {
  this.timeout(120_000)
  let redis: RedisServer
  let host: TestHost
  const folder = suiteFolder()
  let made: CreatedBackup
  let keys: readonly SealingKey[]
  const registry = allKinds('io.svc')

  before(async function () {
    needsRedis(this)
    redis = await startRedisServer({ args: ['--appendonly', 'no'] })
    host = await startTestHost({ SVC_STORE: redis.url, SVC_KEYS: KEY })
    keys = readSealingKeys(host.config).keys
    await host.connect('io.svc.files:GET')
    const { id } = host.instance
    await host.host.store.write(
      ['kept', 'other'].map((slug) => ({
        op: 'put' as const,
        key: recordKey(id, 'installed-konnector', slug),
        value: { slug },
        indexes: [{ index: indexKey(id, 'konnectors'), sort: slug }],
      })),
    )
    made = await makeBackup()
  })
  after(async () => {
    await host?.stop()
    await redis?.stop()
  })

  const makeBackup = (): Promise<CreatedBackup> =>
    createRedisBackup({
      config: host.config,
      directory: folder,
      registry,
      clock: systemClock,
      url: redis.url,
    })

  async function faultsOf(file: string, ring = keys): Promise<readonly string[]> {
    const { faults } = await verifyBackup({ file, registry, keys: ring })
    return faults.map(({ code, text }) => `${code}: ${text}`)
  }

  /** A copy of the backup whose bytes were changed. */
  async function changed(isHidden: boolean, change: (bytes: Buffer) => Buffer): Promise<string> {
    const file = path.join(folder, 'svc-20200101T000000Z.rdb')
    writeFileSync(file, change(readFileSync(made.file)))
    const digest = isHidden ? await digestOf(file) : {}
    const manifest: Manifest = { ...readManifest(manifestOf(made.file)), ...digest }
    writeFileSync(manifestOf(file), JSON.stringify(manifest))
    return file
  }

  const flip = (bytes: Buffer): Buffer => {
    const at = Math.floor(bytes.length / 2)
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    return bytes
  }

  it('is a snapshot that verifies, and its manifest says what it holds', async () => {
    expect(path.basename(made.file)).to.match(/^svc-\d{8}T\d{6}Z\.rdb$/)
    expect(await faultsOf(made.file)).to.deep.equal([])
    expect(made.manifest).to.include({ engine: 'redis', instances: 1, encrypted: false })
    expect(made.manifest.records).to.include({ owner: 1, client: 1, 'installed-konnector': 2 })
    expect(made.manifest.kids).to.deep.equal(['k1'])
  })

  it('is found out when a byte is another one, or its end is missing', async () => {
    const [first] = await faultsOf(await changed(false, flip))
    expect(first).to.match(/^bytes_changed: .*SHA-256 differs/)
    const damaged = 'damaged: redis-server cannot read the snapshot.'
    expect(await faultsOf(await changed(true, flip))).to.deep.equal([damaged])
    const cut = await changed(true, (bytes) => bytes.subarray(0, -200))
    expect(await faultsOf(cut)).to.deep.equal([damaged])
  })

  it('is found out when its key is missing, or another one', async () => {
    expect(await faultsOf(made.file, [{ kid: 'k2', key: randomBytes(32) }])).to.deep.equal([
      'key_missing: It holds values sealed with the key "k1", which is not among the sealing keys.',
    ])
    expect(await faultsOf(made.file, [{ kid: 'k1', key: randomBytes(32) }])).to.include(
      'key_wrong: "k1" among the sealing keys is not the key that the store was sealed with.',
    )
  })

  it('is found out when an index lists what is not there, or misses what is', async () => {
    const { id } = host.instance
    const index = `{${id}}:#index:konnectors`
    const member = (sort: string, slug: string) =>
      `"${sort}\\x00{${id}}:installed-konnector:${slug}"`
    await sendToRedis(redis.port, `ZADD ${index} 0 ${member('gone', 'gone')}`)
    await sendToRedis(redis.port, `ZADD ${index} 0 ${member('wrong', 'kept')}`)
    await sendToRedis(redis.port, `ZREM ${index} ${member('other', 'other')}`)
    // Of what expires an index may list what is gone: Redis drops it with the next list.
    await sendToRedis(redis.port, `ZADD {${id}}:#index:sessions 0 "x\\x00{${id}}:session:gone"`)
    const { file } = await makeBackup()
    await sendToRedis(redis.port, `ZREM ${index} ${member('gone', 'gone')}`)
    await sendToRedis(redis.port, `ZREM ${index} ${member('wrong', 'kept')}`)
    await sendToRedis(redis.port, `ZADD ${index} 0 ${member('other', 'other')}`)
    const name = `{${id}}:index:konnectors`
    const key = `{${id}}:installed-konnector:`
    expect([...(await faultsOf(file))].toSorted()).to.deep.equal([
      `index_differs: The index ${name} does not list ${key}other, which belongs in it.`,
      `index_differs: The index ${name} lists ${key}gone, which is not there.`,
      `index_differs: The index ${name} lists ${key}kept, which does not belong in it.`,
    ])
  })

  it('is put back by Redis; the command says how, and marks the store then, which ends the past', async () => {
    const env = hostEnvironment({
      SVC_DATA_DIR: host.config.dataDir,
      SVC_DEMO: 'off',
      SVC_STORE: redis.url,
      SVC_KEYS: KEY,
    })
    const { cookie } = await host.host.app.ui.owners.createSession(host.instance)
    const { file, manifest } = await makeBackup()
    const refused = await runSvc(['backup', 'restore', file], env)
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.include('Put').and.to.include(`svc backup restore ${file} --mark`)
    const mark = () =>
      markRedisRestored({
        plain: file,
        url: redis.url,
        backupAt: Date.parse(manifest.createdAt),
        revokeGrants: false,
        clock: systemClock,
      }).catch((error: Error) => error.message)

    // What the owner does then is gone with the restore.
    await host.host.store.write([
      { op: 'delete', key: recordKey(host.instance.id, 'installed-konnector', 'other') },
    ])
    await host.host.stop()
    expect(await mark()).to.match(/is not the one of this backup|A server uses this store/)

    await redis.kill()
    copyFileSync(file, path.join(redis.dir, 'dump.rdb'))
    rmSync(path.join(redis.dir, 'appendonlydir'), { recursive: true, force: true })
    await redis.restart()
    const marked = await runSvc(['backup', 'restore', file, '--mark'], env)
    expect(marked.code, marked.stderr).to.equal(0)
    expect(marked.stdout).to.include('every owner is told')

    const recorded: Recorded = { lines: [], faults: [] }
    const again = await startHost({
      config: host.config,
      log: recordingLog(recorded),
      notice: () => {},
    })
    try {
      expect(recorded.lines.map(([event]) => event)).to.include('store.restored')
      const browser = browserClient({ base: host.instance.origin, port: again.port })
      const domain = host.instance.domain
      const pair = `${cookie.name}=${cookie.value}`
      browser.plantCookie(`${pair}; Path=/; Domain=${domain}; Secure`, host.instance.origin)
      expect((await browser.get('/auth/login')).status, 'the old cookie').to.equal(200)
      const store = redisStore({ url: redis.url })
      const notice = await store.get(recordKey(host.instance.id, 'restored-notice', 'notice'))
      await store.close()
      expect(notice?.value).to.include({ backupAt: Date.parse(manifest.createdAt) })
    } finally {
      await again.stop()
    }
    expect(await mark(), 'after a server wrote').to.match(/is not the one of|A server uses/)
  })
})
