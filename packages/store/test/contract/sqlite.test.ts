import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testStore } from '../../src/contract.ts'
import { sqliteStore } from '../../src/sqlite/index.ts'

describe('sqliteStore', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-store-'))
  let count = 0
  after(() => rmSync(dir, { recursive: true }))

  testStore(
    { describe, it },
    'on a file',
    async (clock) =>
      sqliteStore({ file: join(dir, `${count++}.db`), clock, countedKinds: ['thing', 'other'] }),
    { openData: async (clock, name) => sqliteStore({ file: join(dir, `${name}.db`), clock }) },
  )

  testStore({ describe, it }, 'in memory', async (clock) =>
    sqliteStore({ file: ':memory:', clock, countedKinds: ['thing', 'other'] }),
  )
})
