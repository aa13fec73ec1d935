import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startRedisServer } from '@svc/store/testing'
import { needsRedis } from '@svc/testkit'
import { expect } from 'chai'
import { runFaultyHost, spawnHost } from '../support/host-process.ts'

const keyText = (kid: string): string => `${kid}:${randomBytes(32).toString('base64')}`
const MODES: [mode: string, env: Record<string, string>][] = [
  ['development', {}],
  ['production', { NODE_ENV: 'production' }],
]

describe('a start with other sealing keys', function () {
  this.timeout(60_000)
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svc-host-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  for (const [mode, own] of MODES) {
    it(`ends with 78 and names the key that is missing, in ${mode}`, async () => {
      const old = keyText('k1')
      const env = { ...own, SVC_DATA_DIR: folder, SVC_DEMO: 'off' }
      const first = await spawnHost({ dataDir: folder, env: { ...env, SVC_KEYS: old } })
      await first.stop()
      const { code, stderr } = await runFaultyHost({ ...env, SVC_KEYS: keyText('k2') })
      expect(code).to.equal(78)
      expect(stderr).to.include('sealed with the key "k1" (first used ')
      expect(stderr).to.not.match(/\n {4}at /)
      const both = { ...env, SVC_KEYS: `${keyText('k2')},${old}` }
      const again = await spawnHost({ dataDir: folder, env: both })
      expect(await again.stop()).to.equal(0)
    })
  }

  it('ends with 78 on Redis, too', async function () {
    needsRedis(this)
    const redis = await startRedisServer()
    try {
      const env = { SVC_STORE: redis.url, SVC_DEMO: 'off' }
      const first = await spawnHost({ env: { ...env, SVC_KEYS: keyText('k1') } })
      await first.stop()
      const { code, stderr } = await runFaultyHost({ ...env, SVC_KEYS: keyText('k2') })
      expect(code).to.equal(78)
      expect(stderr).to.include('sealed with the key "k1"')
    } finally {
      await redis.stop()
    }
  })

  it('ends with 75 while the store cannot be reached', async () => {
    const { code } = await runFaultyHost({
      SVC_STORE: 'redis://127.0.0.1:1',
      SVC_KEYS: keyText('k1'),
      SVC_DEMO: 'off',
    })
    expect(code).to.equal(75)
  })
})
