import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { type Key, recordKey } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite/index.ts'

const [A, B, C] = ['a', 'b', 'c'].map((id) => recordKey('alice', 'note', id)) as [Key, Key, Key]

describe('what a store file tells of writes', () => {
  let store: ReturnType<typeof sqliteStore>
  let told: Key[]
  let stop: (() => void) | undefined
  beforeEach(async () => {
    store = sqliteStore({ file: ':memory:' })
    await store.write([{ op: 'put', key: A, value: 1 }])
    told = []
    stop = store.onWritten?.((key) => told.push(key))
  })
  afterEach(() => store.close())

  it('is every record that changes, before the write is answered', async () => {
    const writing = store.write([
      { op: 'put', key: A, value: 2 },
      { op: 'put', key: B, value: 1, expiresAt: Date.now() + 60_000 },
    ])
    await writing
    expect(told.splice(0)).to.deep.equal([A, B])
    await store.write([{ op: 'touch', key: B, expiresAt: Date.now() + 90_000 }])
    await store.write([{ op: 'delete', key: B }])
    await store.take(A)
    expect(told).to.deep.equal([B, B, A])
  })

  it('is nothing that is only looked at, and nothing of a write that does not happen', async () => {
    await store.get(A)
    await store.take(C)
    await store.write([{ op: 'check', key: A, ifPresent: true }])
    await store.write([{ op: 'put', key: A, value: 2, ifAbsent: true }])
    expect(told).to.deep.equal([])
  })

  it('holds for what is loaded', async () => {
    const copy = sqliteStore({ file: ':memory:' })
    const copied: Key[] = []
    copy.onWritten?.((key) => copied.push(key))
    await copy.load(store.dump())
    expect(copied).to.deep.equal([A])
    await copy.close()
  })

  it('ends', async () => {
    stop?.()
    await store.write([{ op: 'put', key: A, value: 3 }])
    expect(told).to.deep.equal([])
  })
})
