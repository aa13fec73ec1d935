import type { Instance } from '@svc/platform'
import { indexKey, secretKey, type Store } from '@svc/store'
import { createGate, anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { removeSource } from '../../src/engine/gone-sources.ts'
import { createRetention } from '../../src/engine/retention.ts'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { type BenchOptions, type EngineBench, startEngine } from '../support/engine-bench.ts'
import { closeServers, startNotify } from '../support/notify-server.ts'
import { scriptedChannel } from '../support/scripted-channel.ts'
import { until } from '../support/until.ts'

anyStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('notifications whose source or instance is removed (notifications.md 14, 17)', () => {
    const benches: EngineBench[] = []
    async function start(options: Omit<BenchOptions, 'store'> & { store?: Store }) {
      const bench = await startEngine({ ...options, store: options.store ?? (await open()) })
      benches.push(bench)
      return bench
    }
    afterEach(async () => {
      for (const bench of benches.splice(0)) await bench.close()
      await closeServers()
    })
    const left = async (store: Pick<Store, 'list'>, { id }: Instance) =>
      (await store.list(indexKey(id, 'notifications'))).records

    for (const what of ['source', 'instance'] as const) {
      it(`leave nothing behind when the ${what} goes while one is being sent`, async () => {
        const sending = createGate()
        const mail = scriptedChannel('mail', async () => {
          await sending.pass()
          return { class: 'sent' }
        })
        const { outbox, oauth, alice, ...bench } = await start({ channels: [mail] })
        await bench.post()
        await sending.arrived(1)
        const source = { originator: 'app', owner: 'bank' }
        if (what === 'instance') await outbox.removeAll(alice.id)
        else await removeSource({ outbox, clock: oauth.clock }, alice.id, source)
        sending.open()
        await until(() => bench.logged.some((line) => line.includes('notification.sent')))
        await bench.engine.close()
        expect(await left(oauth.store, alice)).to.deep.equal([])
      })
    }

    it('are not tried for ever when they came while their instance went', async () => {
      const mail = scriptedChannel('mail')
      const { outbox, oauth, alice, ...bench } = await start({ channels: [mail] })
      await oauth.instances.remove(alice.id)
      await until(async () => (await oauth.instances.byId(alice.id)) === undefined)
      const id = await bench.post()
      await bench.becomes(id, 'cancelled')
      expect(mail.deliveries).to.have.length(0)
      const { clock, log, store } = oauth
      const lifetimes = DEFAULT_LIFETIMES
      const retention = createRetention(
        { oauth, outbox, store, clock, log, apps: {}, lifetimes },
        10_000,
      )
      await retention.start()
      try {
        // The first purge finds nobody that they could be kept for.
        await oauth.store.scheduler.at('notifications-purge', alice.id, oauth.clock.now())
        await until(async () => (await left(oauth.store, alice)).length === 0)
      } finally {
        await retention.close()
      }
    })

    it('leave nothing of idempotency keys', async () => {
      const server = await startNotify({ store: (clock) => open({ clock }), isIdle: true })
      const { instance, oauth } = server
      const headers = { ...(await server.app('bank')), 'idempotency-key': 'one' }
      const json = { data: { attributes: { category: 'bills', title: 'Secret' } } }
      await server.send('POST', '/notifications', { headers, json })
      await oauth.instances.remove(instance.id)
      const answer = JSON.stringify(['app:bank', 'one'])
      const key = secretKey(instance.id, 'notification-answer', answer)
      expect(await server.store.get(key)).to.equal(undefined)
    })
  })
})
