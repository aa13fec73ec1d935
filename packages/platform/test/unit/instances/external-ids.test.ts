import type { Store } from '@svc/store'
import { eachStore, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import type { InstanceStore } from '../../../src/instances/instance-store.ts'
import { faultOf as failure } from '../../support/fault-of.ts'
import { dieAtRecord } from '../../support/hanging-write.ts'
import { openInstances } from '../../support/open-instances.ts'

const TAKEN = { name: 'InstanceError', code: 'external_id_taken' }

eachStore((open) => {
  describe('external ids of instances', () => {
    let store: Store
    let clock: FakeClock
    let instances: InstanceStore

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      instances = openInstances(store, clock)
    })
    afterEach(() => instances.close())

    const make = (n: number, externalId?: string) =>
      instances.create({
        domain: `o${n}.example.com`,
        ...(externalId !== undefined && { externalId }),
      })
    const domainOf = async (externalId: string) =>
      (await instances.byExternalId(externalId))?.domain

    it('find their instance, as they are written', async () => {
      const made = await make(1, 'user:4711 é/Ä')
      expect(made.externalId).to.equal('user:4711 é/Ä')
      expect(await domainOf('user:4711 é/Ä')).to.equal('o1.example.com')
      for (const other of ['user:4711 É/ä', 'user:4711', 'user:4711 e\u0301/Ä', '', '\n']) {
        expect(await domainOf(other), other).to.equal(undefined)
      }
    })

    it('refuse one that another instance has, and leave nothing of it', async () => {
      await make(1, 'a')
      const two = await make(2)
      expect(await failure(make(3, 'a'))).to.include(TAKEN)
      expect(await instances.byHost('o3.example.com')).to.equal(undefined)
      await make(3)
      expect(await failure(instances.update(two.id, { externalId: 'a' }))).to.include(TAKEN)
      expect((await instances.fresh(two.id))?.externalId).to.equal(undefined)
    })

    it('follow a change, free what was there before, and end with their instance', async () => {
      const one = await make(1, 'a')
      await instances.update(one.id, { externalId: 'b', publicName: 'One' })
      await instances.update(one.id, { publicName: 'Still one' })
      expect([await domainOf('a'), await domainOf('b')]).to.deep.equal([
        undefined,
        'o1.example.com',
      ])
      const two = await make(2, 'a')
      await instances.update(two.id, { externalId: null })
      await instances.update(one.id, { externalId: 'a' })
      expect(await failure(make(3, 'a'))).to.include(TAKEN)
      await instances.remove(one.id)
      await make(4, 'a')
      await make(5, 'b')
      expect(await domainOf('a')).to.equal('o4.example.com')
    })

    it('go to exactly one of many that want the same one', async () => {
      const made = await Promise.all(Array.from({ length: 10 }, (_, n) => make(n)))
      const results = await Promise.allSettled([
        ...made.map(({ id }) => instances.update(id, { externalId: 'x' })),
        ...Array.from({ length: 10 }, (_, n) => make(n + 10, 'x')),
      ])
      expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
      const listed = (await instances.list()).instances
      const named = listed.filter(({ externalId }) => externalId === 'x')
      expect(named.map(({ domain }) => domain)).to.deep.equal([await domainOf('x')])
    })

    it('stay unique while their instances change to and fro', async () => {
      const one = await make(1, 'x')
      const two = await make(2)
      for (let round = 0; round < 5; round += 1) {
        await Promise.allSettled([
          instances.update(one.id, { externalId: 'y' }),
          instances.update(one.id, { externalId: 'x' }),
          instances.update(two.id, { externalId: 'x' }),
          instances.update(one.id, { externalId: null }),
          instances.update(two.id, { externalId: 'y' }),
        ])
        const found = await Promise.all([one, two].map(({ id }) => instances.fresh(id)))
        const held = found.flatMap((record) => record?.externalId ?? [])
        expect(new Set(held).size, `round ${round}`).to.equal(held.length)
        for (const record of found) {
          if (record?.externalId === undefined) continue
          expect(await domainOf(record.externalId)).to.equal(record.domain)
        }
        clock.advance(61_000)
      }
    })

    it('are free again after a process died between claim and record', async () => {
      await dieAtRecord(store, () => void make(1, 'a'))
      expect(await failure(make(2, 'a'))).to.include(TAKEN)
      clock.advance(60_000)
      await make(2, 'a')
      expect(await domainOf('a')).to.equal('o2.example.com')
    })

    it('stay with a change that goes through while another one to the same id fails', async () => {
      const one = await make(1)
      const { write } = store
      const failing = Promise.withResolvers<never>()
      const holding = Promise.withResolvers<void>()
      const reached = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let records = 0
      store.write = async (changes, options) => {
        if (changes.some(({ key }) => key.includes(':instance:'))) {
          records += 1
          reached[records - 1]?.resolve()
          await (records === 1 ? failing.promise : holding.promise)
        }
        return write.call(store, changes, options)
      }
      const failed = failure(instances.update(one.id, { externalId: 'x' }))
      await reached[0]?.promise
      const through = instances.update(one.id, { externalId: 'x' })
      await reached[1]?.promise
      failing.reject(new Error('the disk is full'))
      expect(await failed).to.include({ message: 'the disk is full' })
      holding.resolve()
      await through
      store.write = write
      expect(await domainOf('x')).to.equal('o1.example.com')
      expect(await failure(make(2, 'x'))).to.include(TAKEN)
    })

    it('have 1 to 255 printable characters', async () => {
      for (const externalId of ['', 'x'.repeat(256), 'a\n', 'a\u0000', 'a\u202eb', '\ud800']) {
        expect(await failure(make(1, externalId)), JSON.stringify(externalId)).to.be.instanceOf(
          TypeError,
        )
      }
      await make(1, '😀'.repeat(255))
      expect(await domainOf('😀'.repeat(255))).to.equal('o1.example.com')
      const texts = []
      for await (const entry of store.dump()) {
        if (entry.type === 'record' && entry.key.includes(':external-id:')) texts.push(entry.key)
      }
      expect(texts).to.have.length(1)
      expect(texts[0]).not.to.contain('😀')
    })
  })
})
