import { randomBytes } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import path from 'node:path'
import { sqliteStore } from '@svc/store/sqlite'
import { until } from '@svc/testkit'
import { expect } from 'chai'
import type { CheckResult } from '../../src/checks/check.ts'
import { putStoreRecord, readStoreRecord } from '../../src/storage/store-record.ts'
import { testFolder, testProcess } from '../support/for-test.ts'
import { hostEnvironment, runFaultyHost, runSvc, spawnHost } from '../support/host-process.ts'

const KEY = `k1:${Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7 + 1)).toString('base64')}`

interface Answer {
  readonly faults: number
  readonly warnings: number
  readonly checks: readonly CheckResult[]
}

/** @see operation.md 2.1, 2.2, 2.5 */
describe('svc doctor', function () {
  this.timeout(60_000)

  it('looks at a running server in production, which said what it is', async () => {
    const host = await testProcess({ env: { NODE_ENV: 'production', SVC_KEYS: KEY } })
    await until(() => /^Off {11}/m.test(host.notice))
    const said = host.notice
    expect(said).to.match(/^Version {7}\d+\.\d+\.\d+$/m)
    expect(said).to.include(`Store         embedded, in ${host.dataDir}, version 1`)
    expect(said)
      .to.match(/^Instances {5}0$/m)
      .and.match(/^Sealing keys {2}k1$/m)
    expect(said).to.include(`Public        http://127.0.0.1:${host.port}`)
    expect(said)
      .to.match(/^Mail {10}off$/m)
      .and.match(/^Proxies {7}none trusted$/m)
    expect(said).to.not.include(KEY.slice(3))
    const quiet = await host.svc('doctor', '--offline', '--json')
    expect(quiet.code, quiet.stdout).to.equal(0)
    const { faults, checks } = JSON.parse(quiet.stdout) as Answer
    expect(faults).to.equal(0)
    const warned = checks.filter(({ state }) => state === 'warning').map(({ id }) => id)
    expect(warned).to.deep.equal(['backup.age'])
    expect(checks.map(({ id }) => id)).to.include.members(['keys.open', 'processes'])
    await host.svc('instance', 'create', 'alice.example.com')
    const loud = await host.svc('doctor', '--offline')
    expect(loud.code).to.equal(2)
    expect(loud.stdout).to.match(/^fault {4}mail\.unset {9}SVC_SMTP_URL is not set/m)
    expect(loud.stdout).to.match(/1 faults, 1 warnings, \d+ checks\.$/m)
  })

  it('looks at the configuration where no server runs, and makes nothing', async () => {
    const folder = testFolder()
    const dataDir = path.join(folder, 'none')
    const env = hostEnvironment({ SVC_DATA_DIR: dataDir, SVC_ADMIN_PORT: '1' })
    const { code, stdout } = await runSvc(['doctor', '--offline'], env)
    expect(code).to.equal(0)
    expect(stdout).to.include('No server answers')
    expect(await chmod(dataDir, 0o700).catch(() => 'nothing there')).to.equal('nothing there')
    const wrong = await runSvc(['doctor'], { ...env, SVC_PROT: '1', SVC_TRUST_PROXY: 'many' })
    expect(wrong.code).to.equal(2)
    expect(wrong.stdout).to.match(/^fault {4}config {13}SVC_PROT: unknown entry\./m)
    expect(wrong.stdout).to.match(/^fault {4}config {13}SVC_TRUST_PROXY: /m)
  })

  it('names the key that the store needs, where the server does not start without it', async () => {
    const folder = testFolder()
    const host = await spawnHost({ dataDir: folder, env: { SVC_KEYS: KEY } })
    await host.stop()
    const other = `k2:${randomBytes(32).toString('base64')}`
    const env = { SVC_DATA_DIR: folder, SVC_ADMIN_PORT: '1', SVC_KEYS: other }
    const { code, stdout } = await runSvc(['doctor', '--offline'], hostEnvironment(env))
    expect(code, stdout).to.equal(2)
    expect(stdout).to.match(/^fault {4}keys\.open {10}.*sealed with the key "k1"/m)
    expect(stdout).to.match(/^ok {7}store\.version {6}The store is of version 1/m)
  })

  it('says of a store that this version does not know what to do, and raises none', async () => {
    const folder = testFolder()
    const file = path.join(folder, 'store.db')
    const env = hostEnvironment({ SVC_DATA_DIR: folder, SVC_ADMIN_PORT: '1', SVC_KEYS: KEY })
    await sqliteStore({ file }).close()
    const older = await runSvc(['doctor', '--offline'], env)
    expect(older.code, older.stdout).to.equal(0)
    const store = sqliteStore({ file })
    expect(await readStoreRecord(store)).to.equal(undefined)
    const newer = { version: 5, oldestProduct: '0.8.5', product: '0.9.0', raisedAt: 0 }
    await store.raise(5, [putStoreRecord(newer)])
    await store.close()
    const { code, stdout } = await runSvc(['doctor', '--offline'], env)
    expect(code, stdout).to.equal(2)
    expect(stdout).to.match(
      /^fault {4}store\.version {6}This store is of version 5, raised by Svc/m,
    )
    expect(stdout).to.include('Start 0.8.5 or newer')
  })

  it('and a second start name the file of a store that another process has, and decision D6', async () => {
    const host = await testProcess()
    const words = `the store file ${path.join(host.dataDir, 'store.db')} is in use by another process`
    const second = await runFaultyHost({ SVC_DATA_DIR: host.dataDir })
    expect(second.code).to.equal(75)
    expect(second.stderr).to.include(words).and.include('decision D6')
    const env = hostEnvironment({ SVC_DATA_DIR: host.dataDir, SVC_ADMIN_PORT: '1' })
    const { code, stdout } = await runSvc(['doctor', '--offline'], env)
    expect(code, stdout).to.equal(2)
    expect(stdout).to.include(`store.lock         ${words}`).and.include('decision D6')
  })

  it('is not needed where a start says it: all faults of a step, and 78', async () => {
    const folder = testFolder()
    await chmod(folder, 0o777)
    const { code, stderr } = await runFaultyHost({
      NODE_ENV: 'production',
      SVC_DATA_DIR: folder,
    })
    expect(code).to.equal(78)
    expect(stderr).to.include(`files.permissions: ${folder} can be read or changed by others`)
    expect(stderr).to.include('keys.open: SVC_KEYS or SVC_KEYS_FILE: in production')
    expect(stderr).to.not.match(/\n {4}at /)
  })
})
