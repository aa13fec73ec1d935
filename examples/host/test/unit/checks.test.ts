import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { lineOf, runChecks } from '../../src/checks/check.ts'
import { judgeClock } from '../../src/checks/clock.ts'
import { exitCodeOf } from '../../src/checks/doctor.ts'
import { devPages } from '../../src/checks/dev-pages.ts'
import { filePermissions, judgeSpace } from '../../src/checks/files.ts'
import { mailUnset } from '../../src/checks/mail.ts'
import { checkNodeVersion } from '../../src/checks/node-version.ts'
import { compareProcesses } from '../../src/checks/processes.ts'
import { judgeAhead, REDIS_CHECKS } from '../../src/checks/redis.ts'
import { judgeVersion } from '../../src/checks/store-version.ts'
import { loadConfig } from '../../src/config/config.ts'
import { putStoreRecord } from '../../src/storage/store-record.ts'
import { KNOWN_VERSIONS } from '../../src/storage/store-version.ts'
import { closeAfterTest, testFolder } from '../support/for-test.ts'

const clock = { now: () => Date.UTC(2026, 4, 2, 12) }
const GIB = 1024 ** 3
const STORED = { oldestProduct: '0.1.0', product: '0.1.0', raisedAt: Date.UTC(2026, 4, 1) }

