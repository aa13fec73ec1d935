import { eachStore, fakeClock, until } from '@svc/testkit'
import type { Json } from '@svc/store'
import { expect } from 'chai'
import { canonical, type Entry, entryAt, hashOf, notedOf } from '../../src/chain/entry.ts'
import type { Head } from '../../src/chain/head.ts'
import { entryIndexes, entryKey, headKey, segmentKey } from '../../src/chain/keys.ts'
import { uuid7 } from '../../src/chain/uuid.ts'
import { type ActivityServer, serversOn, startActivity } from '../support/activity-server.ts'
import { countPending, entriesOf } from '../support/chain.ts'

describe('an entry', () => {
  it('is hashed as the specification says', () => {
    const noted = notedOf({ event: 'logout', actor: { kind: 'owner' } }, 1_000)
    const { hash, ...rest } = entryAt(noted, {
      chain: 'a'.repeat(32),
      seq: 1,
      prev: '0'.repeat(64),
    })
    expect(hash).to.equal(hashOf(rest))
    expect(canonical(rest)).to.equal(
      `{"actor":{"kind":"owner"},"chain":"${'a'.repeat(32)}","event":"logout","group":"login","outcome":"ok","prev":"${'0'.repeat(64)}","seq":1,"time":1000,"v":1}`,
    )
  })

  it('stays below a kibibyte, whatever is noted', () => {
    const long = 'ä'.repeat(5_000)
    const noted = notedOf(
      {
        event: 'consent.given',
        actor: { kind: 'client', id: long, name: long },
        target: { kind: 'client', id: long, name: long },
        detail: { scope: long },
      },
      Date.now(),
    )
    expect(noted['detail']).to.deep.equal({ shortened: true })
    const entry = entryAt(noted, { chain: 'a'.repeat(32), seq: 999_999, prev: 'f'.repeat(64) })
    expect(Buffer.byteLength(canonical(entry))).to.be.at.most(1024)
  })

  it('has an address of IPv6 as its network', () => {
    const origin = { ip: '2001:db8:1:2:3:4:5:6' }
    const noted = notedOf({ event: 'logout', actor: { kind: 'owner' }, origin }, 1)
    expect(noted['ip']).to.equal('2001:db8:1:2::/64')
  })
})

