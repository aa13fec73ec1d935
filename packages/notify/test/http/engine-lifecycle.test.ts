import { DAY_MS, HOUR_MS } from '@svc/platform'
import { anyStore, createGate, eachStore, fakeClock, scaledLimit, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import { purgeInstance } from '../../src/engine/purge.ts'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { engineBenches } from '../support/engine-benches.ts'
import { outageOf } from '../support/outage.ts'
import { scriptedChannel } from '../support/scripted-channel.ts'
import { until } from '../support/until.ts'

const NO_FLAGS = { collapsible: false, stateful: false, multiple: false, sensitive: false }
const COLLAPSIBLE = { ...NO_FLAGS, collapsible: true }

eachStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('life of a notification (notifications.md 8, 9, 11, 12)', () => {
    const start = engineBenches(open)

    describe('at (11)', () => {
      it('goes out hours later at its time, from the store alone', async () => {
        const clock = fakeClock()
        const mail = scriptedChannel('mail')
        const bench = await start({ channels: [mail], clock })
        const scheduledAt = clock.now() + 30 * HOUR_MS
        const id = await bench.post({ scheduledAt })
        const sooner = await bench.post({ scheduledAt: clock.now() + 29 * HOUR_MS })
        clock.advance(29 * HOUR_MS)
        // What is due by then shows that nothing else is.
        await bench.becomes(sooner, 'sent')
        expect((await bench.read(id)).status).to.equal('scheduled')
        expect(mail.deliveries).to.have.length(1)
        clock.advance(HOUR_MS)
        const { sentAt = 0 } = await bench.becomes(id, 'sent')
        expect(sentAt).to.be.at.least(scheduledAt)
      })

      it('goes out after a restart, however late', async () => {
        const clock = fakeClock()
        const mail = scriptedChannel('mail')
        const store = await open({ clock })
        const first = await start({ store, channels: [mail], clock, isIdle: true })
        const id = await first.post({ scheduledAt: clock.now() + HOUR_MS })
        await first.engine.close()
        clock.advance(40 * HOUR_MS)
        const second = await start({ store, channels: [mail], clock, sameAs: first })
        await second.becomes(id, 'sent')
      })
    })

    describe('before each attempt (11)', () => {
      it('is cancelled when the app that posted is gone', async () => {
        const clock = fakeClock()
        const mail = scriptedChannel('mail')
        const bench = await start({ channels: [mail], clock })
        const id = await bench.post({ scheduledAt: clock.now() + HOUR_MS })
        bench.installed.delete('bank')
        clock.advance(HOUR_MS)
        const record = await bench.becomes(id, 'cancelled')
        expect(record.reason).to.equal('source_gone')
        expect(mail.deliveries).to.have.length(0)
      })

      it('is cancelled when the client that posted is gone', async () => {
        const bench = await start({ channels: [scriptedChannel('mail')] })
        const id = await bench.post({ originator: 'oauth', owner: 'nobody', clientId: 'nobody' })
        expect((await bench.becomes(id, 'cancelled')).reason).to.equal('source_gone')
      })

      it('is cancelled when the konnector that posted is gone, and sent while it is there', async () => {
        const konnectors = new Set(['bills'])
        const bench = await start({
          channels: [scriptedChannel('mail')],
          apps: {
            konnector: async (_, slug) =>
              konnectors.has(slug) ? { slug, permissions: {} } : undefined,
          },
        })
        const poster = { originator: 'konnector', owner: 'bills', slug: 'bills' } as const
        await bench.becomes(await bench.post(poster), 'sent')
        konnectors.clear()
        await bench.becomes(await bench.post(poster), 'cancelled')
      })

      it('waits while the instance is blocked', async () => {
        const clock = fakeClock()
        const mail = scriptedChannel('mail')
        const bench = await start({ channels: [mail], clock })
        await bench.oauth.instances.update(bench.alice.id, { status: 'blocked' })
        const id = await bench.post()
        await until(async () => (await bench.read(id)).dueAt > clock.now() + 60_000)
        expect(mail.deliveries).to.have.length(0)
        await bench.oauth.instances.update(bench.alice.id, { status: 'active' })
        clock.advance(20 * 60_000)
        await bench.becomes(id, 'sent')
      })

      it('expires when its time to live is over before it was delivered (12)', async () => {
        const mail = scriptedChannel('mail', () => ({ class: 'transient' }))
        const bench = await start({ channels: [mail], channelDelays: [100], roundDelays: [60_000] })
        const id = await bench.post({ flags: { ...NO_FLAGS, ttlMs: 700 } })
        const { finishedAt = 0, createdAt } = await bench.becomes(id, 'expired')
        expect(finishedAt - createdAt).to.be.within(700, timeBudget(3000))
      })
    })

    describe('collapsing of undelivered ones (8)', () => {
      it('lets the last one of its source that is due go out alone', async () => {
        const mail = scriptedChannel('mail')
        const bench = await start({ channels: [mail], isIdle: true })
        const now = Date.now()
        const ids: string[] = []
        for (const [place, title] of ['one', 'two', 'three'].entries()) {
          ids.push(await bench.post({ title, flags: COLLAPSIBLE, createdAt: now - 30 + place }))
        }
        const other = await bench.post({ flags: COLLAPSIBLE, sourceId: 'svc/app/bank/other/' })
        await bench.engine.start()
        await bench.becomes(other, 'sent')
        await bench.becomes(ids[2] ?? '', 'sent')
        await bench.becomes(ids[1] ?? '', 'collapsed')
        await bench.becomes(ids[0] ?? '', 'collapsed')
        expect(mail.titles()).to.include('three').and.not.include('one').and.not.include('two')
      })

      it('does not give way to one that is due later, nor does that one to a newer one', async () => {
        const clock = fakeClock()
        const mail = scriptedChannel('mail')
        const bench = await start({ channels: [mail], clock })
        const later = await bench.post({
          title: 'later',
          flags: COLLAPSIBLE,
          scheduledAt: clock.now() + HOUR_MS,
        })
        const now = await bench.post({ title: 'now', flags: COLLAPSIBLE })
        await bench.becomes(now, 'sent')
        clock.advance(HOUR_MS)
        await bench.becomes(later, 'sent')
        expect(mail.titles()).to.deep.equal(['now', 'later'])
      })

      it('does not give way to one that failed, was cancelled or skipped', async () => {
        for (const status of ['failed', 'cancelled', 'skipped'] as const) {
          const bench = await start({ channels: [scriptedChannel('mail')], isIdle: true })
          const now = Date.now()
          const id = await bench.post({ flags: COLLAPSIBLE, createdAt: now - 20 })
          const ended = { status, finishedAt: now, createdAt: now - 10 }
          await bench.post({ flags: COLLAPSIBLE, ...ended })
          await bench.engine.start()
          await bench.becomes(id, 'sent')
        }
      })
    })

    it('sends those of high priority before others that are due (9)', async () => {
      const mail = scriptedChannel('mail')
      const concurrency = { total: 1, perInstance: 1 }
      const bench = await start({ channels: [mail], isIdle: true, concurrency })
      for (let place = 0; place < 20; place += 1) await bench.post({ title: 'normal' })
      const ids = [await bench.post({ title: 'high', priority: 'high' }), await bench.post()]
      await bench.engine.start()
      for (const id of ids) await bench.becomes(id, 'sent')
      expect(mail.titles()[0]).to.equal('high')
    })
  })
})

