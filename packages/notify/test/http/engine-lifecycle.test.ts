import { HOUR_MS } from '@svc/platform'
import { eachStore, fakeClock, scaledLimit, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import { changePreferences } from '../../src/preferences/preference-store.ts'
import type { CategoryPreference } from '../../src/preferences/preferences.ts'
import type { NotificationStatus } from '../../src/outbox/notification.ts'
import { engineBenches } from '../support/engine-benches.ts'
import { scriptedChannel } from '../support/scripted-channel.ts'
import { until } from '../support/until.ts'

const NO_FLAGS = { collapsible: false, stateful: false, multiple: false, sensitive: false }
const COLLAPSIBLE = { ...NO_FLAGS, collapsible: true }

eachStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('life of a notification (notifications.md 8, 9, 11, 12)', () => {
    const start = engineBenches(open)

    describe('at (11)', () => {
      it('goes out at its time, never before, within a second', async () => {
        const mail = scriptedChannel('mail')
        const bench = await start({ channels: [mail] })
        const scheduledAt = Date.now() + scaledLimit(900)
        const id = await bench.post({ scheduledAt })
        expect((await bench.read(id)).status).to.equal('scheduled')
        const { sentAt = 0 } = await bench.becomes(id, 'sent')
        expect(mail.deliveries[0]?.at).to.be.at.least(scheduledAt)
        expect(sentAt - scheduledAt).to.be.within(0, scaledLimit(1000))
      })

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

      it('is asked of the owner’s preferences: muted, put off, gathered for a digest', async () => {
        const clock = fakeClock()
        const mail = scriptedChannel('mail')
        const minute = Math.floor(clock.now() / 60_000) * 60_000
        const quietUntil = minute + HOUR_MS
        const timeOf = (instant: number): string => new Date(instant).toISOString().slice(11, 16)
        const bench = await start({ channels: [mail, scriptedChannel('mobile')], clock })
        const categories: Record<string, CategoryPreference> = {
          muted: { off: ['mobile', 'sms', 'mail'] },
          gathered: { digest: `daily@${timeOf(quietUntil)}` },
          'mobile only': { off: ['mail'] },
        }
        await changePreferences(bench.oauth, bench.alice, () => ({
          quietHours: { start: timeOf(minute), end: timeOf(quietUntil) },
          sources: { 'io.svc.apps/bank': { categories } },
        }))
        const post = (title: string): Promise<string> =>
          bench.post({
            title,
            category: title,
            preferredChannels: ['mail', 'mobile'],
            // High priority passes quiet hours.
            ...(title === 'mobile only' && { priority: 'high' }),
          })
        const muted = await bench.becomes(await post('muted'), 'skipped')
        expect(muted.reason).to.equal('muted')
        const [quiet, gathered] = [await post('quiet'), await post('gathered')]
        const picky = await bench.becomes(await post('mobile only'), 'sent')
        expect(picky.channel).to.equal('mobile')
        const digestId = String(quietUntil)
        await until(async () => (await bench.read(gathered)).digestId === digestId)
        await until(async () => (await bench.read(quiet)).dueAt === quietUntil)
        expect(await bench.read(quiet)).to.include({ status: 'queued' })
        const { notifications } = await bench.outbox.listByDigest(bench.alice.id, digestId)
        expect(notifications.map(({ record }) => record.id)).to.deep.equal([gathered])
        clock.advance(HOUR_MS)
        await bench.becomes(quiet, 'sent')
        // Nobody sends the digest: it goes on alone.
        clock.advance(HOUR_MS)
        await bench.becomes(gathered, 'sent')
        expect(new Set(mail.titles())).to.deep.equal(new Set(['quiet', 'gathered']))
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

      it('leaves those alone that are not collapsible', async () => {
        const mail = scriptedChannel('mail')
        const bench = await start({ channels: [mail], isIdle: true })
        const ids = [await bench.post(), await bench.post()]
        await bench.engine.start()
        for (const id of ids) await bench.becomes(id, 'sent')
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

    it('shows every step to who watches the outbox: sending, queued, sent (12)', async () => {
      const mail = scriptedChannel('mail', (_, nth) => ({
        class: nth === 1 ? 'transient' : 'sent',
      }))
      const bench = await start({ channels: [mail] })
      const seen: NotificationStatus[] = []
      bench.outbox.onWritten(({ after }) => seen.push(after.record.status))
      await bench.becomes(await bench.post(), 'sent')
      expect(seen).to.deep.equal(['queued', 'sending', 'queued', 'sending', 'sent'])
    })
  })
})