describe('the ids of pending events', () => {
  it('come in their order, within a millisecond, too', () => {
    const ids = Array.from({ length: 10_000 }, () => uuid7(1_700_000_000_000))
    expect(ids.toSorted()).to.deep.equal(ids)
    expect(new Set(ids).size).to.equal(ids.length)
    expect(ids[0]).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

eachStore((open, name) => {
  describe('the chain', () => {
    const clock = fakeClock()
    const start = serversOn(open, name, () => clock)

    it('begins with its start and holds every action in order, unbroken', async () => {
      const { act, activity, alice, store } = await start()
      await act({ event: 'hint.changed' })
      await act({ event: 'logout' })
      await activity.chain(alice)
      const entries = await entriesOf(store, alice.id)
      expect(entries.map(({ event, seq }) => [seq, event])).to.deep.equal([
        [1, 'record.started'],
        [2, 'hint.changed'],
        [3, 'logout'],
      ])
      expect(await activity.verify(alice)).to.include({ unbroken: true, count: 3, seq: 3 })
    })

    it('takes what was noted by itself, a moment after the action', async () => {
      const { act, alice, store } = await start()
      await act()
      await until(async () => (await entriesOf(store, alice.id)).length === 2)
      expect(await countPending(store, alice.id)).to.equal(0)
    })

    it('has what a process that died left behind', async () => {
      const first = await start()
      const { act, activity, alice, store } = first
      await act()
      // What a process writes and never chains.
      const other = await startActivity({ store, clock, sameAs: first })
      await other.act()
      await activity.chain(alice)
      expect(await countPending(store, alice.id)).to.equal(0)
      expect((await entriesOf(store, alice.id)).length).to.equal(3)
      await other.close()
    })

    it('holds 500 parallel actions of two processes, each once, in one unbroken chain', async function () {
      this.timeout(60_000)
      const first = await start()
      const second = await start({ sameAs: first })
      await Promise.all(
        Array.from({ length: 500 }, (_, at) => (at % 2 === 0 ? first : second).act()),
      )
      await Promise.all([first.activity.chain(first.alice), second.activity.chain(first.alice)])
      const entries = await entriesOf(first.store, first.alice.id)
      expect(entries.length).to.equal(501)
      expect(await countPending(first.store, first.alice.id)).to.equal(0)
      expect(await first.activity.verify(first.alice)).to.include({ unbroken: true, count: 501 })
    })

    it('goes on from an anchor when its old end was pruned', async function () {
      this.timeout(30_000)
      const { act, activity, alice, store } = await start()
      for (let at = 0; at < 150; at += 1) await act()
      await activity.chain(alice)
      clock.advance(40 * 24 * 3_600_000)
      await act()
      await activity.chain(alice)
      const anchor = await store.get(segmentKey(alice.id, 1))
      expect(anchor?.value).to.include({ first: 1, last: 151, state: 'kept' })
      clock.advance(366 * 24 * 3_600_000)
      await act()
      await activity.chain(alice)
      await activity.chain(alice)
      const entries = await entriesOf(store, alice.id)
      expect((await store.get(segmentKey(alice.id, 1)))?.value).to.include({ state: 'pruned' })
      expect(entries.map(({ event }) => event)).to.include('record.pruned')
      expect(entries[0]?.seq).to.be.greaterThan(151)
      const found = await activity.verify(alice)
      expect(found).to.include({ unbroken: true, count: entries.length })
    })

    it('goes on in a chain of its own after a restore, which names the old one', async () => {
      const { act, activity, alice, store } = await start()
      await act()
      await activity.chain(alice)
      const before = await store.get<Head>(headKey(alice.id))
      await act({ event: 'store.restored', actor: { kind: 'operator' } })
      await act()
      await activity.chain(alice)
      const restored = (await entriesOf(store, alice.id))[2]
      expect(restored?.chain).to.not.equal(before?.value.chain)
      expect(restored?.['detail']).to.include({ seq: 2, hash: before?.value.hash })
      expect(await activity.verify(alice)).to.include({ unbroken: true, count: 4 })
    })

    describe('shows', () => {
      let server: ActivityServer
      beforeEach(async () => {
        server = await start()
        for (let at = 0; at < 4; at += 1) await server.act()
        await server.activity.chain(server.alice)
      })

      async function fault() {
        return (await server.activity.verify(server.alice)).fault
      }

      async function head(): Promise<Head> {
        const record = await server.store.get<Head>(headKey(server.alice.id))
        return record?.value ?? expect.fail('there is no head')
      }

      async function putHead(value: object): Promise<void> {
        await server.store.write([
          { op: 'put', key: headKey(server.alice.id), value: value as Json },
        ])
      }

      async function put(entry: Entry): Promise<void> {
        const { alice, store } = server
        const indexes = entryIndexes(alice.id, entry)
        await store.write([
          { op: 'put', key: entryKey(alice.id, entry.seq), value: entry, indexes },
        ])
      }

      it('a changed entry', async () => {
        const [, , third] = await entriesOf(server.store, server.alice.id)
        await put({ ...(third as Entry), time: 1 } as Entry)
        expect(await fault()).to.include({ seq: 3, reason: 'changed' })
      })

      it('a changed entry whose hash was made anew', async () => {
        const [, , third] = await entriesOf(server.store, server.alice.id)
        const { hash: _, ...rest } = { ...(third as Entry), time: 1 }
        await put({ ...rest, hash: hashOf(rest) } as Entry)
        expect(await fault()).to.include({ seq: 4, reason: 'moved' })
      })

      it('a removed entry', async () => {
        const { alice, store } = server
        await store.write([{ op: 'delete', key: entryKey(alice.id, 3) }])
        expect(await fault()).to.include({ seq: 3, reason: 'missing' })
      })

      it('entries that changed places', async () => {
        const [, second, third] = await entriesOf(server.store, server.alice.id)
        const { alice, store } = server
        for (const [seq, value] of [
          [2, third],
          [3, second],
        ] as const) {
          await store.write([{ op: 'put', key: entryKey(alice.id, seq), value: value as Entry }])
        }
        expect(await fault()).to.include({ seq: 2 })
      })

      it('a whole chain that was made anew without the sealing key', async () => {
        const { alice, store } = server
        const entries = await entriesOf(store, alice.id)
        let prev = '0'.repeat(64)
        let last: Entry | undefined
        for (const { hash: _hash, prev: _prev, v: _v, chain, seq, ...noted } of entries) {
          last = entryAt({ ...noted, time: 5 } as never, { chain, seq, prev })
          prev = last.hash
          await put(last)
        }
        await putHead({ ...(await head()), hash: prev, time: 5 })
        expect(await fault()).to.include({ reason: 'seal' })
      })

      it('a chain that was cut with an old head, once it was verified further on', async () => {
        const { act, activity, alice, store } = server
        const old = await head()
        await act()
        await activity.verify(alice)
        await putHead(old)
        await store.write([{ op: 'delete', key: entryKey(alice.id, 6) }])
        expect(await fault()).to.include({ seq: 6, reason: 'shortened' })
      })

      it('a head whose seal names a key that nobody has, or is none at all', async () => {
        const value = await head()
        for (const [seal, reason] of [
          [`other.${value.seal.split('.')[1]}`, 'unknown_key'],
          ['', 'unknown_key'],
          [7, 'seal'],
        ] as const) {
          await putHead({ ...value, seal })
          expect(await fault()).to.include({ seq: 5, reason })
        }
      })

      it('what was written by others, and does not seal it with what comes next', async () => {
        const { act, activity, alice, store } = server
        const last = (await entriesOf(store, alice.id)).at(-1)
        const value = await head()
        await putHead({ ...value, seal: `${value.seal.split('.')[0]}.${'A'.repeat(43)}` })
        await act()
        expect(await fault()).to.include({ seq: 6, reason: 'gap' })
        await act()
        await activity.chain(alice)
        const events = (await entriesOf(store, alice.id)).map(({ event }) => event)
        expect(events.slice(5)).to.deep.equal(['record.gap', 'hint.changed', 'hint.changed'])
        expect(await fault()).to.include({ seq: 6, reason: 'gap', after: last?.time })
      })

      it('a head that was put back or taken away, and goes on after all that is there', async () => {
        const { act, alice, store } = server
        const old = await head()
        await act()
        expect(await fault()).to.equal(undefined)
        await putHead(old)
        await act()
        expect(await fault()).to.include({ seq: 7, reason: 'gap' })
        await store.write([{ op: 'delete', key: headKey(alice.id) }])
        await act()
        expect(await fault()).to.include({ seq: 7, reason: 'gap' })
        const seqs = (await entriesOf(store, alice.id)).map(({ seq }) => seq)
        expect(seqs).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      })

      it('an unknown key once it did not come for a day, and loses nothing meanwhile', async () => {
        const { act, alice, store } = server
        const value = await head()
        await putHead({ ...value, seal: `other.${value.seal.split('.')[1]}` })
        await act()
        expect(await fault()).to.include({ seq: 5, reason: 'unknown_key' })
        expect(await countPending(store, alice.id)).to.equal(1)
        clock.advance(24 * 3_600_000)
        expect(await fault()).to.include({ seq: 6, reason: 'gap' })
        expect(await countPending(store, alice.id)).to.equal(0)
      })

      it('a record that is gone', async () => {
        const { activity, alice, store } = server
        await activity.verify(alice)
        await store.write([{ op: 'delete', key: headKey(alice.id) }])
        expect(await fault()).to.include({ reason: 'head' })
      })
    })
  })
})
