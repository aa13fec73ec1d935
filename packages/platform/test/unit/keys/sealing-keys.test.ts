import { indexKey, recordKey, type Store } from '@svc/store'
import { eachStore, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { createSealer, type SealingKey } from '../../../src/keys/sealer.ts'
import { checkSealingKeys, SealingKeyError } from '../../../src/keys/sealing-keys.ts'
import { faultOf } from '../../support/fault-of.ts'
import { openInstances } from '../../support/open-instances.ts'
import { keyNamed } from '../../support/sealed-store.ts'

const NOW = Date.UTC(2026, 2, 1)
const INDEX = indexKey('host', 'sealing-keys')

eachStore((open) => {
  describe('the check of sealing keys', () => {
    const clock = { now: () => NOW }
    let store: Store
    beforeEach(async () => {
      store = await open({ clock: fakeClock() })
    })

    async function check(store: Store, ...keys: SealingKey[]): Promise<void> {
      await checkSealingKeys({ store, keys, clock })
    }

    async function refusal(store: Store, ...keys: SealingKey[]): Promise<SealingKeyError> {
      const before = await noted(store)
      const error = await faultOf(check(store, ...keys))
      expect(await noted(store), 'what is noted of keys').to.deep.equal(before)
      if (!(error instanceof SealingKeyError)) throw error
      return error
    }

    async function noted(store: Store): Promise<Record<string, unknown>> {
      const { records } = await store.list<{ kid: string; state: string }>(INDEX)
      return Object.fromEntries(records.map(({ value }) => [value.kid, value.state]))
    }

    /** Creates an instance as if no key had ever been noted. */
    async function createInstance(store: Store, key: SealingKey, domain: string): Promise<void> {
      const instances = openInstances(store, clock, { sealer: createSealer([key]) })
      await instances.create({ domain })
      await instances.close()
    }

    it('notes the first key, and lets the same keyring pass again', async () => {
      const [k1, k2] = [keyNamed('k1'), keyNamed('k2')]
      await check(store, k1, k2)
      expect(await noted(store)).to.deep.equal({ k1: 'active' })
      await check(store, k1)
      await check(store, k2, k1)
      expect(await noted(store)).to.deep.equal({ k1: 'active', k2: 'active' })
    })

    it('refuses a keyring without a key that sealed something, and says which and since when', async () => {
      await check(store, keyNamed('k1'))
      const error = await refusal(store, keyNamed('k2'))
      expect(error).to.include({ code: 'sealing_key_missing', kid: 'k1', firstUsedAt: NOW })
      expect(error.message).to.include('"k1"')
    })

    it('refuses another key of the same name', async () => {
      await check(store, keyNamed('k1'))
      const error = await refusal(store, keyNamed('k2'), keyNamed('k1'))
      expect(error).to.include({ code: 'sealing_key_wrong', kid: 'k1' })
    })

    it('refuses no keys at all once there was one, and notes nothing before', async () => {
      await check(store)
      expect(await noted(store)).to.deep.equal({})
      await check(store, keyNamed('k1'))
      expect(await refusal(store)).to.include({ code: 'sealing_key_missing', kid: 'k1' })
    })

    it('does not ask for a key that nothing is sealed with any more, until it seals again', async () => {
      const k2 = keyNamed('k2')
      await check(store, keyNamed('k1'))
      const key = recordKey('host', 'sealing-key', 'k1')
      const record = await store.get<Record<string, string>>(key)
      const value = { ...record?.value, state: 'empty' }
      await store.write([{ op: 'put', key, value, indexes: [{ index: INDEX, sort: 'k1' }] }])
      await check(store, k2)
      expect(await noted(store)).to.deep.equal({ k1: 'empty', k2: 'active' })
      const again = keyNamed('k1')
      await check(store, again, k2)
      expect(await noted(store)).to.deep.equal({ k1: 'active', k2: 'active' })
      expect(await refusal(store, k2)).to.include({ code: 'sealing_key_missing', kid: 'k1' })
      await check(store, k2, again)
    })

    it('is passed by all of many processes that start at once with the same key', async () => {
      const k1 = keyNamed('k1')
      await Promise.all(Array.from({ length: 10 }, () => check(store, k1)))
      expect(await noted(store)).to.deep.equal({ k1: 'active' })
    })

    it('is passed by one of many processes that start at once with different keys', async () => {
      const started = await Promise.allSettled(
        Array.from({ length: 10 }, () => check(store, keyNamed('k1'))),
      )
      expect(started.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1)
    })

    describe('in a store that is older than it', () => {
      it('finds the key of the instances, and demands it from then on', async () => {
        const [k1, k2] = [keyNamed('k1'), keyNamed('k2')]
        await createInstance(store, k1, 'alice.example.com')
        await createInstance(store, k2, 'bob.example.com')
        const error = await refusal(store, k2)
        expect(error).to.include({ code: 'sealing_key_missing', kid: 'k1' })
        expect(error.firstUsedAt).to.equal(undefined)
        const wrong = await refusal(store, k2, keyNamed('k1'))
        expect(wrong).to.include({ code: 'sealing_key_wrong', kid: 'k1' })
        expect(await refusal(store)).to.include({ code: 'sealing_key_missing' })
        await check(store, k2, k1)
        expect(await noted(store)).to.deep.equal({ k1: 'active', k2: 'active' })
      })

      it('looks through what it is shown beside, under derived keys too', async () => {
        const [k1, k2] = [keyNamed('k1'), keyNamed('k2')]
        const text = createSealer([k1]).derive('host', 'test').seal('x', 'place')
        async function* sealed() {
          yield {
            sealed: text,
            open: (sealer: ReturnType<typeof createSealer>) =>
              sealer.derive('host', 'test').open(text, 'place'),
          }
        }
        const run = (keys: SealingKey[]) => checkSealingKeys({ store, keys, clock, sealed })
        expect(await faultOf(run([k2]))).to.include({ code: 'sealing_key_missing', kid: 'k1' })
        await run([k2, k1])
        expect(await noted(store)).to.deep.equal({ k1: 'active', k2: 'active' })
      })
    })
  })
})
