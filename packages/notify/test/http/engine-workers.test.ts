import { setTimeout as sleep } from 'node:timers/promises'
import { createRateLimits, type Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import { createGate, eachStore, fakeClock, scaledLimit, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import { acquireLease } from '../../src/engine/lease.ts'
import { createQuotas } from '../../src/channels/delivery-quotas.ts'
import type { NotificationRecord } from '../../src/outbox/notification.ts'
import type { EngineBench } from '../support/engine-bench.ts'
import { engineBenches } from '../support/engine-benches.ts'
import { scriptedChannel } from '../support/scripted-channel.ts'
import { until } from '../support/until.ts'
import { watchedStore } from '../support/watched-store.ts'

eachStore((open, storeName) => {
  // Inside: what a test started ends before its store does.
  describe('workers of notifications (notifications.md 12, 13)', () => {
    const start = engineBenches(open)

    /** As a worker leaves it that was killed in the middle of an attempt. */
    async function crash(
      bench: EngineBench,
      changes: Partial<NotificationRecord> = {},
    ): Promise<string> {
      const until = Date.now() - 1
      return bench.post({
        status: 'sending',
        dueAt: until,
        lease: { token: 'of a dead worker', until },
        progress: { mail: { tries: 0, isDone: false } },
        ...changes,
      })
    }

    describe('leases', () => {
      it('are renewed while a channel works, so that nobody else takes it (D39, rule 3)', async () => {
        const sending = createGate()
        const mail = scriptedChannel('mail', async () => {
          await sending.pass()
          return { class: 'sent' }
        })
        // Short, yet nothing that a slow machine lets pass; the attempt takes longer.
        const lifetimes = { lease: scaledLimit(300), attempt: timeBudget(10_000) }
        const bench = await start({ channels: [mail], lifetimes })
        const id = await bench.post()
        await sending.arrived(1)
        const first = (await bench.read(id)).lease
        const longAfter = (first?.until ?? 0) + 4 * lifetimes.lease
        await until(async () => {
          const { lease } = await bench.read(id)
          // Held without a gap.
          expect(lease?.token).to.equal(first?.token)
          expect(lease?.until).to.be.greaterThan(Date.now())
          return (lease?.until ?? 0) > longAfter
        })
        sending.open()
        await bench.becomes(id, 'sent')
        expect(mail.deliveries).to.have.length(1)
      })

      it('are given back between attempts (D39)', async () => {
        const mail = scriptedChannel('mail', (_, nth) => ({
          class: nth === 1 ? 'transient' : 'sent',
        }))
        const clock = fakeClock()
        const bench = await start({ channels: [mail], clock, channelDelays: [900_000] })
        const id = await bench.post()
        await bench.becomes(id, 'queued')
        await until(async () => (await bench.read(id)).attempts.length === 1)
        const waiting = await bench.read(id)
        expect(waiting.lease).to.equal(undefined)
        expect(waiting.dueAt).to.be.above(clock.now())
        clock.advance(2 * 900_000)
        await bench.becomes(id, 'sent')
      })

      it('do not keep the owner’s marks out: what happens to both is kept', async () => {
        const sending = createGate()
        const mail = scriptedChannel('mail', async () => {
          await sending.pass()
          return { class: 'sent' }
        })
        const bench = await start({ channels: [mail] })
        const id = await bench.post()
        await sending.arrived(1)
        const stored = await bench.outbox.get(bench.alice.id, id)
        if (stored === undefined) throw new Error('it was there a moment ago')
        const marked = await bench.outbox.update(stored, { ...stored.record, readAt: 5 })
        expect(marked).to.not.equal(undefined)
        sending.open()
        expect((await bench.becomes(id, 'sent')).readAt).to.equal(5)
      })

      it('end when it is withdrawn: the attempt is told to stop, and nothing overwrites that', async () => {
        let isStopped = false
        const mail = scriptedChannel('mail', ({ signal }) => {
          return new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              isStopped = true
              resolve({ class: 'transient' })
            })
          })
        })
        const bench = await start({ channels: [mail], lifetimes: { lease: scaledLimit(300) } })
        const id = await bench.post()
        await until(() => mail.deliveries.length === 1)
        const stored = await bench.outbox.get(bench.alice.id, id)
        if (stored === undefined) throw new Error('it was there a moment ago')
        const { lease: _lease, ...record } = stored.record
        const cancelled = { ...record, status: 'cancelled', finishedAt: Date.now() } as const
        expect(await bench.outbox.update(stored, cancelled)).to.not.equal(undefined)
        await until(() => isStopped)
        expect((await bench.read(id)).status).to.equal('cancelled')
        expect((await bench.read(id)).attempts).to.have.length(0)
      })
    })

    describe('what a dead worker left', () => {
      it('is taken up again, its attempt counted (rule 2)', async () => {
        const mail = scriptedChannel('mail')
        const bench = await start({ channels: [mail] })
        const record = await bench.becomes(await crash(bench), 'sent')
        expect(record.crashes).to.equal(1)
        expect(record.attempts.map(({ class: result, code }) => [result, code])).to.deep.equal([
          ['transient', 'crashed'],
          ['sent', undefined],
        ])
      })

      it('fails when it took a worker with it three times (rule 7)', async () => {
        const mail = scriptedChannel('mail')
        const bench = await start({ channels: [mail] })
        await bench.becomes(await crash(bench, { crashes: 1 }), 'sent')
        const record = await bench.becomes(await crash(bench, { crashes: 2 }), 'failed')
        expect(record).to.include({ reason: 'poison', crashes: 3 })
        expect(mail.deliveries).to.have.length(1)
      })

      it('is tried with nothing else beside it, so that nobody shares its fate', async () => {
        let [underWay, most] = [0, 0]
        const beside: number[] = []
        const mail = scriptedChannel('mail', async ({ record }) => {
          underWay += 1
          most = Math.max(most, underWay)
          if (record.crashes > 0) beside.push(underWay)
          await sleep(20)
          if (record.crashes > 0) beside.push(underWay)
          underWay -= 1
          return { class: 'sent' }
        })
        const bench = await start({ channels: [mail], isIdle: true })
        const others = ['bob', 'carol', 'dave']
        const instances = [bench.alice]
        for (const name of others) instances.push(await bench.instance(name))
        const posted: [string, Instance][] = []
        for (const instance of instances) {
          for (let place = 0; place < 6; place += 1) {
            posted.push([await bench.post({}, instance), instance])
          }
        }
        const suspects = [await crash(bench), await crash(bench)]
        await bench.engine.start()
        for (const id of suspects) await bench.becomes(id, 'sent')
        for (const [id, instance] of posted) await bench.becomes(id, 'sent', instance)
        expect(beside).to.deep.equal([1, 1, 1, 1])
        expect(most).to.be.above(1)
      })

      it('keeps the follow-up of one that was sent from being poison for it', async () => {
        const bench = await start({ channels: [scriptedChannel('mobile')] })
        const id = await crash(bench, {
          status: 'sent',
          sentAt: 1,
          finishedAt: 1,
          hasFollowUp: true,
          crashes: 2,
          preferredChannels: ['mobile'],
          progress: { mobile: { tries: 1, isDone: false } },
        })
        await until(async () => (await bench.read(id)).hasFollowUp === undefined)
        const record = await bench.read(id)
        expect(record.status).to.equal('sent')
        expect(record.reason).to.equal(undefined)
      })
    })

    it('works on 8 at a time, on 2 of one instance, and lets no instance starve (rule 5)', async () => {
      const underWay = new Map<string, number>()
      let [total, most, mostOfOne] = [0, 0, 0]
      const order: string[] = []
      const gate = createGate()
      const mail = scriptedChannel('mail', async ({ instance }) => {
        const ofOne = (underWay.get(instance.domain) ?? 0) + 1
        underWay.set(instance.domain, ofOne)
        total += 1
        most = Math.max(most, total)
        mostOfOne = Math.max(mostOfOne, ofOne)
        order.push(instance.domain)
        // As many as may work at a time wait for each other; those to come find the gate open.
        if (total === 8) gate.open()
        await gate.pass()
        underWay.set(instance.domain, (underWay.get(instance.domain) ?? 0) - 1)
        total -= 1
        return { class: 'sent' }
      })
      const bench = await start({ channels: [mail], isIdle: true })
      for (let place = 0; place < 60; place += 1) await bench.post()
      const small: [string, Instance][] = []
      for (const name of ['bob', 'carol', 'dave', 'erin', 'frank']) {
        const instance = await bench.instance(name)
        for (let place = 0; place < 4; place += 1) {
          small.push([await bench.post({}, instance), instance])
        }
      }
      await bench.engine.start()
      for (const [id, instance] of small) await bench.becomes(id, 'sent', instance)
      await until(() => order.length === 80)
      expect(most).to.equal(8)
      expect(mostOfOne).to.equal(2)
      // 20 of the small ones: with turns going round, few of the flood come before the last of them.
      const last = order.findLastIndex((domain) => domain !== 'alice.example.com')
      expect(last).to.be.below(60)
    })

    it('goes on with others while one fails again and again (rule 4)', async () => {
      const mail = scriptedChannel('mail', ({ record }) => ({
        class: record.title === 'bad' ? 'transient' : 'sent',
      }))
      const bench = await start({
        channels: [mail],
        concurrency: { total: 1, perInstance: 1 },
        channelDelays: [1, 1, 1],
        roundDelays: [1, 1, 1, 1, 1],
      })
      const bad = await bench.post({ title: 'bad' })
      const good = []
      for (let place = 0; place < 10; place += 1) good.push(await bench.post({ title: 'good' }))
      for (const id of good) await bench.becomes(id, 'sent')
      await bench.becomes(bad, 'failed')
    })

    it('does not turn in circles over what its rules cannot judge, and comes back to it', async () => {
      const clock = fakeClock()
      const real = await open({ clock })
      let asked = 0
      const get: Store['get'] = (key) => {
        if (!key.includes('notification-preferences')) return real.get(key)
        asked += 1
        if (asked === 1) throw new Error('the preferences cannot be read')
        return real.get(key)
      }
      const mail = scriptedChannel('mail')
      const bench = await start({
        channels: [mail],
        clock,
        store: watchedStore(real, { get }),
      })
      const id = await bench.post()
      await until(() => asked === 1)
      // A circle would turn while these go out, one after the other.
      for (let place = 0; place < 5; place += 1) {
        await bench.becomes(await bench.post({ title: 'later' }), 'sent')
      }
      // Once for each of them, and once or twice for the first.
      expect(asked).to.be.at.most(7)
      clock.advance(60_000)
      await bench.becomes(id, 'sent')
    })

    describe('the end of the server (rule 6)', () => {
      it('waits for attempts under way', async () => {
        const gate = createGate()
        const mail = scriptedChannel('mail', async () => {
          await gate.pass()
          return { class: 'sent' }
        })
        const bench = await start({ channels: [mail], lifetimes: { shutdown: timeBudget(1000) } })
        const id = await bench.post()
        await gate.arrived(1)
        const closing = bench.engine.close()
        gate.open()
        await closing
        expect((await bench.read(id)).status).to.equal('sent')
      })

      it('gives back what does not end in time, uncounted, and takes on nothing more', async () => {
        const mail = scriptedChannel('mail', ({ signal }) => {
          return new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve({ class: 'transient' }))
          })
        })
        const store = await open()
        const bench = await start({ store, channels: [mail], lifetimes: { shutdown: 500 } })
        const ids = [await bench.post(), await bench.post(), await bench.post()]
        await until(() => mail.deliveries.length === 2)
        const before = performance.now()
        await bench.engine.close()
        expect(performance.now() - before).to.be.below(timeBudget(2500))
        for (const id of ids) {
          const record = await bench.read(id)
          expect(record).to.include({ status: 'queued', crashes: 0 })
          expect(record.lease).to.equal(undefined)
          expect(record.attempts).to.have.length(0)
        }
        expect(mail.deliveries).to.have.length(2)
        // The next start finds all of them, and soon.
        const next = await start({ store, channels: [scriptedChannel('mail')], sameAs: bench })
        for (const id of ids) await next.becomes(id, 'sent')
      })
    })

    describe('quotas of channels (13)', () => {
      const limits = {
        'notify-mail': { limit: 3, windowMs: 3_600_000 },
        'notify-host': { limit: 9, windowMs: 1000 },
        'notify-push': { limit: 1, windowMs: 3_600_000 },
        'notify-sms': { limit: 1, windowMs: 3_600_000 },
      }

      it('of mails hold back what is over them until there is room, and count what went out', async () => {
        const clock = fakeClock()
        const store = await open({ clock })
        const quotas = createQuotas({ store, clock, limits })
        const mail = scriptedChannel('mail', (_, nth) =>
          nth === 1 ? { class: 'transient' } : { class: 'sent' },
        )
        const bench = await start({
          store,
          clock,
          channels: [mail],
          quotas: { mail: quotas['notify-mail'] },
          channelDelays: [10],
          roundDelays: [2 * 3_600_000],
        })
        const ids: string[] = []
        for (let place = 0; place < 5; place += 1) ids.push(await bench.post())
        const statuses = async (): Promise<readonly string[]> =>
          Promise.all(ids.map(async (id) => (await bench.read(id)).status))
        await until(
          async () => (await statuses()).filter((status) => status === 'sent').length === 3,
        )
        // Those that failed at first did not count; security mails have another way altogether.
        const counters = createRateLimits({
          store,
          clock,
          limits,
          tooMany: () => new Error('spent'),
        })
        await until(async () => (await counters.count(bench.alice, 'notify-mail')) === 3)
        const rounds = async (): Promise<readonly number[]> =>
          Promise.all(ids.map(async (id) => (await bench.read(id)).round))
        await until(async () => (await rounds()).filter((round) => round === 1).length === 2)
        clock.advance(2 * 3_600_000 + 1000)
        await until(
          async () => (await statuses()).filter((status) => status === 'sent').length === 5,
        )
      })

      it('are never exceeded by parallel takers, nor used up by those that were refused', async () => {
        const store = await open()
        const bench = await start({ store, channels: [] })
        const quota = createQuotas({ store, clock: { now: () => Date.now() }, limits })[
          'notify-mail'
        ]
        const taken = await Promise.all(Array.from({ length: 20 }, () => quota.take(bench.alice)))
        expect(taken.filter((isTaken) => isTaken)).to.have.length(3)
        await quota.giveBack(bench.alice)
        expect(await quota.take(bench.alice)).to.equal(true)
        expect(await quota.take(bench.alice)).to.equal(false)
      })
    })

    if (storeName === 'Redis') {
      it('of two processes never send one twice, and share the work (rule 3)', async () => {
        const [here, there] = [scriptedChannel('mail'), scriptedChannel('mail')]
        const pause = async (): Promise<{ class: 'sent' }> => {
          await sleep(5)
          return { class: 'sent' }
        }
        here.script = pause
        there.script = pause
        const store = await open()
        const concurrency = { total: 4, perInstance: 4 }
        const one = await start({ store, channels: [here], concurrency })
        const two = await start({
          store: await open({ sameAs: store }),
          channels: [there],
          concurrency,
          sameAs: one,
        })
        const ids: string[] = []
        for (let round = 0; round < 10; round += 1) {
          const posts = Array.from({ length: 20 }, (_, place) =>
            (place % 2 === 0 ? one : two).post(),
          )
          ids.push(...(await Promise.all(posts)))
        }
        for (const id of ids) await one.becomes(id, 'sent')
        const sent = [...here.deliveries, ...there.deliveries].map(({ record }) => record.id)
        expect(sent).to.have.length(200)
        expect(new Set(sent).size).to.equal(200)
        expect(here.deliveries.length).to.be.above(0)
        expect(there.deliveries.length).to.be.above(0)
      })
    }

    it('of any number that find the same one exactly one takes it', async () => {
      const store = await open()
      const mail = scriptedChannel('mail')
      const first = await start({ store, channels: [mail], isIdle: true })
      const id = await first.post()
      const stored = await first.outbox.get(first.alice.id, id)
      if (stored === undefined) throw new Error('it was just accepted')
      const leases = await Promise.all(
        Array.from({ length: 20 }, () =>
          acquireLease(stored, stored.record, {
            outbox: first.outbox,
            clock: first.oauth.clock,
            leaseMs: 60_000,
            onRenewalFailed: () => {},
          }),
        ),
      )
      for (const lease of leases) lease?.end()
      expect(leases.filter((lease) => lease !== undefined)).to.have.length(1)
    })
  })
})