/** @see operation.md 2.2 */
describe('the checks of an installation', () => {
  let folder: string
  beforeEach(() => {
    folder = testFolder()
  })

  it('node.version names the range that is needed', () => {
    const range = '>=22.22.2 <23 || >=24.14.1'
    for (const good of ['22.22.2', '22.30.0', '24.14.1', '25.0.0']) {
      expect(checkNodeVersion(good, range).state, good).to.equal('ok')
    }
    for (const bad of ['20.9.0', '22.22.1', '23.0.0', '24.14.0']) {
      expect(checkNodeVersion(bad, range), bad).to.deep.equal({
        state: 'fault',
        text: `This is Node ${bad}, and the server needs ${range}.`,
        remedy: 'Install a Node of that range.',
      })
    }
    expect(checkNodeVersion().state).to.equal('ok')
  })

  it('files.permissions is a fault in production, and a warning else', async () => {
    const keys = path.join(folder, 'keys')
    writeFileSync(keys, `k1:${Buffer.alloc(32, 1).toString('base64')}`)
    chmodSync(keys, 0o640)
    chmodSync(folder, 0o755)
    for (const [mode, state] of [
      ['production', 'fault'],
      ['development', 'warning'],
    ] as const) {
      const config = loadConfig({ NODE_ENV: mode, SVC_DATA_DIR: folder, SVC_KEYS_FILE: keys })
      const results = await runChecks([filePermissions], { config, clock })
      expect(results.map(lineOf)).to.include(
        `${state.padEnd(7)}  files.permissions  ${keys} can be read or changed by its group or others (its mode is 0640). Take that away: chmod 0600 ${keys}`,
      )
      expect(results.map(lineOf)).to.include(
        `${state.padEnd(7)}  files.permissions  ${folder} can be read or changed by others (its mode is 0755). Take that away: chmod 0750 ${folder}`,
      )
    }
    chmodSync(keys, 0o600)
    chmodSync(folder, 0o700)
    const config = loadConfig({ SVC_DATA_DIR: folder, SVC_KEYS_FILE: keys })
    const [result] = await runChecks([filePermissions], { config, clock })
    expect(result).to.include({ state: 'ok' })
  })

  it('files.permissions leaves out what containers and systemd hand over', async () => {
    const handed = path.join(folder, 'credentials')
    mkdirSync(handed)
    const token = path.join(handed, 'token')
    writeFileSync(token, 'x'.repeat(40), { mode: 0o444 })
    const env = { SVC_DATA_DIR: path.join(folder, 'none'), SVC_ADMIN_TOKEN_FILE: token }
    const state = async (given: Record<string, string>): Promise<unknown> =>
      (await runChecks([filePermissions], { config: loadConfig({ ...env, ...given }), clock }))[0]
        ?.state
    expect(await state({})).to.equal('warning')
    expect(await state({ CREDENTIALS_DIRECTORY: handed })).to.equal('ok')
  })

  it('disk.free is a warning below 256 MiB, 2 % or 5 % of the inodes', () => {
    const disk = { bsize: 4096, blocks: (100 * GIB) / 4096, files: 1000, ffree: 500 }
    const space = (free: number, more: object = {}) =>
      judgeSpace('/data', { ...disk, bavail: free / 4096, ...more })
    expect(space(3 * GIB).state).to.equal('ok')
    expect(space(GIB).text).to.equal('1,024 MiB are free where /data is, and 2,048 MiB should be.')
    expect(space(GIB / 8, { blocks: GIB / 4096 }).text).to.include('256 MiB should be')
    expect(space(3 * GIB, { ffree: 40 }).text).to.equal(
      '40 of 1000 inodes are free where /data is.',
    )
    expect(space(3 * GIB, { files: 0, ffree: 0 }).state).to.equal('ok')
  })

  it('clock.back says what the clock says, and when the store was in use', () => {
    const used = clock.now()
    expect(judgeClock(used - 59_000, used).state).to.equal('ok')
    expect(judgeClock(used - 61_000, used)).to.include({
      state: 'fault',
      text: 'The clock says 2026-05-02T11:58:59.000Z, but this store was in use at 2026-05-02T12:00:00.000Z.',
    })
  })

  it('clock.redis is a warning over 1 s and a fault over 30 s', () => {
    expect(judgeAhead({ aheadMs: -900 }).state).to.equal('ok')
    expect(judgeAhead({ aheadMs: 1500 })).to.include({
      state: 'warning',
      text: 'The clock of this machine is 1.5 s behind that of Redis.',
    })
    expect(judgeAhead({ aheadMs: -31_000 })).to.include({ state: 'fault' })
    expect(judgeAhead({}).text).to.equal('Redis does not let us ask for its time.')
  })

  it('redis.version wants Redis 7.0 or Valkey 7.2, and redis.replicas what writes wait for', async () => {
    const config = loadConfig({ SVC_STORE_REPLICAS: '1' })
    const linesOf = async (node: object): Promise<string[]> => {
      const redis = { nodes: [{ product: 'Redis' as const, ...node }], missing: [] }
      return (await runChecks(REDIS_CHECKS, { config, clock, redis }))
        .filter(({ id }) => id === 'redis.version' || id === 'redis.replicas')
        .map(({ state, text }) => `${state} ${text}`)
    }
    expect(await linesOf({ version: '6.2.14', minReplicasToWrite: 0 })).to.deep.equal([
      'warning This is Redis 6.2.14, which is older than 7.0.',
      'warning Writes wait for 1 replicas, but a master that lost them goes on taking writes.',
    ])
    expect(await linesOf({ product: 'Valkey', version: '7.2.0', minReplicasToWrite: 1 }))
      .to.deep //
      .equal(['ok This is Valkey 7.2.0.', 'ok Redis refuses writes with fewer than 1 replicas.'])
    expect(await linesOf({})).to.deep.equal([
      'warning Redis does not let us ask for its version.',
      'warning Redis does not let us ask for min-replicas-to-write.',
    ])
  })

  it('store.version warns until a store is raised, and is a fault where this product cannot read it', async () => {
    const store = sqliteStore({ file: ':memory:' })
    closeAfterTest(() => store.close())
    await store.raise(1, [putStoreRecord({ ...STORED, version: 1 })])
    const [present] = await judgeVersion(store)
    expect(present?.state).to.equal('ok')
    const next = { ...KNOWN_VERSIONS, product: '0.2.1', reads: [1, 2], writes: 2 } as const
    expect(await judgeVersion(store, next)).to.deep.equal([
      {
        state: 'warning',
        text: 'The store is of version 1, and Svc 0.2.1 writes version 2.',
        remedy: 'Run svc store upgrade once every process is of this version.',
      },
    ])
    const through = { 1: '0.2.1' }
    const later = { ...next, product: '0.4.0', reads: [2, 3], writes: 3, through } as const
    const [fault] = await judgeVersion(store, later)
    expect(fault).to.include({ state: 'fault', id: 'store.version' })
    expect(fault?.text).to.include('This store is of version 1').and.to.include('0.2.1')
  })

  it('mail.unset is a warning at a start, a fault for the doctor', async () => {
    const config = loadConfig({})
    const context = { config, clock, hasOutsideDomain: true }
    for (const [isDoctor, state] of [
      [false, 'warning'],
      [true, 'fault'],
    ] as const) {
      const [result] = await runChecks([mailUnset(isDoctor)], context)
      expect(result).to.include({
        state,
        text: 'SVC_SMTP_URL is not set, so owners get no mail: no reset, no codes.',
      })
    }
    const [local] = await runChecks([mailUnset(true)], { config, clock, hasOutsideDomain: false })
    expect(local).to.include({ state: 'ok' })
  })

  it('dev.pages warns while they are on', async () => {
    const context = { config: loadConfig({}), clock, areDevPagesOn: true }
    expect((await runChecks([devPages], context))[0]?.text).to.equal(
      '/dev/mails and /dev/outbox show links that open instances to everybody on this machine.',
    )
  })

  it('processes says which versions, keys and options differ', () => {
    const one = {
      hostname: 'a',
      pid: 1,
      version: '1.0.0',
      kids: ['k1'],
      options: { SVC_DEMO: 'x' },
    }
    const other = { ...one, hostname: 'b', pid: 2 }
    expect(compareProcesses([one, other]).map(({ state }) => state)).to.deep.equal(['ok'])
    const different = { ...other, version: '1.1.0', kids: ['k2', 'k1'], options: {} }
    expect(compareProcesses([one, different]).map(({ text }) => text)).to.deep.equal([
      'a (1) and b (2) run different versions: 1.0.0 and 1.1.0.',
      'a (1) and b (2) have different sealing keys: k1 and k2, k1.',
      'a (1) and b (2) are configured differently: SVC_DEMO.',
    ])
  })

  it('leave 2 for faults and 0 for warnings alone; one that breaks is a fault', async () => {
    const broken = {
      id: 'broken',
      when: 'doctor' as const,
      run: () => Promise.reject(new Error('no')),
    }
    const results = await runChecks([broken], {})
    expect(results).to.deep.equal([{ id: 'broken', state: 'fault', text: 'The check broke: no.' }])
    expect(exitCodeOf(results)).to.equal(2)
    expect(exitCodeOf([{ id: 'a', state: 'warning', text: '' }])).to.equal(0)
    expect(exitCodeOf([{ id: 'a', state: 'ok', text: '' }])).to.equal(0)
  })
})
