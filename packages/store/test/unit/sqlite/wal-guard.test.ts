import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { prepareDatabase } from '../../../src/sqlite/schema.ts'
import { startWalGuard, WAL_BYTES, type WalGuard } from '../../../src/sqlite/wal-guard.ts'
import { tempFolder } from '../../temp-folder.ts'

const MIB = 1024 * 1024

describe('the write-ahead file', () => {
  let path = ''
  let db: DatabaseSync
  let guard: WalGuard
  let now = 0
  const told: Readonly<Record<string, unknown>>[] = []
  beforeEach(() => {
    path = join(tempFolder(), 'store.db')
    db = new DatabaseSync(path)
    prepareDatabase(db, 4096)
    told.length = 0
    const tell = (fields: Readonly<Record<string, unknown>>): void => void told.push(fields)
    guard = startWalGuard({ db, path, clock: { now: () => now }, log: { warn: tell, error: tell } })
  })
  afterEach(() => {
    guard.stop()
    db.close()
  })

  const size = (): number => statSync(`${path}-wal`).size
  let count = 0
  function write(bytes: number): void {
    const insert = db.prepare("INSERT INTO records (key, value, revision) VALUES (?, ?, '1')")
    for (let written = 0; written < bytes; written += MIB / 4) {
      insert.run(`key-${count++}`, 'x'.repeat(MIB / 4))
    }
  }

  it('is written back when it is larger than 16 MiB, and does not grow', () => {
    write(12 * MIB)
    expect(size()).to.be.greaterThan(11 * MIB)
    write(60 * MIB)
    expect(size()).to.be.lessThan(WAL_BYTES + 2 * MIB)
    guard.check()
    now += 120_000
    guard.check()
    expect(told).to.deep.equal([])
  })

  it('that a reader holds back for over a minute is logged once, and again the next time', () => {
    const reader = new DatabaseSync(path, { readOnly: true })
    const hold = (): void => {
      reader.exec('BEGIN; SELECT count(*) FROM records')
      write(20 * MIB)
    }
    hold()
    guard.check()
    now += 60_000
    guard.check()
    expect(told).to.deep.equal([])
    now += 1
    guard.check()
    guard.check()
    expect(told).to.have.length(1)
    expect(told[0]).to.include({ event: 'store.wal_held', heldMs: 60_001 })
    expect(told[0]?.['bytes']).to.be.greaterThan(20 * MIB)
    reader.exec('COMMIT')
    guard.check()
    write(MIB)
    expect(size()).to.be.lessThan(WAL_BYTES + MIB)
    hold()
    guard.check()
    now += 60_001
    guard.check()
    expect(told).to.have.length(2)
    reader.close()
  })
})
