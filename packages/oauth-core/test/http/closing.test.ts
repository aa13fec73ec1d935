import type { Key } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { oauthServer } from '../oauth-server.ts'

describe('a server that closes before its store', () => {
  it('leaves nobody behind who hears of the writes of the store', async () => {
    const store = sqliteStore({ file: ':memory:' })
    const hearing = new Set<(key: Key) => void>()
    const onWritten = (listener: (key: Key) => void) => {
      hearing.add(listener)
      return () => hearing.delete(listener)
    }
    const { oauth } = await oauthServer({ store: Object.assign(store, { onWritten }) })
    expect(hearing.size).to.be.greaterThan(0)
    await oauth.close()
    expect(hearing.size).to.equal(0)
    await store.close()
  })
})
