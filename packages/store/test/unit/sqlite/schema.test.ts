import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { prepareDatabase } from '../../../src/sqlite/schema.ts'

describe('prepareDatabase', () => {
  it('syncs every commit to a write-ahead log, with a bounded cache', () => {
    const dir = mkdtempSync(join(tmpdir(), 'svc-store-'))
    const db = new DatabaseSync(join(dir, 'store.db'))
    try {
      prepareDatabase(db, 512)
      const pragma = (name: string): unknown =>
        Object.values(db.prepare(`PRAGMA ${name}`).get()!)[0]
      expect(pragma('journal_mode')).to.equal('wal')
      // 2 is FULL.
      expect(pragma('synchronous')).to.equal(2)
      expect(pragma('cache_size')).to.equal(-512)
    } finally {
      db.close()
      rmSync(dir, { recursive: true })
    }
  })
})
