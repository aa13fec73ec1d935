import { randomBytes } from 'node:crypto'
import { DAY_MS, HOUR_MS } from '@svc/platform'
import { type Json, type Key, recordKey, type Store } from '@svc/store'
import { eachStore, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import type { Instance } from '../../../src/instances/instance.ts'
import { isDue, SIGNING_KEY_MS } from '../../../src/keys/key-age.ts'
import { createKeyring, type StoredKeyring } from '../../../src/keys/keyring-store.ts'
import type { KeySetRecord } from '../../../src/keys/keyring-values.ts'
import { createSealer } from '../../../src/keys/sealer.ts'
import { faultOf } from '../../support/fault-of.ts'
import { storeWith } from '../../support/store-with.ts'
import { testInstance } from '../../support/test-instance.ts'

eachStore((open, name) => {
  describe('createKeyring', () => {
    const sealer = createSealer([{ kid: 'test', key: randomBytes(32) }])
    let clock: FakeClock
    let store: Store
    let keyring: StoredKeyring
    let instance: Instance

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      keyring = createKeyring({ store, sealer, clock })
      instance = testInstance('alice.example.com')
      expect((await store.write(keyring.create(instance.id))).written).to.equal(true)
    })
    const others: StoredKeyring[] = []
    afterEach(async () => {
      for (const ring of [keyring, ...others.splice(0)]) await ring.close()
    })
    /** The keyring of another process. */
    function another(options: Partial<Parameters<typeof createKeyring>[0]> = {}): StoredKeyring {
      const ring = createKeyring({ store, sealer, clock, ...options })
      others.push(ring)
      return ring
    }

    /** The key of its kind that seals and signs now. */
    async function expectKid(kid: string, ring = keyring): Promise<void> {
      const kind = kid.split('.')[0] as 'access' // one of the kinds
      expect((await ring.current(instance, kind)).kid).to.equal(kid)
    }

    it('makes one key of each kind, 64 bytes, different for each instance', async () => {
      const access = await keyring.current(instance, 'access')
      const session = await keyring.current(instance, 'session')
      expect([access.kid, session.kid]).to.deep.equal(['access.1', 'session.1'])
      expect([access.secret.length, session.secret.length]).to.deep.equal([64, 64])
      expect(access.hmacKey.export().equals(access.secret)).to.equal(true)
      const prefixed = Buffer.concat([Buffer.from('2:'), session.secret])
      expect(session.messageKey.export().equals(prefixed)).to.equal(true)
      const other = testInstance('bob.example.com')
      await store.write(keyring.create(other.id))
      const secrets = [access, session, await keyring.current(other, 'access')]
      expect(new Set(secrets.map(({ secret }) => secret.toString('hex'))).size).to.equal(3)
    })

    it('never makes keys again for an instance that has some', async () => {
      expect((await store.write(keyring.create(instance.id))).written).to.equal(false)
    })

    it('stores keys sealed, for their instance, kind and number only', async () => {
      const { secret } = await keyring.current(instance, 'access')
      const [change] = keyring.create(instance.id)
      const record = await store.get(change?.key as never)
      const text = JSON.stringify(record?.value as Json)
      expect(text).not.to.include(secret.toString('base64url'))
      expect(text).not.to.include(secret.toString('base64'))
      expect(text).not.to.include(secret.toString('hex'))
      const other = testInstance('bob.example.com')
      const [target] = keyring.create(other.id)
      await store.write([{ op: 'put', key: target?.key as never, value: record?.value ?? null }])
      await faultOf(keyring.current(other, 'access'))
    })

    it('rejects for an instance without keys', async () => {
      await faultOf(keyring.current(testInstance('nobody.example.com'), 'access'))
    })

    it('finds a key by its kid, of its kind only', async () => {
      const { secret } = await keyring.current(instance, 'access')
      const found = await keyring.find(instance, 'access', 'access.1')
      expect(found?.secret.equals(secret)).to.equal(true)
      expect(await keyring.find(instance, 'session', 'access.1')).to.equal(undefined)
      expect(await keyring.find(instance, 'access', 'session.1')).to.equal(undefined)
      expect(await keyring.find(instance, 'access', 'access.2')).to.equal(undefined)
    })

    it('rotates: the new key signs, the old one verifies until its last token is dead', async () => {
      const old = await keyring.current(instance, 'access')
      await keyring.rotate(instance)
      await expectKid('access.2')
      const found = await keyring.find(instance, 'access', 'access.1')
      expect(found?.secret.equals(old.secret)).to.equal(true)
      await expectKid('session.1')
      clock.advance(24 * HOUR_MS)
      expect(await keyring.find(instance, 'access', 'access.1')).not.to.equal(undefined)
      clock.advance(HOUR_MS)
      expect(await keyring.find(instance, 'access', 'access.1')).to.equal(undefined)
      await keyring.rotate(instance)
      await expectKid('access.3')
      expect(await keyring.find(instance, 'access', 'access.2')).not.to.equal(undefined)
    })

    it('drops old keys at once when it is told to', async () => {
      await keyring.rotate(instance)
      await keyring.rotate(instance, { revoke: true })
      for (const kid of ['access.1', 'access.2']) {
        expect(await keyring.find(instance, 'access', kid), kid).to.equal(undefined)
      }
      await expectKid('access.3')
    })

    it('loses none of parallel rotations', async () => {
      await Promise.all(Array.from({ length: 5 }, () => keyring.rotate(instance)))
      await expectKid('access.6')
      for (const kid of ['access.1', 'access.5']) {
        expect(await keyring.find(instance, 'access', kid), kid).not.to.equal(undefined)
      }
    })

    it('replaces the session key without grace, in a write that demands nobody did before', async () => {
      const changes = await keyring.replaceSessionKey(instance)
      const late = await keyring.replaceSessionKey(instance)
      expect((await store.write(changes)).written).to.equal(true)
      expect((await store.write(late)).written).to.equal(false)
      await keyring.replaced(instance)
      await expectKid('session.2')
      expect(await keyring.find(instance, 'session', 'session.1')).to.equal(undefined)
      await expectKid('access.1')
    })

    it('trusts what it remembers for a second and no longer', async () => {
      clock.stop()
      await keyring.current(instance, 'session')
      const changes = await keyring.replaceSessionKey(instance)
      // As another process does whose message gets lost.
      await store.write(changes)
      await expectKid('session.1')
      clock.advance(1000)
      await expectKid('session.2')
      expect(await keyring.find(instance, 'session', 'session.1')).to.equal(undefined)
    })

    it('looks again before it refuses a kid it has not seen', async () => {
      await keyring.current(instance, 'access')
      const other = another()
      const [change] = await other.replaceSessionKey(instance)
      await store.write(change === undefined ? [] : [change])
      await keyring.current(instance, 'session')
      expect((await keyring.find(instance, 'session', 'session.2'))?.kid).to.equal('session.2')
    })

    it('does not take a read that was under way for a second look', async () => {
      await keyring.current(instance, 'access')
      clock.advance(2000)
      let release = (): void => {}
      const held = new Promise<void>((resolve) => (release = resolve))
      let isFirst = true
      // The answer to the first read comes late, as over a slow network.
      const slow = storeWith(store, {
        get: async <Value extends Json>(key: Key) => {
          const record = await store.get<Value>(key)
          if (isFirst) {
            isFirst = false
            await held
          }
          return record
        },
      })
      const other = another({ store: slow })
      const early = other.current(instance, 'access')
      await keyring.rotate(instance)
      const found = other.find(instance, 'access', 'access.2')
      release()
      expect((await early).kid).to.equal('access.1')
      expect((await found)?.kid).to.equal('access.2')
    })

    it('makes the key for links in mails with the instance, and one that is missing at its first use', async () => {
      const { secret } = await keyring.current(instance, 'mail')
      const key = recordKey(instance.id, 'keys', 'mail')
      expect(await store.get(key)).to.not.equal(undefined)
      // As it is in an instance of an older version.
      const older = testInstance('older.example.com')
      const record = recordKey(older.id, 'instance', 'record')
      await store.write([{ op: 'put', key: record, value: {} }])
      const other = another()
      const made = await Promise.all(
        Array.from({ length: 10 }, (_, at) => (at < 5 ? keyring : other).current(older, 'mail')),
      )
      expect(new Set(made.map((each) => each.secret.toString('hex'))).size).to.equal(1)
      expect(made[0]?.secret.equals(secret)).to.equal(false)
    })

    it('makes no key for an instance that is gone', async () => {
      const gone = testInstance('gone.example.com')
      await faultOf(keyring.current(gone, 'mail'))
      expect(await store.get(recordKey(gone.id, 'keys', 'mail'))).to.equal(undefined)
    })

    it('replaces the key for links in mails without grace, by command only', async () => {
      clock.advance(1000 * DAY_MS)
      await expectKid('mail.1')
      await keyring.replace(instance, 'mail')
      await expectKid('mail.2')
      expect(await keyring.find(instance, 'mail', 'mail.1')).to.equal(undefined)
      await expectKid('session.1')
    })

    it('replaces a key once, however often it is asked to replace those of before', async () => {
      clock.advance(1000)
      const madeBefore = clock.now()
      const again = () => keyring.rotate(instance, { madeBefore })
      await Promise.all([again(), again(), again()])
      await again()
      await expectKid('access.2')
      await keyring.replace(instance, 'session', { madeBefore })
      await keyring.replace(instance, 'session', { madeBefore })
      await expectKid('session.2')
    })

    describe('by calendar', () => {
      it('replaces an access key within the last tenth of its 90 days, when it signs', async () => {
        clock.advance(80 * DAY_MS)
        await expectKid('access.1')
        clock.advance(10 * DAY_MS)
        expect((await keyring.find(instance, 'access', 'access.1'))?.kid).to.equal('access.1')
        await expectKid('access.2')
        expect((await keyring.find(instance, 'access', 'access.1'))?.kid).to.equal('access.1')
        clock.advance(2 * DAY_MS)
        expect(await keyring.find(instance, 'access', 'access.1')).to.equal(undefined)
        await expectKid('session.1')
        // 80 days old: its own last tenth begins at 81 days at the earliest.
        clock.advance(78 * DAY_MS)
        await expectKid('access.2')
      })

      it('replaces it once over all processes', async () => {
        clock.advance(90 * DAY_MS)
        const rings = Array.from({ length: 4 }, () => another())
        const kids = await Promise.all(
          rings.flatMap((ring) => [ring, ring, ring].map((one) => one.current(instance, 'access'))),
        )
        expect(new Set(kids.map(({ kid }) => kid))).to.deep.equal(new Set(['access.2']))
      })

      it('spreads instances that were made together over the last tenth', () => {
        const ids = Array.from({ length: 1000 }, () => testInstance('x.example.com').id)
        const dueAfter = (days: number) =>
          ids.filter((id) => isDue(id, 0, SIGNING_KEY_MS, days * DAY_MS)).length
        expect(dueAfter(81)).to.be.at.most(5)
        expect(dueAfter(85.5)).to.be.within(400, 600)
        expect(dueAfter(90)).to.equal(1000)
      })

      it('replaces none when it is off', async () => {
        const other = another({ signingKeyMs: 0 })
        clock.advance(2000 * DAY_MS)
        await expectKid('access.1', other)
      })

      it('counts a key of an older version as made when it signs first', async () => {
        const key = recordKey(instance.id, 'keys', 'access')
        const [stored] = (await store.get<KeySetRecord>(key))?.value.keys ?? []
        const { createdAt: _, ...older } = { ...stored }
        await store.write([{ op: 'put', key, value: { keys: [older] } }])
        clock.advance(100 * DAY_MS)
        await expectKid('access.1')
        clock.advance(80 * DAY_MS)
        await expectKid('access.1')
        clock.advance(10 * DAY_MS)
        await expectKid('access.2')
      })

      it('signs with the old key while the store takes no new one', async () => {
        clock.advance(90 * DAY_MS)
        const full = storeWith(store, { write: () => Promise.reject(new Error('full')) })
        const lines: unknown[] = []
        const log = { info: () => {}, warn: (...[event]: unknown[]) => void lines.push(event) }
        const other = another({ store: full, log })
        await expectKid('access.1', other)
        expect(lines).to.deep.equal(['keys.rotation_failed'])
      })
    })

    it('opens keys again under a newer sealing key', async () => {
      const { secret } = await keyring.current(instance, 'access')
      const old = sealer
      const both = { ...old, seal: createSealer([{ kid: 'new', key: randomBytes(32) }]).seal }
      const later = another({ sealer: both })
      expect((await later.current(instance, 'access')).secret.equals(secret)).to.equal(true)
    })

    if (name === 'Redis') {
      it('hears of rotations in another process at once', async () => {
        const otherStore = await open({ clock, sameAs: store })
        const other = another({ store: otherStore })
        await other.current(instance, 'access')
        // Handlers of a channel are called in order: the ring's own comes before this one.
        const told = new Promise<void>((resolve, reject) => {
          otherStore.bus.subscribe('oauth.keys', () => resolve()).catch(reject)
        })
        await otherStore.health()
        await keyring.rotate(instance, { revoke: true })
        await told
        await expectKid('access.2', other)
      })
    }
  })
})
