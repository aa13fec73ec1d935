import type { Store } from '@svc/store'
import { eachStore, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { DRIVE, type RealtimeServer, startRealtime } from '../support/realtime-server.ts'
import { type Closing, FAILED, forbidden, type SocketClient } from '../support/socket-client.ts'
import { until } from '../support/until.ts'

const SESSION_CLOSED = { code: 1008, reason: 'session closed' }
const CLIENT_REVOKED = { code: 1008, reason: 'client revoked' }

eachStore((open, name) => {
  if (name === 'a SQLite file') return
  describe('what ends', () => {
    let store: Store
    /** Where it ends. */
    let here: RealtimeServer
    /** Where the connection is: another process, where there can be one. */
    let there: RealtimeServer

    beforeEach(async () => {
      store = await open()
      here = await startRealtime({ store })
      there = here
      if (name !== 'Redis') return
      there = await startRealtime({ store: await open({ sameAs: store }), sameAs: here })
    })
    afterEach(async () => {
      if (there !== here) await there.close()
      await here.close()
    })

    async function connectClient(token: string): Promise<SocketClient> {
      const client = await there.connect()
      client.send({ method: 'AUTH', payload: token })
      expect(await client.follow('io.svc.files')).to.deep.equal([])
      return client
    }

    /** How the connection ended, which must be within a second. */
    async function endOf(client: SocketClient): Promise<Closing> {
      const startedAt = performance.now()
      const end = await client.closed
      expect(performance.now() - startedAt).to.be.below(scaledLimit(1000))
      await until(() => there.realtime.stats().subscriptions === 0)
      return end
    }

    it('closes 1008 the connections of a session, and no others', async () => {
      const client = await there.connectApp()
      await client.follow('io.svc.files')
      there.live.add('other')
      const other = await there.connect({ headers: { cookie: 'session=other' } })
      other.send({ method: 'AUTH', payload: await there.appToken(DRIVE, 'other') })
      await other.settled()
      here.live.delete('tab')
      await here.oauth.revoked(here.alice, 'session', ['tab'])
      expect(await endOf(client)).to.deep.equal(SESSION_CLOSED)
      expect(await other.settled()).to.deep.equal([])
    })

    it('closes 1008 the connections of a client, and no others', async () => {
      const one = await here.client('io.svc.files')
      const two = await here.client('io.svc.files')
      const client = await connectClient(one.token)
      const other = await there.connect()
      other.send({ method: 'AUTH', payload: two.token })
      await other.settled()
      await here.oauth.clients.revoke(here.alice, one.party.client.client_id, 'test')
      expect(await endOf(client)).to.deep.equal(CLIENT_REVOKED)
      expect(await other.settled()).to.deep.equal([])
    })

    it('closes 1008 the connections of a grant that its client gives back', async () => {
      const { token, party } = await here.client('io.svc.files')
      const client = await connectClient(token)
      await party.revoke(token)
      expect(await endOf(client)).to.deep.equal(CLIENT_REVOKED)
    })

    it('closes 1008 when the keys are replaced, at a change of the passphrase', async () => {
      const client = await there.connectApp()
      await client.follow('io.svc.files')
      const { keyring } = here.oauth
      await here.store.write(await keyring.replaceSessionKey(here.alice))
      await keyring.replaced(here.alice)
      expect(await endOf(client)).to.deep.equal(FAILED)
    })

    for (const status of ['blocked', 'removed'] as const) {
      it(`closes 1008 when the instance is ${status}, also for those who said nothing yet`, async () => {
        const client = await there.connectApp()
        await client.follow('io.svc.files')
        const silent = await there.connect()
        const bob = await there.connect({ host: 'bob.example.com' })
        const { instances } = here.oauth
        if (status === 'blocked') await instances.update(here.alice.id, { status })
        else await instances.remove(here.alice.id)
        expect(await endOf(client)).to.deep.equal(FAILED)
        silent.send({ method: 'AUTH', payload: await there.appToken() })
        expect(await silent.closed).to.deep.equal(FAILED)
        expect(bob.raw.readyState).to.equal(1)
      })
    }

    it('takes an uninstalled app its subscriptions away, one 403 each, and closes', async () => {
      const client = await there.connectApp()
      client.subscribe('io.svc.files')
      client.subscribe('io.svc.files', 'one')
      await client.follow('io.svc.auth.confirmations')
      here.installed.delete('drive')
      await here.oauth.revoked(here.alice, 'app', ['drive'])
      const topics = [
        { type: 'io.svc.files' },
        { type: 'io.svc.files', id: 'one' },
        { type: 'io.svc.auth.confirmations' },
      ]
      for (const payload of topics) {
        expect(await client.next()).to.deep.equal(forbidden(payload))
      }
      expect(await endOf(client)).to.deep.equal(FAILED)
    })

    it('takes an app with fewer permissions the lost subscriptions away, one 403 each', async () => {
      const client = await there.connectApp()
      client.subscribe('io.svc.files')
      client.subscribe('io.svc.notes', 'one')
      await client.follow('io.svc.auth.confirmations')
      const notes = { type: 'io.svc.notes' }
      here.installed.set('drive', { ...DRIVE, permissions: { notes } })
      await here.oauth.revoked(here.alice, 'app', ['drive'])
      expect(await client.next()).to.deep.equal(forbidden({ type: 'io.svc.files' }))
      expect(await client.settled()).to.deep.equal([])
      expect(there.realtime.stats().subscriptions).to.equal(2)
      client.subscribe('io.svc.files')
      expect(await client.next()).to.deep.equal(forbidden({ type: 'io.svc.files' }))
    })

    it('while a token is looked at is seen', async () => {
      const { live } = there
      const token = await there.appToken()
      const client = await there.connect({ headers: { cookie: 'session=tab' } })
      const has = live.has.bind(live)
      live.has = (id) => {
        const found = has(id)
        // The session ends right behind the look at it.
        live.has = has
        live.delete(id)
        void there.oauth.revoked(there.alice, 'session', [id])
        return found
      }
      client.send({ method: 'AUTH', payload: token })
      expect(await client.next()).to.have.nested.property('payload.status', '401 Unauthorized')
      expect(await client.closed).to.deep.equal(FAILED)
    })
  })
})
