import { indexKey, type Key, recordKey, type Store } from '@svc/store'
import { eachStore, type FakeClock, fakeClock, until, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach } from 'mocha'
import type { InstanceId, Subdomains } from '../../../src/instances/instance.ts'
import type { InstanceStore } from '../../../src/instances/instance-store.ts'
import { PLATFORM_RECORDS } from '../../../src/records.ts'
import { removeRecords } from '../../../src/records/remove-records.ts'
import { RecordRegistry } from '../../../src/records/record-registry.ts'
import { faultOf as failure } from '../../support/fault-of.ts'
import { dieAtRecord } from '../../support/hanging-write.ts'
import { openInstances } from '../../support/open-instances.ts'

eachStore((open, name) => {
  describe('instances', () => {
    let store: Store
    let clock: FakeClock
    let records: RecordRegistry
    let instances: InstanceStore
    const opened: InstanceStore[] = []
    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      instances = instancesOn(store)
    })
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close()
    })

    function instancesOn(
      on: Store,
      options: { subdomains?: Subdomains; cacheSize?: number } = {},
    ): InstanceStore {
      records = new RecordRegistry()
      records.declare(PLATFORM_RECORDS)
      const isRest = (kind: string): boolean => kind === 'instance' || kind === 'keys'
      const removeRest = (id: InstanceId) => removeRecords(records, on, id, isRest)
      const made = openInstances(on, clock, { removeRest, ...options })
      opened.push(made)
      return made
    }

    async function expectTaken(refused: Promise<unknown>, what?: unknown): Promise<void> {
      expect(await failure(refused), JSON.stringify(what)).to.include({ code: 'domain_taken' })
    }
    const makeAlice = () => instances.create({ domain: 'alice.example.com' })

    it('are found by domain and alias, in their normal form', async () => {
      const created = await instances.create({
        domain: 'Alice.Example.com:443',
        aliases: ['Old.example.net', 'old.example.net', 'bücher.example'],
        email: 'alice@example.com',
        timeZone: 'Europe/Paris',
        settings: { oauthClientsMax: 3 },
      })
      expect(created).to.deep.include({
        domain: 'alice.example.com',
        aliases: ['old.example.net', 'xn--bcher-kva.example'],
        locale: 'en',
        status: 'active',
        origin: 'https://alice.example.com',
        isHttps: true,
        email: 'alice@example.com',
        settings: { oauthClientsMax: 3 },
      })
      for (const host of ['alice.example.com', 'old.example.net', 'xn--bcher-kva.example']) {
        expect((await instances.byHost(host))?.id, host).to.equal(created.id)
      }
      for (const host of [
        'bob.example.com',
        'ALICE.example.com',
        '',
        '__proto__',
        'x'.repeat(300),
      ]) {
        expect(await instances.byHost(host), host).to.equal(undefined)
      }
      expect(await instances.byId(created.id)).to.deep.equal(created)
      expect(await instances.byId('unknown' as InstanceId)).to.equal(undefined)
    })

    it('refuse a host that is taken, as domain or alias, and leave nothing behind', async () => {
      await instances.create({ domain: 'alice.example.com', aliases: ['a.example.net'] })
      for (const input of [
        { domain: 'alice.example.com' },
        { domain: 'a.example.net' },
        { domain: 'bob.example.com', aliases: ['b.example.net', 'alice.example.com'] },
        { domain: 'bob.example.com', aliases: ['b.example.net', 'a.example.net'] },
        { domain: 'drive.alice.example.com' },
        { domain: 'bob.example.com', aliases: ['drive.a.example.net'] },
      ]) {
        await expectTaken(instances.create(input))
      }
      await instances.create({ domain: 'bob.example.com', aliases: ['b.example.net'] })
    })

    // Cookies of a nested instance reach every host below its domain.
    it('refuse a host above or below that of another one, whichever came first', async () => {
      const below = await instances.create({
        domain: 'alice.example.com',
        aliases: ['alice.example.net'],
      })
      const other = await instances.create({ domain: 'bob.example.org' })
      for (const input of [
        { domain: 'example.com' },
        { domain: 'com' },
        { domain: 'example.net' },
        { domain: 'x.example', aliases: ['example.com'] },
        { domain: 'a.b.alice.example.com' },
        { domain: 'y.example', aliases: ['drive.y.example'] },
      ]) {
        await expectTaken(instances.create(input), input)
      }
      await expectTaken(instances.update(other.id, { aliases: ['example.com'] }))
      // Nothing of the refused ones is left in the way, nor of what was removed.
      await instances.create({ domain: 'x.example' })
      await instances.create({ domain: 'y.example' })
      await instances.create({ domain: 'bob.example.com' })
      await instances.update(below.id, { aliases: [] })
      await instances.create({ domain: 'example.net' })
      // The same owner's cookies on both sides.
      await instances.update(other.id, { aliases: ['example.org', 'x.y.bob.example.org'] })
      await expectTaken(instances.update(other.id, { aliases: ['drive.bob.example.org'] }))
    })

    // Cookies know no port (RFC 6265 section 8.5).
    it('refuse a host that differs from a related one by its port only', async () => {
      await instances.create({ domain: 'alice.localhost:8080' })
      const bob = await instances.create({ domain: 'bob.localhost', aliases: ['bob.localhost:1'] })
      for (const input of [
        { domain: 'x.alice.localhost:9' },
        { domain: 'a.b.alice.localhost' },
        { domain: 'localhost:9' },
        { domain: 'localhost' },
        { domain: 'alice.localhost:9' },
        { domain: 'alice.localhost' },
        { domain: 'carol.localhost', aliases: ['x.alice.localhost:9'] },
        { domain: 'carol.localhost', aliases: ['drive.carol.localhost:9'] },
      ]) {
        await expectTaken(instances.create(input), input)
      }
      for (const alias of ['x.alice.localhost:9', 'drive.bob.localhost:9']) {
        await expectTaken(instances.update(bob.id, { aliases: [alias] }), alias)
      }
      await instances.update(bob.id, { aliases: ['bob.localhost:2', 'x.y.bob.localhost:3'] })
      await instances.create({ domain: 'carol.localhost' })
      await instances.remove(bob.id)
      await instances.create({ domain: 'y.bob.localhost:4' })
    })

    it('never hold a host and one below it, however they are made at the same time', async () => {
      for (let round = 0; round < 10; round += 1) {
        const hosts = [`r${round}.example:1`, `alice.r${round}.example`, `a.b.r${round}.example:2`]
        const made = await Promise.allSettled(hosts.map((domain) => instances.create({ domain })))
        const [above, ...below] = made.map(({ status }) => status === 'fulfilled')
        expect(above === true && below.includes(true), `round ${round}`).to.equal(false)
      }
    })

    it('stand beside each other with flat subdomains, where no cookie is shared', async () => {
      instances = instancesOn(store, { subdomains: 'flat' })
      await makeAlice()
      await instances.create({ domain: 'example.com' })
      await expectTaken(instances.create({ domain: 'alice.example.com:9' }))
    })

    it('refuse what is malformed', async () => {
      for (const change of [
        { domain: 'a b' },
        { aliases: ['a b'] },
        { aliases: Array.from({ length: 21 }, (_, n) => `a${n}.example`) },
        { locale: 'not a locale' },
        { email: 'alice' },
        { email: '"quoted"@example.com' },
        { email: 'alice@example.com\r\nBcc: x@example.com' },
        { timeZone: 'Nowhere/City' },
        { context: 'a b' },
        { publicName: 'a\u0000' },
      ]) {
        const input = { domain: 'alice.example.com', ...change }
        expect(await failure(instances.create(input)), JSON.stringify(change)).to.be.instanceOf(
          TypeError,
        )
      }
      expect(await instances.byHost('alice.example.com')).to.equal(undefined)
    })

    it('are made once of many that are made at the same time', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 10 }, (_, n) =>
          instances.create({ domain: `d${n % 2}.example.com`, aliases: ['common.example.com'] }),
        ),
      )
      const made = results.filter(({ status }) => status === 'fulfilled')
      expect(made.length).to.be.at.most(1)
      if (made.length === 0)
        await instances.create({ domain: 'x.example.com', aliases: ['common.example.com'] })
      expect(await instances.byHost('common.example.com')).not.to.equal(undefined)
      expect((await instances.list()).instances).to.have.lengthOf(1)
    })

    it('are listed once each, in pages', async () => {
      const domains = Array.from({ length: 25 }, (_, n) => `user${n}.example.com`)
      for (const domain of domains) {
        await instances.create({ domain, aliases: [`alias-${domain}`] })
      }
      const found: string[] = []
      let cursor: string | undefined
      do {
        const page = await instances.list({ limit: 4, ...(cursor && { cursor }) })
        expect(page.instances.length).to.be.at.most(4)
        found.push(...page.instances.map(({ domain }) => domain))
        cursor = page.cursor
      } while (cursor !== undefined)
      expect(found.sort()).to.deep.equal(domains.sort())
      expect(await failure(instances.list({ cursor: 'x' }))).to.be.instanceOf(TypeError)
    })

    it('change, with null clearing and the rest kept', async () => {
      const { id } = await instances.create({
        domain: 'alice.example.com',
        aliases: ['a.example.net', 'b.example.net'],
        email: 'alice@example.com',
        publicName: 'Alice',
      })
      await instances.create({ domain: 'bob.example.com' })
      const updated = await instances.update(id, {
        email: null,
        locale: 'fr',
        aliases: ['b.example.net', 'c.example.net'],
      })
      expect(updated).to.deep.include({
        locale: 'fr',
        publicName: 'Alice',
        aliases: ['b.example.net', 'c.example.net'],
      })
      expect(updated).not.to.have.property('email')
      expect(await instances.byHost('a.example.net')).to.equal(undefined)
      expect((await instances.byHost('c.example.net'))?.id).to.equal(id)
      expect(await instances.fresh(id)).to.include({ locale: 'fr' })
      await expectTaken(instances.update(id, { aliases: ['d.example.net', 'bob.example.com'] }))
      expect(await instances.byHost('d.example.net')).to.equal(undefined)
      await instances.create({ domain: 'd.example.net' })
      const unknown = instances.update('unknown' as InstanceId, {})
      expect(await failure(unknown)).to.include({ code: 'instance_not_found' })
      expect(await failure(instances.update(id, { email: 'x' }))).to.be.instanceOf(TypeError)
      const deleting = instances.update(id, { status: 'deleting' })
      expect(await failure(deleting)).to.be.instanceOf(TypeError)
    })

    it('lose none of many changes made at the same time', async () => {
      const { id } = await makeAlice()
      await Promise.all([
        instances.update(id, { email: 'alice@example.com' }),
        instances.update(id, { publicName: 'Alice' }),
        instances.update(id, { locale: 'fr' }),
        instances.update(id, { aliases: ['a.example.net'] }),
        instances.update(id, { aliases: ['a.example.net'] }),
        instances.update(id, { timeZone: 'Europe/Paris' }),
      ])
      expect(await instances.fresh(id)).to.deep.include({
        email: 'alice@example.com',
        publicName: 'Alice',
        locale: 'fr',
        aliases: ['a.example.net'],
        timeZone: 'Europe/Paris',
      })
      expect((await instances.byHost('a.example.net'))?.id).to.equal(id)
    })

    it('bring records of other packages into their first write', async () => {
      const { id } = await instances.create({ domain: 'alice.example.com' }, (of) => [
        { op: 'put', key: recordKey(of, 'owner', 'record'), value: { name: 'Alice' } },
      ])
      const owner = await store.get(recordKey(id, 'owner', 'record'))
      expect(owner?.value).to.deep.equal({ name: 'Alice' })
    })

    it('free their hosts when the first write fails', async () => {
      const failing = instances.create({ domain: 'alice.example.com' }, (of) => [
        { op: 'check', key: recordKey(of, 'owner', 'record'), ifPresent: true },
      ])
      expect((await failure(failing)).message).to.contain('exists already')
      await makeAlice()
    })

    it('take hosts over that a dead process claimed for nothing', async () => {
      await dieAtRecord(store, () => void makeAlice())
      await expectTaken(makeAlice())
      clock.advance(30_000)
      await expectTaken(makeAlice())
      clock.advance(30_000)
      await makeAlice()
    })

    it('are removed with what others keep of them, and their hosts are free', async () => {
      const key = (id: InstanceId) => recordKey(id, 'owner', 'record')
      instances.onRemove(async ({ id }) => {
        expect(await instances.byHost('alice.example.com')).to.include({ status: 'deleting' })
        await store.write([{ op: 'delete', key: key(id) }])
      })
      const { id } = await instances.create(
        { domain: 'alice.example.com', aliases: ['a.example.net'] },
        (of) => [{ op: 'put', key: key(of), value: {} }],
      )
      await instances.remove(id)
      expect(await instances.byId(id)).to.equal(undefined)
      expect(await instances.byHost('alice.example.com')).to.equal(undefined)
      expect(await store.get(key(id))).to.equal(undefined)
      expect(await store.get(recordKey(id, 'keys', 'access'))).to.equal(undefined)
      expect((await instances.list()).instances).to.deep.equal([])
      await instances.remove(id)
      await instances.create({ domain: 'alice.example.com', aliases: ['a.example.net'] })
    })

    it('are removed with every record that somebody declared, whoever forgot it', async () => {
      const about = { version: 1, tags: 'instance', life: 'for good', export: 'yes' } as const
      const kind = { ...about, schema: {}, content: 'what an embedder keeps' }
      records.declare([
        // A name before that of the kind it is found by.
        {
          ...kind,
          kind: 'a-page',
          places: {
            by: 'ids-of',
            parent: 'book',
            ids: ({ id }) => Array.from({ length: 3 }, (_, n) => `${id}-${n}`),
          },
        },
        { ...kind, kind: 'book', places: { by: 'index', index: 'books' } },
      ])
      const { id } = await makeAlice()
      const keys: Key[] = []
      for (let n = 0; n < 150; n += 1) {
        const book = recordKey(id, 'book', `b${n}`)
        const pages = [0, 1, 2].map((page) => recordKey(id, 'a-page', `b${n}-${page}`))
        keys.push(book, ...pages)
        await store.write([
          { op: 'put', key: book, value: 1, indexes: [{ index: indexKey(id, 'books'), sort: '' }] },
          ...pages.map((key) => ({ op: 'put', key, value: 1 }) as const),
        ])
      }
      await instances.remove(id)
      const left: unknown[] = []
      for (let at = 0; at < keys.length; at += 100) {
        const found = await store.getMany(keys.slice(at, at + 100))
        left.push(...found.filter((record) => record !== undefined))
      }
      expect(left).to.deep.equal([])
      expect(await instances.byId(id)).to.equal(undefined)
    })

    it('are removed in the end when the first attempt was cut short', async () => {
      let isBroken = true
      instances.onRemove(() => (isBroken ? Promise.reject(new Error('cut')) : Promise.resolve()))
      const { id } = await makeAlice()
      expect((await failure(instances.remove(id))).message).to.equal('cut')
      expect(await instances.byHost('alice.example.com')).to.include({ status: 'deleting' })
      const back = instances.update(id, { status: 'active' })
      expect(await failure(back)).to.include({ code: 'instance_not_found' })
      isBroken = false
      clock.advance(61_000)
      await instances.start()
      await until(async () => (await instances.fresh(id)) === undefined)
      expect(await instances.byHost('alice.example.com')).to.equal(undefined)
    })

    it('are read again after a second, and answered from memory before', async () => {
      clock.stop()
      const { id } = await makeAlice()
      let reads = 0
      const get = store.get.bind(store)
      store.get = (key) => {
        reads += 1
        return get(key)
      }
      const first = await instances.byHost('alice.example.com')
      expect(reads).to.equal(2)
      const parallel = await Promise.all(
        Array.from({ length: 5 }, () => instances.byHost('alice.example.com')),
      )
      expect(parallel.every((instance) => instance === first)).to.equal(true)
      expect(reads).to.equal(2)
      clock.advance(1000)
      const again = await Promise.all(Array.from({ length: 5 }, () => instances.byId(id)))
      expect(again.every((instance) => instance === first)).to.equal(true)
      expect(reads).to.equal(3)
      clock.advance(-5000)
      await instances.byId(id)
      expect(reads).to.equal(4)
    })

    it('keep a bounded number of records in memory, and still find everything', async () => {
      instances = instancesOn(store, { cacheSize: 3 })
      const domains = Array.from({ length: 10 }, (_, n) => `user${n}.example.com`)
      for (const domain of domains) await instances.create({ domain, aliases: [`a-${domain}`] })
      for (let round = 0; round < 2; round += 1) {
        for (const domain of domains) {
          expect((await instances.byHost(domain))?.domain).to.equal(domain)
          expect((await instances.byHost(`a-${domain}`))?.domain).to.equal(domain)
        }
      }
    })

    it('do not throw when the store fails: they say so', async () => {
      await makeAlice()
      const { get } = store
      store.get = () => Promise.reject(new Error('down'))
      expect((await failure(instances.byHost('alice.example.com'))).message).to.equal('down')
      store.get = get
      expect(await instances.byHost('alice.example.com')).not.to.equal(undefined)
    })

    if (name === 'Redis') {
      it('changed by one process are seen by another at once, or within a second', async () => {
        const second = instancesOn(await open({ clock, sameAs: store }))
        const { id } = await makeAlice()
        expect(await second.byHost('alice.example.com')).to.include({ status: 'active' })
        const before = performance.now()
        await instances.update(id, { status: 'blocked' })
        await until(async () => (await second.byHost('alice.example.com'))?.status === 'blocked')
        expect(performance.now() - before).to.be.below(scaledLimit(1200))
      })
    }
  })
})
