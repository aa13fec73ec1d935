import { randomBytes } from 'node:crypto'
import { HOUR_MS } from '@svc/platform'
import type { Json, Store } from '@svc/store'
import { eachStore, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import type { Instance } from '../../../src/instances/instance.ts'
import { createKeyring, type StoredKeyring } from '../../../src/keys/keyring-store.ts'
import { createSealer } from '../../../src/keys/sealer.ts'
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
    afterEach(() => keyring.close())

    it('makes one key of each kind, 64 bytes, different for each instance', async () => {
      const access = await keyring.current(instance, 'access')
      const session = await keyring.current(instance, 'session')
      expect([access.kid, session.kid]).to.deep.equal(['access.1', 'session.1'])
      expect([access.secret.length, session.secret.length]).to.deep.equal([64, 64])
      expect(access.hmacKey.export().equals(access.secret)).to.equal(true)
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
      const failure = await keyring.current(other, 'access').catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(Error)
    })

    it('rejects for an instance without keys', async () => {
      const failure = await keyring
        .current(testInstance('nobody.example.com'), 'access')
        .catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(Error)
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
      expect((await keyring.current(instance, 'access')).kid).to.equal('access.2')
      expect(
        (await keyring.find(instance, 'access', 'access.1'))?.secret.equals(old.secret),
      ).to.equal(true)
      expect((await keyring.current(instance, 'session')).kid).to.equal('session.1')
      clock.advance(24 * HOUR_MS)
      expect(await keyring.find(instance, 'access', 'access.1')).not.to.equal(undefined)
      clock.advance(HOUR_MS)
      expect(await keyring.find(instance, 'access', 'access.1')).to.equal(undefined)
      await keyring.rotate(instance)
      expect((await keyring.current(instance, 'access')).kid).to.equal('access.3')
      expect(await keyring.find(instance, 'access', 'access.2')).not.to.equal(undefined)
    })

    it('drops old keys at once when it is told to', async () => {
      await keyring.rotate(instance)
      await keyring.rotate(instance, { revoke: true })
      for (const kid of ['access.1', 'access.2']) {
        expect(await keyring.find(instance, 'access', kid), kid).to.equal(undefined)
      }
      expect((await keyring.current(instance, 'access')).kid).to.equal('access.3')
    })

    it('loses none of parallel rotations', async () => {
      await Promise.all(Array.from({ length: 5 }, () => keyring.rotate(instance)))
      expect((await keyring.current(instance, 'access')).kid).to.equal('access.6')
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
      expect((await keyring.current(instance, 'session')).kid).to.equal('session.2')
      expect(await keyring.find(instance, 'session', 'session.1')).to.equal(undefined)
      expect((await keyring.current(instance, 'access')).kid).to.equal('access.1')
    })

    it('trusts what it remembers for a second and no longer', async () => {
      clock.stop()
      await keyring.current(instance, 'session')
      const changes = await keyring.replaceSessionKey(instance)
      // As another process does whose message gets lost.
      await store.write(changes)
      expect((await keyring.current(instance, 'session')).kid).to.equal('session.1')
      clock.advance(1000)
      expect((await keyring.current(instance, 'session')).kid).to.equal('session.2')
      expect(await keyring.find(instance, 'session', 'session.1')).to.equal(undefined)
    })

    it('looks again before it refuses a kid it has not seen', async () => {
      await keyring.current(instance, 'access')
      const other = createKeyring({ store, sealer, clock })
      const [change] = await other.replaceSessionKey(instance)
      await store.write(change === undefined ? [] : [change])
      await keyring.current(instance, 'session')
      expect((await keyring.find(instance, 'session', 'session.2'))?.kid).to.equal('session.2')
      await other.close()
    })

    it('opens keys again under a newer sealing key', async () => {
      const { secret } = await keyring.current(instance, 'access')
      const old = sealer
      const both = { ...old, seal: createSealer([{ kid: 'new', key: randomBytes(32) }]).seal }
      const later = createKeyring({ store, sealer: both, clock })
      expect((await later.current(instance, 'access')).secret.equals(secret)).to.equal(true)
      await later.close()
    })

    if (name === 'Redis') {
      it('hears of rotations in another process at once', async () => {
        const otherStore = await open({ clock, sameAs: store })
        const other = createKeyring({ store: otherStore, sealer, clock })
        await other.current(instance, 'access')
        // Handlers of a channel are called in order: the ring's own comes before this one.
        const told = new Promise<void>((resolve, reject) => {
          otherStore.bus.subscribe('oauth.keys', () => resolve()).catch(reject)
        })
        await otherStore.health()
        await keyring.rotate(instance, { revoke: true })
        await told
        expect((await other.current(instance, 'access')).kid).to.equal('access.2')
        await other.close()
      })
    }
  })
})
