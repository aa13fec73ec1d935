import { HOUR_MS } from '@svc/platform'
import { recordKey, type Store } from '@svc/store'
import { eachStore, fakeClock, type FakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { settleItem } from '../../src/engine/digests.ts'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { createOutbox } from '../../src/outbox/outbox.ts'
import type { NotificationRecord, StoredNotification } from '../../src/outbox/notification.ts'
import { QUEUE } from '../../src/outbox/wake-ups.ts'
import { type EngineBench, startEngine } from '../support/engine-bench.ts'
import { until } from '../support/until.ts'

const FLAGS = { collapsible: false, stateful: false, multiple: false, sensitive: false }

eachStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('the outbox (notifications.md 20)', () => {
    let clock: FakeClock
    let store: Store
    let bench: EngineBench

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      bench = await startEngine({ store, clock, channels: [], isIdle: true })
    })
    afterEach(() => bench.close())

    async function stored(id: string): Promise<StoredNotification> {
      const found = await bench.outbox.get(bench.alice.id, id)
      if (found === undefined) throw new Error(`no notification ${id}`)
      return found
    }
    const titles = (found: readonly StoredNotification[]): readonly string[] =>
      found.map(({ record }) => record.title)
    const post = (title: string, changes: Partial<NotificationRecord> = {}): Promise<string> =>
      bench.post({ title, ...changes })

    it('takes a notification and what joins its write, or neither', async () => {
      const key = recordKey(bench.alice.id, 'other', 'one')
      const { record } = await stored(await post('first'))
      const also = { op: 'put', key, value: 1, ifAbsent: true } as const
      const other = { ...record, id: `${record.id.slice(0, -1)}x` }
      expect(await bench.outbox.insert(bench.alice.id, other, [also])).to.equal(true)
      const third = { ...record, id: `${record.id.slice(0, -1)}y` }
      expect(await bench.outbox.insert(bench.alice.id, third, [also])).to.equal(false)
      expect(await bench.outbox.get(bench.alice.id, third.id)).to.equal(undefined)
      // Nor one whose id is taken.
      expect(await bench.outbox.insert(bench.alice.id, record)).to.equal(false)
    })

    it('lets one of 20 parallel writers change a notification, and counts its versions', async () => {
      const before = await stored(await post('one'))
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, place) =>
          bench.outbox.update(before, { ...before.record, title: `writer ${place}` }),
        ),
      )
      const winners = results.filter((result) => result !== undefined)
      expect(winners).to.have.length(1)
      expect((await stored(before.record.id)).record).to.include({
        title: winners[0]?.record.title,
        version: 2,
      })
    })

    it('keeps bodies apart: whole when one is read, absent from pages, untouched by changes', async () => {
      const bodies = { content: 'plain', contentHtml: '<p>rich</p>' }
      const id = await post('one', bodies)
      const page = await bench.outbox.listAll(bench.alice.id)
      expect(page.notifications[0]?.record).to.not.have.any.keys('content', 'contentHtml')
      const [light] = page.notifications
      if (light === undefined) throw new Error('it was just listed')
      await bench.outbox.update(light, { ...light.record, title: 'two' })
      expect((await stored(id)).record).to.include({ title: 'two', ...bodies })
      const before = await stored(id)
      const { content: _content, contentHtml: _contentHtml, ...rest } = before.record
      await bench.outbox.update(before, { ...rest, isErased: true })
      expect((await stored(id)).record).to.not.have.any.keys('content', 'contentHtml')
    })

    it('lists what is due, oldest first, those of high priority apart', async () => {
      const now = clock.now()
      await post('b', { createdAt: now - 10 })
      await post('a', { createdAt: now - 20 })
      await post('later', { scheduledAt: now + HOUR_MS })
      await post('high', { priority: 'high', createdAt: now - 5 })
      await post('over', { status: 'failed', finishedAt: now })
      const due = (isHigh: boolean) =>
        bench.outbox.listDue(bench.alice.id, now, { isHigh, channel: 'mail' })
      expect(titles(await due(false))).to.deep.equal(['a', 'b'])
      expect(titles(await due(true))).to.deep.equal(['high'])
      expect(await bench.outbox.nextDue(bench.alice.id, 'mail')).to.equal(now - 20)
    })

    it('lists a source newest first, and a source owner’s unfinished ones soonest first', async () => {
      const now = clock.now()
      await post('old', { createdAt: now - 20, status: 'sent', finishedAt: now })
      await post('later', { createdAt: now - 10, scheduledAt: now + HOUR_MS })
      await post('now', { createdAt: now })
      await post('other', { owner: 'drive', sourceId: 'svc/app/drive/balance/' })
      const { id } = bench.alice
      const source = await bench.outbox.listBySource(id, 'svc/app/bank/balance/')
      expect(titles(source.notifications)).to.deep.equal(['now', 'later', 'old'])
      const bank = { originator: 'app', owner: 'bank' }
      const unfinished = await bench.outbox.listUnfinished(id, bank)
      expect(titles(unfinished.notifications)).to.deep.equal(['now', 'later'])
      const first = await bench.outbox.listByOwner(id, bank, { limit: 2 })
      const rest = await bench.outbox.listByOwner(id, bank, { cursor: first.cursor ?? '' })
      expect(titles([...first.notifications, ...rest.notifications])).to.deep.equal([
        'old',
        'later',
        'now',
      ])
    })

    it('shows in the inbox what the owner may want to see, newest first, read or not', async () => {
      const now = clock.now()
      const finishedAt = now
      for (const [place, status] of (['sent', 'failed', 'queued', 'sending'] as const).entries()) {
        await post(status, { status, finishedAt, createdAt: now - 100 + place })
      }
      for (const status of ['scheduled', 'skipped', 'collapsed', 'expired', 'cancelled'] as const) {
        await post(status, { status, finishedAt })
      }
      await post('archived', { status: 'sent', finishedAt, archivedAt: now })
      await post('read', { status: 'sent', finishedAt, readAt: now, createdAt: now - 200 })
      const inbox = await bench.outbox.listInbox(bench.alice.id)
      expect(titles(inbox.notifications)).to.deep.equal([
        'sending',
        'queued',
        'failed',
        'sent',
        'read',
      ])
      const unread = await bench.outbox.listInbox(bench.alice.id, { unread: true })
      expect(titles(unread.notifications)).to.deep.equal(['sending', 'queued', 'failed', 'sent'])
    })

    it('knows the last one of a collapsible source that is due, among hundreds that are not', async () => {
      const flags = { ...FLAGS, collapsible: true }
      const now = clock.now()
      await post('first', { flags, createdAt: now - 20 })
      await post('last', { flags, createdAt: now - 10 })
      await post('failed', { flags, createdAt: now - 5, status: 'failed', finishedAt: now })
      const later = { flags, scheduledAt: now + HOUR_MS }
      await Promise.all(Array.from({ length: 60 }, () => post('later', later)))
      const last = await bench.outbox.lastDueOfSource(bench.alice.id, 'svc/app/bank/balance/', now)
      expect(last?.record.title).to.equal('last')
    })

    it('has no item overwritten by a digest that is held or ended meanwhile (12.3)', async () => {
      for (const changed of [
        { lease: { token: 'x', until: 9_999_999_999_999 } },
        { status: 'cancelled', finishedAt: 1 },
      ] as const) {
        const gathered = await stored(await post('one', { status: 'queued', digestId: '1' }))
        await bench.outbox.update(gathered, { ...gathered.record, ...changed })
        await settleItem(bench, gathered, (before) => ({ ...before, status: 'sent' }))
        const { record } = await stored(gathered.record.id)
        expect(record).to.deep.include(changed)
        expect(record.status).to.not.equal('sent')
      }
    })

    it('asks for a wake-up before it writes, so that a crash in between loses nothing', async () => {
      const woken: number[] = []
      const { scheduler } = store
      const asked: string[] = []
      const noting: Store = Object.create(store, {
        scheduler: {
          value: {
            ...scheduler,
            process: scheduler.process.bind(scheduler),
            at: async (queue: string, id: string, when: number) => {
              asked.push(`wake-up ${when >= clock.now() + 4000}`)
              await scheduler.at(queue, id, when)
            },
          },
        },
        write: {
          value: async (...args: Parameters<Store['write']>) => {
            asked.push('write')
            return store.write(...args)
          },
        },
      })
      const outbox = createOutbox({
        store: noting,
        clock,
        lifetimes: DEFAULT_LIFETIMES,
        log: bench.oauth.log,
      })
      const { record } = await stored(await post('one'))
      const copy = { ...record, id: `${record.id.slice(0, -1)}z` }
      expect(await outbox.insert(bench.alice.id, copy)).to.equal(true)
      // A guard, the write, and at once: this process has no worker.
      expect(asked).to.deep.equal(['wake-up true', 'write', 'wake-up false'])
      const stop = await scheduler.process(QUEUE, async ({ id, when }) => {
        if (id === bench.alice.id) woken.push(when)
      })
      await until(() => woken.length > 0)
      clock.advance(10_000)
      await until(() => woken.some((when) => when > record.createdAt + 4000))
      await stop()
    })
  })
})
