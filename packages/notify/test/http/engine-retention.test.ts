import { DAY_MS, HOUR_MS, type Instance } from '@svc/platform'
import { indexKey, secretKey, type Store } from '@svc/store'
import { anyStore, createGate, eachStore, fakeClock, type FakeClock } from '@svc/testkit'
import { expect } from 'chai'
import type { Background } from '../../src/engine/background.ts'
import { removeSource } from '../../src/engine/gone-sources.ts'
import { purgeInstance } from '../../src/engine/purge.ts'
import { createRetention, removeGoneSource } from '../../src/engine/retention.ts'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import type { NotificationRecord } from '../../src/outbox/notification.ts'
import { BANK, type BenchOptions, type EngineBench, startEngine } from '../support/engine-bench.ts'
import { closeServers, startNotify } from '../support/notify-server.ts'
import { scriptedChannel } from '../support/scripted-channel.ts'
import { until } from '../support/until.ts'

const MAX_KEPT = 150
const FLAGS = { collapsible: false, stateful: false, multiple: false, sensitive: false }

eachStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('what is kept of notifications (notifications.md 14)', () => {
    let clock: FakeClock
    let store: Store
    let bench: EngineBench
    let retention: Background
    let services: Parameters<typeof createRetention>[0]

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      bench = await startEngine({ store, clock, channels: [scriptedChannel('mail')] })
      const { log } = bench.oauth
      services = {
        oauth: bench.oauth,
        outbox: bench.outbox,
        store,
        clock,
        apps: {},
        log,
        lifetimes: DEFAULT_LIFETIMES,
      }
      retention = createRetention(services, MAX_KEPT)
      await retention.start()
    })
    afterEach(async () => {
      await retention.close()
      await bench.close()
    })

    const isThere = async (id: string): Promise<boolean> =>
      (await bench.outbox.get(bench.alice.id, id)) !== undefined
    const isErased = async (id: string): Promise<boolean> =>
      (await bench.read(id)).isErased === true
    /** A purge now, that of the hour or not. */
    const purge = (): Promise<void> => purgeInstance(services, bench.alice.id)
    async function sent(changes: Partial<NotificationRecord> = {}): Promise<string> {
      const id = await bench.post(changes)
      await bench.becomes(id, 'sent')
      return id
    }

    it('loses its bodies and data after 7 days, and goes after 90', async () => {
      const bodies = { content: 'plain', contentHtml: '<p>rich</p>', data: { secret: 1 } }
      const id = await sent({ ...bodies, message: 'short' })
      clock.advance(7 * DAY_MS - HOUR_MS)
      await purge()
      expect(await isErased(id)).to.equal(false)
      const young = await sent(bodies)
      clock.advance(2 * HOUR_MS)
      await until(() => isErased(id))
      const record = await bench.read(id)
      expect(record).to.include({ title: 'Hello', message: 'short', status: 'sent' })
      for (const name of ['content', 'contentHtml', 'data'] as const) {
        expect(record[name], name).to.equal(undefined)
      }
      expect(await bench.read(young)).to.deep.include(bodies)
      clock.advance(83 * DAY_MS - 2 * HOUR_MS)
      await purge()
      expect(await isThere(id)).to.equal(true)
      clock.advance(2 * HOUR_MS)
      await until(async () => !(await isThere(id)))
    })

    for (const kind of ['stateful', 'collapsible'] as const) {
      it(`stays a year as the newest of its ${kind} source, without bodies, and no older one does`, async () => {
        const source = { flags: { ...FLAGS, [kind]: true }, content: 'plain' }
        const older = await sent({ ...source, state: 'a' })
        const newest = await sent({ ...source, state: 'b' })
        // The newest of all, but no state to compare with: it does not take the other's place.
        const stale = await bench.post({
          ...source,
          status: 'failed',
          finishedAt: clock.now(),
          createdAt: clock.now() + 5,
        })
        clock.advance(8 * DAY_MS)
        await until(() => isErased(newest))
        clock.advance(84 * DAY_MS)
        await until(async () => !(await isThere(older)))
        await until(async () => (await bench.read(newest)).keptUntil !== undefined)
        expect(await isThere(newest)).to.equal(true)
        expect((await bench.read(newest)).content).to.equal(undefined)
        for (let week = 0; week < 38; week += 1) {
          clock.advance(7 * DAY_MS)
          await purge()
        }
        expect(await isThere(newest)).to.equal(true)
        clock.advance(10 * DAY_MS)
        await until(async () => !(await isThere(newest)))
        await until(async () => !(await isThere(stale)))
      })
    }

    it('goes after its 90 days when a newer one of its source came meanwhile', async () => {
      const source = { flags: { ...FLAGS, stateful: true } }
      const older = await sent({ ...source, state: 'a' })
      clock.advance(8 * DAY_MS)
      await until(() => isErased(older))
      clock.advance(85 * DAY_MS)
      await until(async () => (await bench.read(older)).keptUntil !== undefined)
      await purge()
      expect(await isThere(older)).to.equal(true)
      const newer = await sent({ ...source, state: 'b' })
      clock.advance(8 * DAY_MS)
      await until(async () => !(await isThere(older)))
      expect(await isThere(newer)).to.equal(true)
    })

    it('is purged in batches, however many there are', async () => {
      const now = clock.now()
      const ended = { status: 'sent', finishedAt: now, sentAt: now } as const
      const ids = await Promise.all(Array.from({ length: 130 }, () => bench.post(ended)))
      clock.advance(8 * DAY_MS)
      await until(async () => isErased(ids.at(-1) ?? ''))
      clock.advance(90 * DAY_MS)
      await until(async () => {
        const page = await bench.outbox.listAll(bench.alice.id)
        return page.notifications.length === 0
      })
    })

    it('goes before its time when there are too many: the oldest finished ones (operation.md 8.1)', async () => {
      const now = clock.now()
      const ended = (n: number) =>
        ({ status: 'sent', createdAt: now + n, finishedAt: now, sentAt: now }) as const
      const waiting = await bench.post({ scheduledAt: now + HOUR_MS })
      const ids: string[] = []
      for (let n = 1; n < MAX_KEPT; n += 1) ids.push(await bench.post(ended(n)))
      clock.advance(2000)
      const kept = async (): Promise<readonly string[]> => {
        const all: string[] = []
        for (let cursor: string | undefined; ; ) {
          const page = await bench.outbox.listAll(bench.alice.id, cursor ? { cursor } : {})
          all.push(...page.notifications.map(({ record }) => record.id))
          if (page.cursor === undefined) return all
          cursor = page.cursor
        }
      }
      // As many as there may be.
      expect(await kept()).to.have.members([waiting, ...ids])
      for (let n = 0; n < 60; n += 1) ids.push(await bench.post(ended(MAX_KEPT + n)))
      clock.advance(2000)
      await until(async () => (await kept()).length <= MAX_KEPT)
      const left = await kept()
      expect(left).to.include.members([waiting, ...ids.slice(-60)])
      expect(left).to.not.include(ids[0])
    })

    it('of a source that is gone is cancelled, then removed, and nothing of others', async () => {
      const done = await sent({ content: 'plain' })
      const waiting = await bench.post({ scheduledAt: clock.now() + HOUR_MS })
      const other = await bench.post({ owner: 'drive', scheduledAt: clock.now() + HOUR_MS })
      const seen: string[] = []
      bench.outbox.onWritten(({ after: { record } }) => seen.push(`${record.id} ${record.status}`))
      await removeGoneSource(services, bench.alice, { originator: 'app', owner: 'bank' })
      expect(await isThere(done)).to.equal(false)
      expect(await isThere(waiting)).to.equal(false)
      expect(seen).to.deep.equal([`${waiting} cancelled`])
      expect((await bench.read(other)).status).to.equal('scheduled')
    })

    it('goes when the core tells that its app was uninstalled, but not that it changed', async () => {
      const id = await sent()
      await bench.oauth.revoked(bench.alice, 'app', ['bank'])
      clock.advance(5000)
      const marker = await bench.post({ owner: 'drive', slug: 'drive' })
      await bench.becomes(marker, 'cancelled')
      expect(await isThere(id)).to.equal(true)
      bench.installed.delete(BANK.slug)
      try {
        await bench.oauth.revoked(bench.alice, 'app', ['bank'])
        await until(async () => !(await isThere(id)))
      } finally {
        bench.installed.set(BANK.slug, BANK)
      }
    })

    it('goes with its instance, whatever its state', async () => {
      bench.oauth.instances.onRemove(({ id }) => bench.outbox.removeAll(id))
      const { alice } = bench
      await sent({ content: 'plain' })
      await bench.post({ scheduledAt: clock.now() + HOUR_MS, contentHtml: '<p>' })
      for (let place = 0; place < 70; place += 1) {
        await bench.post({ status: 'failed', finishedAt: clock.now() })
      }
      await bench.oauth.instances.remove(alice.id)
      expect((await bench.outbox.listAll(alice.id)).notifications).to.deep.equal([])
      expect(await bench.outbox.nextDue(alice.id, 'mail')).to.equal(undefined)
    })
  })
})

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
