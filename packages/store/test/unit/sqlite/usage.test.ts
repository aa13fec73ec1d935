import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { recordKey } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite/index.ts'

describe('usage of a store file', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-usage-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is there for a file from before it was counted', async () => {
    const file = join(folder, 'store.db')
    const key = recordKey('alice', 'document', 'a')
    const before = sqliteStore({ file })
    await before.write([{ op: 'put', key, value: 'text' }])
    await before.close()
    const store = sqliteStore({ file, countedKinds: ['document'] })
    const expected = { document: { records: 1, bytes: key.length + 6 } }
    expect(await store.usage('alice')).to.deep.equal(expected)
    await store.close()
  })

  it('begins anew when other kinds count', async () => {
    const file = join(folder, 'store.db')
    const keys = [recordKey('alice', 'document', 'a'), recordKey('alice', 'client', 'c')] as const
    const before = sqliteStore({ file, countedKinds: ['client'] })
    await before.write(keys.map((key) => ({ op: 'put', key, value: 1 })))
    await before.close()
    const store = sqliteStore({ file, countedKinds: ['document', 'client'] })
    expect(Object.keys(await store.usage('alice')).sort()).to.deep.equal(['client', 'document'])
    await store.close()
  })

  it('stays over a restart', async () => {
    const options = { file: join(folder, 'store.db'), countedKinds: ['document'] }
    const key = recordKey('alice', 'document', 'a')
    const before = sqliteStore(options)
    await before.write([{ op: 'put', key, value: 'text' }])
    const usage = await before.usage('alice')
    await before.close()
    const store = sqliteStore(options)
    expect(await store.usage('alice')).to.deep.equal(usage)
    expect(await store.recount('alice')).to.deep.equal(usage)
    await store.close()
  })
})
