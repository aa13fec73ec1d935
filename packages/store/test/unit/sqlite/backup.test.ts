import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { recordKey, StoreUnavailableError } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite/index.ts'
import { tempFolder } from '../../temp-folder.ts'

const key = (id: string) => recordKey('i', 'thing', id)

describe('backup of a sqliteStore', () => {
  let dir = ''
  let store: ReturnType<typeof sqliteStore>
  beforeEach(() => {
    dir = tempFolder()
    store = sqliteStore({ file: join(dir, 'store.db') })
  })
  afterEach(() => store.close())

  it('goes on while there are writes, and has those that came meanwhile', async () => {
    const value = 'x'.repeat(20_000)
    for (let at = 0; at < 1000; at += 100) {
      const ids = Array.from({ length: 100 }, (_, n) => String(at + n))
      await store.write(ids.map((id) => ({ op: 'put', key: key(id), value }) as const))
    }
    const target = join(dir, 'copy.db')
    let isDone = false
    const copying = store.backup(target).then(() => {
      isDone = true
    })
    let written = 0
    while (!isDone) {
      await store.write([
        { op: 'put', key: key(`new-${written}`), value: written },
        { op: 'put', key: key(String(written % 1000)), value: 'changed' },
      ])
      written++
    }
    await copying
    const db = new DatabaseSync(target)
    expect(db.prepare('PRAGMA integrity_check').get()).to.deep.equal({ integrity_check: 'ok' })
    db.close()
    const copy = sqliteStore({ file: target })
    try {
      const found: unknown[] = []
      for (let n = 0; n < written; n++) found.push((await copy.get(key(`new-${n}`)))?.value)
      // Those that came between its last step and its answer are not in it.
      const count = found.filter((each) => each !== undefined).length
      expect(count).to.be.greaterThan(10)
      expect(found.slice(0, count)).to.deep.equal(Array.from({ length: count }, (_, n) => n))
      expect((await copy.get(key(String((count - 1) % 1000))))?.value).to.equal('changed')
      expect((await copy.get(key('999')))?.value).to.be.a('string')
    } finally {
      await copy.close()
    }
  })

  it('is given up at its next step, and made again', async () => {
    const value = 'x'.repeat(20_000)
    const ids = Array.from({ length: 100 }, (_, n) => String(n))
    await store.write(ids.map((id) => ({ op: 'put', key: key(id), value }) as const))
    const target = join(dir, 'copy.db')
    const signal = AbortSignal.abort(new Error('nobody waits'))
    const gone = await store.backup(target, { signal }).catch((error: unknown) => error)
    expect(gone).to.be.an.instanceOf(StoreUnavailableError)
    expect((gone as Error).cause).to.have.property('message', 'nobody waits')
    await store.backup(target)
  })

  it('says that the target cannot be written', async () => {
    const failure = await store.backup(join(dir, 'none', 'copy.db')).catch((error) => error)
    expect(failure).to.be.instanceOf(StoreUnavailableError)
  })
})
