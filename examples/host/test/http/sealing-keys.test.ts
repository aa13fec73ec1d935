import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { type DumpEntry, recordKey, systemClock } from '@svc/store'
import { dumpSqliteFile } from '@svc/store/sqlite'
import { testFolder, testHost } from '../support/for-test.ts'
import { runFaultyHost, spawnHost } from '../support/host-process.ts'

const keyText = (kid: string): string => `${kid}:${randomBytes(32).toString('base64')}`
const MODES: [mode: string, env: Record<string, string>][] = [
  ['development', {}],
  ['production', { NODE_ENV: 'production' }],
]

async function contentOf(folder: string): Promise<readonly DumpEntry[]> {
  const file = path.join(folder, 'store.db')
  const entries: DumpEntry[] = []
  for await (const entry of dumpSqliteFile({ file, clock: systemClock, reads: [1, 1] })) {
    entries.push(entry)
  }
  return entries
}

describe('a start with other sealing keys', function () {
  this.timeout(60_000)
  let folder: string
  beforeEach(() => {
    folder = testFolder()
  })

  for (const [mode, own] of MODES) {
    it(`ends with 78 and names the key that is missing, in ${mode}`, async () => {
      const old = keyText('k1')
      const env = { ...own, SVC_DATA_DIR: folder, SVC_DEMO: 'off' }
      const first = await spawnHost({ dataDir: folder, env: { ...env, SVC_KEYS: old } })
      await first.stop()
      const before = await contentOf(folder)
      const { code, stderr } = await runFaultyHost({ ...env, SVC_KEYS: keyText('k2') })
      expect(code).to.equal(78)
      expect(stderr).to.include('sealed with the key "k1" (first used ')
      expect(await contentOf(folder), 'nothing is written before').to.deep.equal(before)
      expect(stderr).to.not.match(/\n {4}at /)
      const both = { ...env, SVC_KEYS: `${keyText('k2')},${old}` }
      const again = await spawnHost({ dataDir: folder, env: both })
      expect(await again.stop()).to.equal(0)
    })
  }
})

/** @see operation.md 3.3 */
describe('a value of the store that the keys do not open', () => {
  it('makes the server not ready from then on, and its key is in the log', async () => {
    const clock = fakeClock()
    const host = await testHost({}, 'alice.example.com', clock)
    const ready = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${host.host.port}/health/ready`)).status
    const { token } = await host.connect('io.svc.notes')
    const call = () => host.call(token, 'GET', '/data/io.svc.notes')
    expect((await call()).status).to.equal(200)
    expect(await ready()).to.equal(200)
    const key = recordKey(host.instance.id, 'keys', 'access')
    const before = await host.host.store.get(key)
    const sealed = `theirs.${'A'.repeat(64)}`
    await host.host.store.write([{ op: 'put', key, value: { keys: [{ n: 1, sealed }] } }])
    clock.advance(2000)
    const refused = await call()
    expect(refused.status).to.equal(503)
    expect(refused.json()).to.include({ error: 'keys_unavailable' })
    const [, fields] = host.log.find(([event]) => event === 'keys.open_failed') ?? []
    expect(fields).to.include({ kid: 'theirs' })
    expect(host.log.map(([event]) => event)).to.not.include('request.crashed')
    expect(await ready()).to.equal(503)
    // Whoever put the value right starts the server again: what else does not open is not known.
    await host.host.store.write([{ op: 'put', key, value: before?.value ?? {} }])
    clock.advance(2000)
    expect((await call()).status).to.equal(200)
    expect(await ready()).to.equal(503)
  })

  it('is not what somebody sends from outside', async () => {
    const host = await testHost()
    const browser = await host.browser(undefined, { anonymous: true })
    const forged = `v1.theirs.${'A'.repeat(16)}.${'A'.repeat(64)}`
    const page = await browser.get(`/notifications/unsubscribe?token=${forged}`)
    expect(page.status).to.be.within(400, 499)
    const ready = await fetch(`http://127.0.0.1:${host.host.port}/health/ready`)
    expect(ready.status).to.equal(200)
  })
})
