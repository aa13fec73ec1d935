import type { Instance } from '@svc/platform'
import { recordKey } from '@svc/store'
import { eachStore, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { createPendingOffers, type PendingOffers } from '../../src/demo/shares/pending-offers.ts'

const BOB = { id: 'bob' } as Instance // Only the id is looked at.
const DAY_MS = 86_400_000

eachStore((open) => {
  describe('createPendingOffers', () => {
    let clock: ReturnType<typeof fakeClock>
    let store: Awaited<ReturnType<typeof open>>
    let pending: PendingOffers
    let made = 0
    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      pending = createPendingOffers({ store, clock })
    })
    afterEach(() => store.close())

    const keyOf = (id: string) => recordKey(BOB.id, 'sharing-offer', id)

    function add(from: string): Promise<boolean> {
      made += 1
      const id = `offer-${made}`
      const expiresAt = clock.now() + DAY_MS
      const put = { op: 'put', key: keyOf(id), value: from, expiresAt } as const
      return pending.add(BOB, { id, from, expiresAt }, put)
    }

    /** Of the last one that was added. */
    function settle(): Promise<boolean> {
      const id = `offer-${made}`
      return pending.settle(BOB, id, async () => {
        const record = await store.get(keyOf(id))
        return record && [{ op: 'delete', key: record.key, ifRevision: record.revision }]
      })
    }

    const addAll = async (senders: readonly string[]): Promise<number> =>
      (await Promise.all(senders.map(add))).filter(Boolean).length

    const by = (sender: string, count: number): string[] => Array<string>(count).fill(sender)

    it('lets ten of one sender wait, of any number that come at once', async () => {
      expect(await addAll(by('alice', 25))).to.equal(10)
      expect(await addAll(by('carol', 3))).to.equal(3)
    })

    it('lets a hundred of all of them wait, whoever sends', async () => {
      const senders = Array.from({ length: 13 }, (_, at) => by(`sender-${at}`, 9)).flat()
      expect(await addAll(senders)).to.equal(100)
      expect(await add('another')).to.equal(false)
    })

    it('writes nothing for an offer too many', async () => {
      await addAll(by('alice', 10))
      expect(await add('alice')).to.equal(false)
      expect(await store.get(keyOf(`offer-${made}`))).to.equal(undefined)
    })

    it('has room for what was removed, expired, or all gone', async () => {
      await addAll(by('alice', 10))
      expect(await settle()).to.equal(true)
      expect(await store.get(keyOf(`offer-${made}`))).to.equal(undefined)
      expect(await addAll(by('alice', 2))).to.equal(1)
      clock.advance(DAY_MS)
      expect(await addAll(by('alice', 11))).to.equal(10)
      await pending.removeAll(BOB)
      expect(await addAll(by('alice', 11))).to.equal(10)
    })

    it('is settled by one of many at once, and by nobody later', async () => {
      await addAll(by('alice', 2))
      const settled = await Promise.all(Array.from({ length: 20 }, () => settle()))
      expect(settled.filter(Boolean)).to.have.length(1)
      expect(await settle()).to.equal(false)
      expect(await addAll(by('alice', 10))).to.equal(9)
    })

    it('keeps nothing once nothing waits', async () => {
      await add('alice')
      expect(await settle()).to.equal(true)
      expect(await store.get(recordKey(BOB.id, 'sharing-offers', 'pending'))).to.equal(undefined)
    })
  })
})
