import { randomBytes } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { fakeClock, needsRedis } from '@svc/testkit'
import { expect } from 'chai'
import { PRODUCT_VERSION } from '../../src/processes/product-version.ts'
import { testRedis } from '../support/for-test.ts'
import { type KeptOwner, openEverySeal, useKeptOwner } from '../support/kept-owner.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const VERSIONS = path.resolve(import.meta.dirname, '../fixtures/versions')

interface About {
  readonly version: string
  readonly madeAt: number
  readonly keys: string
  readonly identity: string
  readonly owners: Readonly<Record<'redis' | 'sqlite', KeptOwner>>
}

/** @see operation.md 5.6 */
describe('what released versions stored', function () {
  this.timeout(60_000)
  const folders = globSync('*/about.json', { cwd: VERSIONS }).map((file) => path.dirname(file))

  it('is kept, of this version at least until the next one', () => {
    expect(folders).to.include(PRODUCT_VERSION)
  })

  for (const version of folders) {
    const folder = path.join(VERSIONS, version)
    const about = JSON.parse(readFileSync(path.join(folder, 'about.json'), 'utf8')) as About
    const content = (name: string): Buffer => gunzipSync(readFileSync(path.join(folder, name)))
    let dataDir: string
    let host: TestHost | undefined

    async function start(env: Readonly<Record<string, string>>): Promise<TestHost> {
      const clock = fakeClock()
      clock.set(about.madeAt + 1000)
      const all = { SVC_DATA_DIR: dataDir, SVC_KEYS: about.keys, ...env }
      host = await startTestHost(all, 'next.example.net', clock)
      return host
    }

    describe(version, () => {
      beforeEach(() => {
        dataDir = mkdtempSync(path.join(tmpdir(), 'svc-kept-'))
      })
      afterEach(async () => {
        await host?.stop()
        host = undefined
        rmSync(dataDir, { recursive: true, force: true })
      })

      it('starts from its SQLite file, and the owner goes on', async () => {
        writeFileSync(path.join(dataDir, 'store.db'), content('store.db.gz'), { mode: 0o600 })
        const at = await start({})
        await useKeptOwner(at, about.owners.sqlite)
        expect(await openEverySeal(at)).to.be.above(5)
      })

      it('starts from its snapshot of Redis, and the owner goes on', async function () {
        needsRedis(this)
        const redis = await testRedis({ args: ['--appendonly', 'no'] })
        await redis.kill()
        writeFileSync(path.join(redis.dir, 'dump.rdb'), content('dump.rdb.gz'))
        await redis.restart()
        const at = await start({ SVC_STORE: redis.url })
        await useKeptOwner(at, about.owners.redis)
        expect(await openEverySeal(at)).to.be.above(5)
        await host?.stop()
        host = undefined
      })

      it('lets its export be imported, and the owner goes on', async () => {
        const at = await start({ SVC_KEYS: `other:${randomBytes(32).toString('base64')}` })
        const file = readFileSync(path.join(folder, 'owner.svc-instance.age'))
        await at.host.app.oauth.transfer.importInstance(Readable.from([file]), {
          key: { identities: [about.identity] },
        })
        await useKeptOwner(at, about.owners.sqlite)
      })
    })
  }
})
