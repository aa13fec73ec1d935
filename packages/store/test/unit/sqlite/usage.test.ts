import { join } from 'node:path'
import { expect } from 'chai'
import { recordKey, type Store } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite/index.ts'
import { tempFolder } from '../../temp-folder.ts'

describe('usage of a store file', () => {
  let file: string
  const key = recordKey('alice', 'document', 'a')
  beforeEach(() => {
    file = join(tempFolder(), 'store.db')
  })

  /** Does something with the store that counts these kinds, and closes it. */
  async function using<Result>(
    countedKinds: string[],
    use: (store: Store) => Promise<Result>,
  ): Promise<Result> {
    const store = sqliteStore({ file, countedKinds })
    try {
      return await use(store)
    } finally {
      await store.close()
    }
  }
  const putText = (store: Store) => store.write([{ op: 'put', key, value: 'text' }])

  it('is there for a file from before it was counted', async () => {
    await using([], putText)
    const usage = await using(['document'], (store) => store.usage('alice'))
    expect(usage).to.deep.equal({ document: { records: 1, bytes: key.length + 6 } })
  })

  it('begins anew when other kinds count', async () => {
    await using(['client'], async (store) => {
      await putText(store)
      await store.write([{ op: 'put', key: recordKey('alice', 'client', 'c'), value: 1 }])
    })
    const usage = await using(['document', 'client'], (store) => store.usage('alice'))
    expect(Object.keys(usage).sort()).to.deep.equal(['client', 'document'])
  })

  it('stays over a restart', async () => {
    const usage = await using(['document'], async (store) => {
      await putText(store)
      return store.usage('alice')
    })
    await using(['document'], async (store) => {
      expect(await store.usage('alice')).to.deep.equal(usage)
      expect(await store.recount('alice')).to.deep.equal(usage)
    })
  })
})
