import { chmodSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { recordKey, type Store, StoreUnavailableError } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite/index.ts'
import { type Child, startChild } from '../../child.ts'
import { tempFolder } from '../../temp-folder.ts'

const key = recordKey('i', 'thing', 'a')

describe('sqliteStore', () => {
  let dir: string
  let file: string
  const open: Store[] = []
  let holder: Child | undefined

  beforeEach(() => {
    dir = tempFolder()
    file = join(dir, 'deep', 'data', 'store.db')
  })
  afterEach(async () => {
    for (const store of open.splice(0)) await store.close()
    await holder?.kill()
    holder = undefined
  })

  function openStore(path = file): Store {
    const store = sqliteStore({ file: path })
    open.push(store)
    return store
  }

  async function startHolder(what?: 'collected' | 'twice'): Promise<Child> {
    holder = startChild('unit/sqlite/holder-process.ts', file, ...(what ? [what] : []))
    await holder.line('open')
    return holder
  }

  const put = (store: Store, value: number): Promise<unknown> =>
    store.write([{ op: 'put', key, value }])

  it('makes the directory, and files that only their owner may read', async () => {
    await put(openStore(), 1)
    expect(statSync(dirname(file)).mode & 0o777).to.equal(0o700)
    for (const suffix of ['', '-wal', '-shm', '.lock']) {
      expect(statSync(file + suffix).mode & 0o777, suffix).to.equal(0o600)
    }
  })

  it('takes others their access to an existing file', async () => {
    await openStore().close()
    chmodSync(file, 0o644)
    openStore()
    expect(statSync(file).mode & 0o777).to.equal(0o600)
  })

  it('finds again what was written before', async () => {
    const first = openStore()
    await put(first, 1)
    await first.hit(recordKey('i', 'counter', 'a'), 60_000, 3)
    await first.close()
    const second = openStore()
    expect((await second.get(key))?.value).to.equal(1)
    expect((await second.hit(recordKey('i', 'counter', 'a'), 60_000, 0)).count).to.equal(3)
  })

  it('refuses a second store on one file, also under another name', async () => {
    await put(openStore(), 1)
    const alias = join(dir, 'alias.db')
    symlinkSync(file, alias)
    for (const path of [file, alias]) {
      expect(() => openStore(path))
        .to.throw(StoreUnavailableError)
        .with.property('message')
        .that.matches(/is in use by another process: the embedded store is for one process/)
    }
    await open[0]?.close()
    expect((await openStore(alias).get(key))?.value).to.equal(1)
  })

  it('refuses a second process, and lets it in when the first was killed', async () => {
    const holder = await startHolder()
    expect(() => openStore()).to.throw(StoreUnavailableError, 'in use by another process')
    await holder.kill()
    expect((await openStore().get(key))?.value).to.equal('held')
  })

  for (const [what, when] of [
    ['collected', 'while the first holds a store that nothing points to'],
    ['twice', 'after the first tried to open its file once more'],
  ] as const) {
    it(`refuses a second process ${when}`, async () => {
      await startHolder(what)
      expect(() => openStore()).to.throw(StoreUnavailableError, 'in use by another process')
    })
  }

  const FOREIGN: readonly [name: string, sql: string, message: RegExp][] = [
    ['of a newer version', 'PRAGMA user_version = 99', /its version is 99/],
    ['of another program', 'CREATE TABLE other (id INTEGER)', /holds something else/],
  ]
  for (const [name, sql, message] of FOREIGN) {
    it(`refuses a file ${name}`, () => {
      const path = join(dir, 'other.db')
      const db = new DatabaseSync(path)
      db.exec(sql)
      db.close()
      expect(() => openStore(path)).to.throw(StoreUnavailableError, message)
    })
  }

  for (const options of [{ file: '' }, { file: ':memory:', cacheKib: 1 }]) {
    it(`refuses ${JSON.stringify(options)} with a TypeError`, () => {
      expect(() => sqliteStore(options)).to.throw(TypeError)
    })
  }
})
