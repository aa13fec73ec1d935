import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SealingKey } from '@svc/platform'
import { indexKey, recordKey, systemClock } from '@svc/store'
import type { EmbeddedStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { allKinds } from '../../src/backups/all-kinds.ts'
import { manifestOf } from '../../src/backups/backup-files.ts'
import { digestOf } from '../../src/backups/check-file.ts'
import { type CreatedBackup, createBackup } from '../../src/backups/create-backup.ts'
import { type Manifest, readManifest } from '../../src/backups/manifest.ts'
import { verifyBackup } from '../../src/backups/verify-backup.ts'
import { readSealingKeys } from '../../src/storage/sealing-keys.ts'
import { suiteFolder } from '../support/for-test.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

describe('the verification of a backup', function () {
  this.timeout(60_000)
  let host: TestHost
  const folder = suiteFolder()
  let made: CreatedBackup
  let keys: readonly SealingKey[]
  const registry = allKinds('io.svc')

  before(async () => {
    host = await startTestHost()
    keys = readSealingKeys(host.config).keys
    await host.connect('io.svc.files:GET')
    await host.browser()
    made = await makeBackup()
  })
  after(async () => {
    await host.stop()
  })

  const makeBackup = (): Promise<CreatedBackup> =>
    createBackup({
      config: host.config,
      directory: folder,
      registry,
      clock: systemClock,
      copy: (file) => (host.host.store as EmbeddedStore).backup(file), // The default of a test host.
    })

  /** A backup like the first one, that something happened to; its manifest says that nothing did. */
  async function damaged(damage: (file: string) => void, isHidden = true): Promise<string> {
    const file = path.join(folder, 'svc-20200101T000000Z.db')
    copyFileSync(made.file, file)
    damage(file)
    const digest = isHidden ? await digestOf(file) : {}
    const manifest: Manifest = { ...readManifest(manifestOf(made.file)), ...digest }
    writeFileSync(manifestOf(file), JSON.stringify(manifest))
    return file
  }

  const sql =
    (text: string) =>
    (file: string): void => {
      const db = new DatabaseSync(file)
      db.exec(text)
      db.close()
    }

  async function faultsOf(file: string, ring = keys): Promise<readonly string[]> {
    const { faults } = await verifyBackup({ file, registry, keys: ring })
    return faults.map(({ code, text }) => `${code}: ${text}`)
  }

  it('finds nothing in a backup as it was made', async () => {
    expect(await faultsOf(made.file)).to.deep.equal([])
    expect(made.manifest.instances).to.equal(1)
    expect(made.manifest.records).to.include({ owner: 1, client: 1, grant: 1 })
    expect(made.manifest.kids).to.deep.equal(['k1'])
  })

  it('finds a byte that is another one', async () => {
    const file = await damaged((name) => {
      const bytes = readFileSync(name)
      const at = bytes.length - 100
      bytes[at] = (bytes[at] ?? 0) ^ 1
      writeFileSync(name, bytes)
    }, false)
    expect((await faultsOf(file))[0]).to.match(/^bytes_changed: .*SHA-256 differs/)
  })

  it('finds a file that was cut', async () => {
    const file = await damaged(
      (name) => writeFileSync(name, readFileSync(name).subarray(0, 20_000)),
      false,
    )
    expect(await faultsOf(file)).to.satisfy((faults: readonly string[]) =>
      ['bytes_changed: The file has 20000 bytes', 'damaged: '].every((start) =>
        faults.some((fault) => fault.startsWith(start)),
      ),
    )
  })

  it('finds a record that is missing, by its kind', async () => {
    const file = await damaged(
      sql(
        `DELETE FROM entries WHERE key LIKE '%:session:%'; DELETE FROM records WHERE key LIKE '%:session:%'`,
      ),
    )
    expect(await faultsOf(file)).to.deep.equal([
      `record_count: It holds 0 records of the kind session, not ${made.manifest.records['session']}.`,
    ])
  })

  it('finds a key that is missing, and one that is another', async () => {
    const other = [{ kid: 'k2', key: randomBytes(32) }]
    expect(await faultsOf(made.file, other)).to.deep.equal([
      'key_missing: It holds values sealed with the key "k1", which is not among the sealing keys.',
    ])
    const wrong = await faultsOf(made.file, [{ kid: 'k1', key: randomBytes(32) }])
    expect(wrong).to.include(
      'key_wrong: "k1" among the sealing keys is not the key that the store was sealed with.',
    )
  })

  it('finds a store of a newer version', async () => {
    const file = await damaged(sql('PRAGMA user_version = 99'))
    expect((await faultsOf(file))[0]).to.match(/^store_version: This store is of version 99/)
  })

  it('finds an index that lists what is not there, and one that misses what is', async () => {
    const lost = await damaged(
      sql(`INSERT INTO entries VALUES ('{x}:index:sessions', '', '{x}:session:gone')`),
    )
    expect(await faultsOf(lost)).to.deep.equal([
      'index_differs: The index {x}:index:sessions lists {x}:session:gone, which is not there.',
    ])
    const missed = await damaged(sql(`DELETE FROM entries WHERE name LIKE '%:index:clients'`))
    expect((await faultsOf(missed))[0]).to.match(
      /^index_differs: .*clients does not list .*:client:/,
    )
    const strange = await damaged(
      sql(
        `INSERT INTO entries SELECT '{x}:index:odd', '', key FROM records WHERE key LIKE '%:owner:%'`,
      ),
    )
    expect((await faultsOf(strange))[0]).to.match(
      /:index:odd lists .*:owner:owner, which does not belong/,
    )
  })

  it('finds a value that is none of its kind, one of a later version, and a kind that nobody knows', async () => {
    const malformed = await damaged(
      sql(
        `UPDATE records SET value = json_set(value, '$.securityStamp', 7) WHERE key LIKE '%:owner:%'`,
      ),
    )
    expect((await faultsOf(malformed))[0]).to.match(
      /^record_malformed: owner owner of .*securityStamp/,
    )
    const later = await damaged(
      sql(`UPDATE records SET value = json_set(value, '$.v', 9) WHERE key LIKE '%:owner:%'`),
    )
    expect((await faultsOf(later))[0]).to.match(/^kind_version: owner owner of .*has version 9/)
    const unknown = await damaged(
      sql(`INSERT INTO records (key, value, revision) VALUES ('{x}:riddle:1', '{}', '1')`),
    )
    expect(await faultsOf(unknown)).to.include(
      'kind_unknown: It holds records of the kind riddle, which nobody knows.',
    )
  })

  it('finds a value that its key does not open', async () => {
    const file = await damaged(
      sql(
        `UPDATE records SET value = json_set(value, '$.keys[0].sealed', 'k1.' || substr(json_extract(value, '$.keys[0].sealed'), 8)) WHERE key LIKE '%:keys:access'`,
      ),
    )
    expect((await faultsOf(file))[0]).to.match(/^not_opened: keys access of .*keys\.0\.sealed/)
  })

  it('tells the first 20 faults, and how many there are', async () => {
    const rows = Array.from(
      { length: 30 },
      (_, at) => `('{x}:index:a', '${at}', '{x}:session:${at}')`,
    )
    const file = await damaged(sql(`INSERT INTO entries VALUES ${rows.join(',')}`))
    const { faults, faultCount } = await verifyBackup({ file, registry, keys })
    expect(faults).to.have.lengthOf(20)
    expect(faultCount).to.be.at.least(20)
  })

  it('needs the manifest', async () => {
    const file = path.join(folder, 'svc-20200102T000000Z.db')
    copyFileSync(made.file, file)
    expect((await faultsOf(file))[0]).to.match(/^manifest: .*cannot be read/)
  })

  it('is passed by a copy that is made while writes go on, which holds whole writes only', async () => {
    const { store } = host.host
    let isOver = false
    const tag = 'pairs'
    const writing = (async () => {
      for (let count = 1; !isOver; count++) {
        await store.write(
          ['one', 'other'].map((id) => ({
            op: 'put' as const,
            key: recordKey(tag, 'owner-phone', id),
            value: { phone: String(count) },
            indexes: [{ index: indexKey(tag, 'phones'), sort: String(count) }],
          })),
        )
      }
    })()
    const copies = [await makeBackup(), await makeBackup()]
    isOver = true
    await writing
    for (const { file } of copies) {
      expect(await faultsOf(file)).to.deep.equal([])
      const db = new DatabaseSync(file, { readOnly: true })
      const rows = db.prepare("SELECT value FROM records WHERE key LIKE '{pairs}:%'").all()
      db.close()
      expect(new Set(rows.map(({ value }) => value)).size).to.be.at.most(1)
    }
  })
})
