import { recordKey, type Store } from '@svc/store'
import { eachStore, fakeClock, type FakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { DAY_MS, HOUR_MS } from '../../../src/durations.ts'
import type { Instance } from '../../../src/instances/instance.ts'
import { KeyStatusReader } from '../../../src/reseal/key-status.ts'
import {
  type ProcessKeys,
  Reseal,
  type ResealOptions,
  type ResealProgress,
  ResealRefusedError,
} from '../../../src/reseal/reseal.ts'
import type { SealingKey } from '../../../src/keys/sealer.ts'
import { checkSealingKeys } from '../../../src/keys/sealing-keys.ts'
import { faultOf } from '../../support/fault-of.ts'
import { SILENT } from '../../support/open-instances.ts'
import { keyNamed, SealedStore, testRegistry } from '../../support/sealed-store.ts'

const FAST = 10_000

eachStore((open) => {
  describe('Reseal (operation.md 3.4 to 3.7)', () => {
    const [k1, k2] = [keyNamed('k1'), keyNamed('k2')]
    let clock: FakeClock
    let store: Store
    let old: SealedStore
    let instances: Instance[]
    const closing: { close(): Promise<void> }[] = []

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      await checkSealingKeys({ store, clock, keys: [k1] })
      old = new SealedStore(store, [k1], clock)
      closing.push(old)
      instances = []
      for (const name of ['alice', 'bob', 'carol']) {
        instances.push(await old.create(`${name}.example.com`, 4))
      }
    })
    afterEach(async () => {
      for (const each of closing.splice(0).toReversed()) await each.close()
    })

    async function reseal(
      keys: readonly SealingKey[] = [k2, k1],
      options: Partial<ResealOptions> = {},
    ): Promise<Reseal> {
      await checkSealingKeys({ store, clock, keys })
      const made = new Reseal({
        store,
        keys,
        clock,
        records: testRegistry(),
        log: SILENT,
        hostname: 'here',
        ...options,
      })
      closing.push(made)
      return made
    }
    async function ended(run: Reseal): Promise<ResealProgress> {
      for (;;) {
        const progress = await run.progress()
        if (progress !== undefined && progress.status !== 'running') return progress
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    async function sealed(run: Reseal): Promise<ResealProgress> {
      await run.start(FAST)
      return ended(run)
    }
    async function stateOf(kid: string): Promise<unknown> {
      return (await store.get<{ state: string }>(recordKey('host', 'sealing-key', kid)))?.value
        .state
    }
    async function checkAll(keys: readonly SealingKey[], turn = 0): Promise<void> {
      const now = new SealedStore(store, keys, clock)
      closing.push(now)
      for (const instance of instances) {
        for (const id of ['0', '1', '2', '3']) {
          const expected = [turn, `plain ${id}`, `a ${id}`, `b ${id}`]
          expect(await now.read(instance, id)).to.deep.equal(expected)
        }
        for (const kind of ['access', 'session', 'mail'] as const) {
          expect((await now.keyring.current(instance, kind)).kid).to.equal(`${kind}.1`)
        }
      }
    }

    it('seals everything with the first key, and what it sealed opens without the old one', async () => {
      const run = await reseal()
      const { status, state } = await sealed(run)
      expect(status).to.equal('done')
      expect(state).to.include({ kid: 'k2', sealed: 3 * (4 * 3 + 3), damaged: 0, round: 1 })
      expect(state.counts).to.deep.equal({ k2: { keys: 9, 'test-secret': 36 } })
      expect([await stateOf('k1'), await stateOf('k2')]).to.deep.equal(['empty', 'active'])
      expect(await run.others()).to.deep.equal([{ kid: 'k1', isEmpty: true }])
      await checkSealingKeys({ store, clock, keys: [k2] })
      await checkAll([k2])
    })

    it('writes nothing that is under the first key already', async () => {
      const run = await reseal()
      await sealed(run)
      const key = recordKey(instances[0]?.id ?? '', 'test-secret', '0')
      const before = (await store.get(key))?.revision
      expect((await sealed(run)).state.sealed).to.equal(0)
      expect((await store.get(key))?.revision).to.equal(before)
    })

    it('keeps what is sealed in its indexes', async () => {
      const run = await reseal()
      await sealed(run)
      const again = await reseal([keyNamed('k3'), k2])
      expect((await sealed(again)).state.sealed).to.equal(45)
    })

    it('is refused while a process does not know the key, or seals with another one', async () => {
      const processes: ProcessKeys[] = [
        { hostname: 'ready', kids: ['k2', 'k1'] },
        { hostname: 'behind', kids: ['k1', 'k2'] },
        { hostname: 'without', kids: ['k1'] },
      ]
      const run = await reseal([k2, k1], { processes: async () => processes })
      const error = await faultOf(run.start())
      expect(error).to.be.instanceOf(ResealRefusedError)
      expect(error.message).to.equal(
        'Nothing was sealed again: without must know the key k2 first; behind must have the key k2 in front.',
      )
      expect(await run.progress()).to.equal(undefined)
      processes.splice(1)
      expect((await sealed(run)).status).to.equal('done')
    })

    it('does not call a key empty with which a process started meanwhile', async () => {
      const others: ProcessKeys[] = []
      let asked = 0
      const run = await reseal([k2, k1], {
        processes: async () => {
          asked += 1
          if (asked === 2) {
            const late = [k1, k2]
            await checkSealingKeys({ store, clock, keys: late })
            others.push({ hostname: 'late', kids: ['k1', 'k2'] })
          }
          return others
        },
      })
      const { status, reason } = await sealed(run)
      expect(status).to.equal('failed')
      expect(reason).to.include('late must have the key k2 in front')
      expect(await stateOf('k1')).to.equal('active')
      others.splice(0)
      expect((await sealed(run)).status).to.equal('done')
      expect(await stateOf('k1')).to.equal('empty')
    })

    it('loses nothing of what others write meanwhile', async () => {
      // They carry sealed values over, and write only what they read.
      const run = await reseal()
      const key = (instance: Instance, id: string) => recordKey(instance.id, 'test-secret', id)
      const writers = instances.flatMap((instance) =>
        ['0', '1', '2', '3'].map(async (id) => {
          for (let turn = 0; turn < 20; ) {
            const record = await store.get<{ turn: number }>(key(instance, id))
            if (record === undefined) return
            const value = { ...record.value, turn: turn + 1 }
            const ifRevision = record.revision
            const { written } = await store.write([
              { op: 'revise', key: key(instance, id), value, ifRevision },
            ])
            if (written) turn += 1
          }
        }),
      )
      await run.start(FAST)
      await Promise.all(writers)
      expect((await ended(run)).status).to.equal('done')
      expect(await stateOf('k1')).to.equal('empty')
      await checkAll([k2], 20)
    })

    it('seals again what another process wrote behind it with the old key', async () => {
      const late = new SealedStore(store, [k1, k2], clock)
      closing.push(late)
      let asked = 0
      const run = await reseal([k2, k1], {
        processes: async () => {
          asked += 1
          if (asked === 2) await late.put(instances[0] as Instance, '0', 0)
          return []
        },
      })
      const { state } = await sealed(run)
      expect(state).to.include({ round: 2, sealed: 48 })
      expect(await stateOf('k1')).to.equal('empty')
      await checkAll([k2])
    })

    it('passes over what does not open, says so, and demands no key for it', async () => {
      const [instance] = instances
      const key = recordKey(instance?.id ?? '', 'test-secret', '0')
      const value = { plain: `k1.${'A'.repeat(64)}`, derived: [] }
      await store.write([{ op: 'revise', key, value }])
      const lines: unknown[] = []
      const log = {
        ...SILENT,
        error: (event: string, fields?: object) => lines.push([event, fields]),
      }
      const run = await reseal([k2, k1], { log })
      expect((await sealed(run)).state).to.include({ damaged: 1, sealed: 42 })
      expect(lines).to.deep.equal([['keys.open_failed', { kid: 'k1', key }]])
      expect(await stateOf('k1')).to.equal('empty')
    })

    it('is done by one process at a time: a second start shows the progress of the first', async () => {
      const one = await reseal([k2, k1], { hostname: 'one' })
      const other = await reseal([k2, k1], { hostname: 'other' })
      const [first, second] = await Promise.all([one.start(20), other.start(20)])
      expect(first.hostname).to.equal(second.hostname)
      expect(first.startedAt).to.equal(second.startedAt)
      expect(second.status).to.equal('running')
    })

    it('goes on after a stop where it was, in another process too', async () => {
      const one = await reseal([k2, k1], { hostname: 'one' })
      await one.start(30)
      const key = recordKey(instances[0]?.id ?? '', 'keys', 'access')
      const revision = (await store.get(key))?.revision
      while ((await store.get(key))?.revision === revision) {
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      await one.close()
      expect((await one.progress())?.status).to.equal('running')
      const other = await reseal([k2, k1], { hostname: 'other' })
      await other.resume()
      expect((await ended(other)).hostname).to.equal('other')
      await checkAll([k2])
    })

    it('says which links in mails go with a key of an older version', async () => {
      const key = recordKey('host', 'sealing-key', 'k1')
      const note = await store.get<Record<string, string | number>>(key)
      const { sealedLinksUntil: _, ...older } = { ...note?.value }
      await store.write([{ op: 'revise', key, value: older }])
      const run = await reseal()
      const changedAt = (await store.get<{ sealedLinksUntil: number }>(key))?.value.sealedLinksUntil
      expect(changedAt).to.be.a('number')
      await sealed(run)
      const [other] = await run.others()
      expect(other).to.deep.equal({ kid: 'k1', isEmpty: true, linksUntil: changedAt })
      clock.advance(401 * DAY_MS)
      expect(await run.others()).to.deep.equal([{ kid: 'k1', isEmpty: true }])
    })

    describe('KeyStatusReader (operation.md 3.8)', () => {
      async function counted(keys: readonly SealingKey[], after?: number) {
        const reader = new KeyStatusReader({
          store,
          keys,
          clock,
          records: testRegistry(),
          log: SILENT,
          hostname: 'here',
        })
        closing.push(reader)
        for (;;) {
          const status = await reader.read(after)
          if (status.countedAt !== undefined) return status
          await new Promise((resolve) => setImmediate(resolve))
        }
      }

      it('tells what each key has sealed, and which may go', async () => {
        await checkSealingKeys({ store, clock, keys: [k2, k1] })
        await new SealedStore(store, [k2, k1], clock).create('dave.example.com', 1)
        const k3 = keyNamed('k3')
        const status = await counted([k2, k1, k3])
        expect(
          status.keys.map(({ kid, position, state, values, mayGo }) => [
            kid,
            position,
            state,
            values,
            mayGo,
          ]),
        ).to.deep.equal([
          ['k2', 1, 'active', { keys: 3, 'test-secret': 3 }, false],
          ['k1', 2, 'active', { keys: 9, 'test-secret': 36 }, false],
          ['k3', 3, 'unused', {}, true],
        ])
        expect(status.oldestSigningKey).to.be.at.most(clock.now())
        expect(await faultOf(checkSealingKeys({ store, clock, keys: [k2] }))).to.include({
          kid: 'k1',
          values: 45,
        })
      })

      it('counts once an hour, and anew after a reseal', async () => {
        const keys = [k2, k1]
        await checkSealingKeys({ store, clock, keys })
        const first = await counted(keys)
        await old.create('dave.example.com', 1)
        clock.advance(HOUR_MS / 2)
        expect((await counted(keys)).countedAt).to.equal(first.countedAt)
        clock.advance(HOUR_MS / 2)
        const later = await counted(keys)
        expect(later.keys[1]?.values).to.deep.equal({ keys: 12, 'test-secret': 39 })
        clock.advance(1000)
        const run = await reseal(keys)
        const { endedAt } = await sealed(run)
        clock.advance(1000)
        const {
          keys: [, last],
        } = await counted(keys, endedAt)
        expect(last).to.include({ kid: 'k1', state: 'empty', mayGo: true })
        expect(last?.values).to.deep.equal({})
      })
    })
  })
})
