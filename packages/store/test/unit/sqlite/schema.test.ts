import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { prepareDatabase } from '../../../src/sqlite/schema.ts'
import { tempFolder } from '../../temp-folder.ts'

describe('prepareDatabase', () => {
  it('syncs every commit to a write-ahead log, with a bounded cache', () => {
    const db = new DatabaseSync(join(tempFolder(), 'store.db'))
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
    }
  })
})
