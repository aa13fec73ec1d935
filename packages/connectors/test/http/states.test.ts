import type { InstanceId } from '@svc/platform'
import type { Store } from '@svc/store'
import { eachStore, fakeClock, type FakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { createToken, type PendingFlow, putState, takeState } from '../../src/flow/flow-store.ts'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { type ConnectorsServer, startConnectors } from '../support/connectors-server.ts'
import { beginAndAllow, errorCode, JSON_API, liveStates } from '../support/flow-steps.ts'

/** connectors.md 4.3, 11 */
describe('states', () => {
  eachStore((openStore) => {
    let server: ConnectorsServer
    let store: Store
    let clock: FakeClock
    let services: Parameters<typeof takeState>[0]

    beforeEach(async () => {
      clock = fakeClock()
      store = await openStore({ clock })
      server = await startConnectors({ store, clock })
      const { sealer, log } = server.oauth
      services = { store, sealer, clock, log, lifetimes: DEFAULT_LIFETIMES }
    })
    afterEach(() => server.close())

    const flowOf = (instance: InstanceId, createdAt = clock.now()): PendingFlow => ({
      v: 1,
      instance,
      accountType: 'bank',
      kind: 'create',
      clientState: '',
      nonce: '',
      slug: 'home',
      scope: '',
      redirectUri: 'https://a.example',
      createdAt,
    })

    async function put(instance: InstanceId, createdAt?: number): Promise<string> {
      const state = createToken()
      await putState(services, state, flowOf(instance, createdAt))
      return state
    }

    it('give back what was put, to one of many who ask at once', async () => {
      const { id } = server.alice
      const state = await put(id)
      const taken = await Promise.all(
        Array.from({ length: 20 }, () => takeState(services, state, () => true)),
      )
      expect(taken.filter(Boolean)).to.have.length(1)
      expect(taken.find(Boolean)).to.include({ instance: id, accountType: 'bank' })
    })

    it('are not taken for anything else', async () => {
      const state = await put(server.alice.id)
      for (const other of ['', state.slice(1), `${state}A`, createToken(), `${state}\n`]) {
        expect(await takeState(services, other, () => true)).to.equal(undefined)
      }
      expect(await takeState(services, state, () => true)).not.to.equal(undefined)
    })

    it('are at most 200 of an instance: the oldest go, those of others stay', async () => {
      const { alice, bob } = server
      const ofBob = await put(bob.id, 1)
      const start = clock.now()
      const all: string[] = []
      for (let at = 0; at < 150; at += 1) all.push(await put(alice.id, start + at))
      // Also when many come at once.
      const more = await Promise.all(
        Array.from({ length: 60 }, (_, at) => put(alice.id, start + 150 + at)),
      )
      all.push(...more)
      const taken = await Promise.all(all.map((state) => takeState(services, state, () => true)))
      expect(taken.filter(Boolean)).to.have.length(200)
      expect(taken.slice(0, 10).filter(Boolean)).to.deep.equal([])
      expect(await takeState(services, ofBob, () => true)).not.to.equal(undefined)
    })

    it('go with their instance', async () => {
      await server.putType()
      const browser = server.browser()
      const url = await beginAndAllow(browser)
      expect(await liveStates(server)).to.equal(1)
      await server.oauth.instances.remove(server.alice.id)
      expect(await liveStates(server)).to.equal(0)
      const bob = url.replace('alice.', 'bob.')
      expect(errorCode(await browser.get(bob, { headers: JSON_API }))).to.equal('bad_state')
    })
  })
})
