import { DAY_MS } from '@svc/platform'
import { createGate, anyStore, fakeClock, scaledLimit, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import { purgeInstance } from '../../src/engine/purge.ts'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { engineBenches } from '../support/engine-benches.ts'
import { outageOf } from '../support/outage.ts'
import { scriptedChannel } from '../support/scripted-channel.ts'
import { until } from '../support/until.ts'

const NO_FLAGS = { collapsible: false, stateful: false, multiple: false, sensitive: false }
const COLLAPSIBLE = { ...NO_FLAGS, collapsible: true }
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

    it('are held without a gap for as long as a channel works (D39, 12.3)', async () => {
      const sending = createGate()
      const mail = scriptedChannel('mail', async () => {
        await sending.pass()
        return { class: 'sent' }
      })
      const lease = scaledLimit(750)
      const lifetimes = { lease, attempt: timeBudget(10_000) }
      const bench = await start({ channels: [mail], lifetimes })
      const id = await bench.post()
      await sending.arrived(1)
      const end = Date.now() + 4 * lease
      await until(async () => {
        const { lease: held } = await bench.read(id)
        expect(held?.until).to.be.greaterThan(Date.now())
        return Date.now() > end
      })
      sending.open()
      await bench.becomes(id, 'sent')
      expect(mail.deliveries).to.have.length(1)
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