const STATEFUL = { ...NO_FLAGS, stateful: true }

anyStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('notifications in bad weather (notifications.md 8, 12, 14)', () => {
    const start = engineBenches(open)

    it('are taken up again after the store was away for longer than a lease', async () => {
      const outage = outageOf(await open())
      const sending = createGate()
      const mail = scriptedChannel('mail', async (_, nth) => {
        if (nth === 1) await sending.pass()
        return { class: 'sent' }
      })
      const bench = await start({
        store: outage.store,
        channels: [mail],
        lifetimes: { lease: scaledLimit(500) },
      })
      const id = await bench.post()
      await sending.arrived(1)
      const { lease } = await bench.read(id)
      outage.begin()
      sending.open()
      // The worker gives it up when its lease is over.
      await until(() => Date.now() > (lease?.until ?? 0) + scaledLimit(1000))
      outage.end()
      await bench.becomes(id, 'sent')
      expect(mail.deliveries.length, 'at least once (12 rule 1), not for ever').to.equal(2)
    }).timeout(20_000)

    it('are not lost to an older one of their source when the clock goes back a little', async () => {
      const clock = fakeClock()
      const mail = scriptedChannel('mail')
      const bench = await start({ clock, channels: [mail] })
      const old = await bench.post({ flags: COLLAPSIBLE, title: 'old' })
      await bench.becomes(old, 'sent')
      // As the intake writes it when it followed one of a process whose clock is ahead: due now, made later.
      const now = clock.now()
      const id = await bench.post({
        flags: COLLAPSIBLE,
        title: 'new',
        status: 'queued',
        createdAt: now + 30_000,
        scheduledAt: now + 30_000,
        dueAt: now,
      })
      await bench.becomes(id, 'sent')
      expect(mail.titles()).to.deep.equal(['old', 'new'])
    })

    it('keep the last state that was sent for a year, whatever was skipped after it', async () => {
      const clock = fakeClock()
      const { outbox, alice, ...bench } = await start({ clock, channels: [], isIdle: true })
      const common = { flags: STATEFUL, state: 'low' }
      const createdAt = clock.now()
      const sent = await bench.post({
        ...common,
        createdAt,
        scheduledAt: createdAt,
        status: 'sent',
        sentAt: createdAt,
        finishedAt: createdAt,
      })
      const later = createdAt + 1000
      const skipped = await bench.post({
        ...common,
        state: 'high',
        createdAt: later,
        scheduledAt: later,
        status: 'skipped',
        reason: 'min_interval',
        finishedAt: later,
      })
      const { log } = bench.oauth
      const services = { outbox, clock, lifetimes: DEFAULT_LIFETIMES, log }
      for (const days of [8, 83, 8]) {
        clock.advance(days * DAY_MS)
        await purgeInstance(services, alice.id)
      }
      expect((await outbox.get(alice.id, sent))?.record.state).to.equal('low')
      expect(await outbox.get(alice.id, skipped), 'the newest').to.not.equal(undefined)
    })
  })
})
