import { recordKey } from '@svc/store'
import { expect } from 'chai'
import { eachStore, fakeClock } from '../../src/index.ts'

describe('eachStore', () => {
  eachStore((open, name) => {
    it('opens the same data once more on Redis only', async () => {
      const key = recordKey('instance', 'thing', '1')
      const store = await open()
      await store.write([{ op: 'put', key, value: 1 }])
      const again = await open({ sameAs: store }).catch((error: Error) => error.message)
      if (typeof again === 'string') {
        expect(name).to.not.equal('Redis')
        expect(again).to.equal('an embedded store is for one process')
      } else {
        expect((await again.get(key))?.value).to.equal(1)
      }
    })

    it('opens an empty store that works', async () => {
      const store = await open()
      const key = recordKey('instance', 'thing', '1')
      expect(await store.get(key)).to.equal(undefined)
      await store.write([{ op: 'put', key, value: { a: 1 } }])
      expect((await store.get(key))?.value).to.deep.equal({ a: 1 })
    })

    it('lets the test move time', async () => {
      const clock = fakeClock()
      const store = await open({ clock })
      const key = recordKey('instance', 'thing', '1')
      await store.write([{ op: 'put', key, value: 1, expiresAt: clock.now() + 60_000 }])
      expect((await store.get(key))?.value).to.equal(1)
      clock.advance(60_001)
      expect(await store.get(key)).to.equal(undefined)
    })
  })
})
