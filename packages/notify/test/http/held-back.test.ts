import { eachStore, type FakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { MailError } from '../../src/index.ts'
import { notificationKey } from '../../src/outbox/notification-record.ts'
import { changeChoices } from '../../src/preferences/held-back-wake-ups.ts'
import { changePreferences, readPreferences } from '../../src/preferences/preference-store.ts'
import { MAX_SOURCES } from '../../src/preferences/preferences.ts'
import { wayOutOf } from '../support/mail-bench.ts'
import {
  closeServers,
  type NotifyServer,
  type NotifyServerOptions,
  startNotify,
} from '../support/notify-server.ts'
import { until } from '../support/until.ts'

const BANK = 'io.svc.apps/bank'
const HOUR_MS = 3_600_000
const NIGHT = Date.parse('2027-01-10T23:00:00Z')
const QUIET = { start: '22:00', end: '07:00' }

describe('what the owner’s choices hold back (notifications.md 23.2, 23.8, 23.9)', () => {
  eachStore((open) => {
    let server: NotifyServer
    afterEach(closeServers)

    async function start(options: Partial<NotifyServerOptions> = {}): Promise<void> {
      server = await startNotify({ store: (clock: FakeClock) => open({ clock }), ...options })
      server.clock.set(NIGHT)
    }
    async function choose(attributes: Readonly<Record<string, unknown>>): Promise<void> {
      const answer = await server.choose(attributes)
      expect(answer.status, answer.text).to.equal(200)
    }
    const bills = (choice: object) => ({
      sources: [{ id: BANK, categories: [{ name: 'bills', ...choice }] }],
    })
    const statusOf = async (id: string): Promise<unknown> => (await server.read(id))['status']
    const becomes = (id: string, status: string) => server.becomes(id, status)
    async function dueAt(id: string): Promise<number> {
      const key = notificationKey(server.instance.id, id)
      return (await server.store.get<{ dueAt: number }>(key))?.value.dueAt ?? 0
    }
    /** Posts a bill and waits until it is put off. */
    async function held(attributes: Readonly<Record<string, unknown>> = {}): Promise<string> {
      const id = await server.post({ category: 'bills', ...attributes })
      await until(async () => (await dueAt(id)) > server.clock.now() + 60_000)
      expect(await statusOf(id)).to.equal('queued')
      return id
    }

    describe('quiet hours', () => {
      const changes: readonly (readonly [what: string, attributes: object])[] = [
        ['switched off', { quiet_hours: null }],
        ['shortened to an end that is over', { quiet_hours: { start: '22:00', end: '22:30' } }],
        ['moved to later', { quiet_hours: { start: '23:30', end: '07:00' } }],
        ['moved by another time zone', { time_zone: 'Asia/Tokyo' }],
      ]
      for (const [what, attributes] of changes) {
        it(`that are ${what} let go what they held`, async () => {
          await start()
          await choose({ quiet_hours: QUIET })
          const ids = [await held(), await held({ preferred_channels: ['sms'], message: 'Text' })]
          await choose({ ...attributes })
          for (const id of ids) await becomes(id, 'sent')
          expect(server.mailbox.mails).to.have.length(1)
          expect(server.texts).to.have.length(1)
        })
      }

      it('that end earlier let it go then, not at the end that they had', async () => {
        await start()
        await choose({ quiet_hours: QUIET })
        const id = await held()
        expect(await dueAt(id)).to.equal(NIGHT + 8 * HOUR_MS)
        await choose({ quiet_hours: { start: '22:00', end: '00:00' } })
        await until(async () => (await dueAt(id)) === NIGHT + HOUR_MS)
        expect(await statusOf(id)).to.equal('queued')
        server.clock.set(NIGHT + HOUR_MS + 1000)
        await becomes(id, 'sent')
      })

      it('that cover another zone of the operator’s choice let it go, too', async () => {
        await start()
        await choose({ quiet_hours: QUIET })
        const id = await held()
        await server.oauth.instances.update(server.instance.id, { timeZone: 'Asia/Tokyo' })
        await becomes(id, 'sent')
      })

      it('keep what they still hold as it is while the owner chooses something else', async () => {
        await start()
        await choose({ quiet_hours: QUIET })
        const id = await held()
        const other = await held({ category: 'balance' })
        const key = notificationKey(server.instance.id, id)
        const before = await server.store.get(key)
        const off = { mobile: false, sms: false, mail: false }
        await choose({
          sources: [{ id: BANK, categories: [{ name: 'balance', channels: off }] }],
        })
        // The older one was looked at before it.
        await becomes(other, 'skipped')
        expect((await server.store.get(key))?.revision).to.equal(before?.revision)
      })

      it('let it go although the process ended right after they were changed', async () => {
        await start()
        await choose({ quiet_hours: QUIET })
        const id = await held()
        const { clock, instance } = server
        const end = new Error('the end of the process')
        const thrown: unknown = await changeChoices(server, instance, async () => {
          await changePreferences(server, instance, () => ({ sources: {} }))
          throw end
        }).catch((error: unknown) => error)
        expect(thrown).to.equal(end)
        clock.advance(7000)
        await becomes(id, 'sent')
      })

      it('let go however many there are, each once', async () => {
        await start({ limits: { 'notify-sms': { limit: 1000, windowMs: HOUR_MS } } })
        await choose({ quiet_hours: QUIET })
        const ids: string[] = []
        for (let place = 0; place < 40; place += 1) {
          const message = `Text ${place}`
          const post = { category: 'bills', preferred_channels: ['sms'], message }
          ids.push(await server.post(post))
        }
        for (const id of ids) await until(async () => (await dueAt(id)) > NIGHT + HOUR_MS)
        await Promise.all([choose({ quiet_hours: null }), choose({ quiet_hours: null })])
        await until(() => server.texts.length === ids.length, 20_000)
        expect(new Set(server.texts.map(({ text }) => text)).size).to.equal(ids.length)
      }).timeout(40_000)
    })

    describe('digests', () => {
      it('that are switched off let go what they gathered, each alone', async () => {
        await start()
        await choose(bills({ digest: 'daily@09:00' }))
        const ids = [await held({ title: 'Water' }), await held({ title: 'Light' })]
        await Promise.all(ids.map((id) => server.gathered(id)))
        await choose(bills({ digest: null }))
        for (const id of ids) await becomes(id, 'sent')
        const subjects = server.mailbox.mails.map(({ subject }) => subject)
        expect(subjects).to.have.members(['Water', 'Light'])
      })

      it('whose time is moved go at the new one, once', async () => {
        await start()
        await choose(bills({ digest: 'daily@09:00' }))
        const ids = [await held({ title: 'Water' }), await held({ title: 'Light' })]
        await Promise.all(ids.map((id) => server.gathered(id)))
        await choose(bills({ digest: 'daily@01:00' }))
        const digestIds = async (): Promise<readonly (string | undefined)[]> =>
          Promise.all(
            ids.map(async (id) => {
              const key = notificationKey(server.instance.id, id)
              return (await server.store.get<{ digestId?: string }>(key))?.value.digestId
            }),
          )
        const wanted = String(NIGHT + 2 * HOUR_MS)
        await until(async () => (await digestIds()).every((digestId) => digestId === wanted))
        server.clock.set(NIGHT + 2 * HOUR_MS + 1000)
        for (const id of ids) await becomes(id, 'sent')
        expect(server.mailbox.mails).to.have.length(1)
        expect(server.mailbox.mails[0]?.text).to.include('Water').and.to.include('Light')
        server.clock.set(NIGHT + 11 * HOUR_MS)
        const marker = await server.post({ category: 'balance', title: 'Marker' })
        await becomes(marker, 'sent')
        expect(server.mailbox.mails).to.have.length(2)
      })

      it('that come in quiet hours go with the new end of those', async () => {
        await start()
        await choose({ quiet_hours: QUIET, ...bills({ digest: '1h' }) })
        const id = await held()
        await server.gathered(id)
        expect(await dueAt(id)).to.equal(NIGHT + 8 * HOUR_MS)
        await choose({ quiet_hours: null })
        await until(async () => (await dueAt(id)) === NIGHT + HOUR_MS)
        server.clock.set(NIGHT + HOUR_MS + 1000)
        await becomes(id, 'sent')
      })
    })

    it('what was skipped while it was muted stays so; what comes after goes', async () => {
      await start()
      await choose({ sources: [{ id: BANK, blocked: true }] })
      const before = await server.post({ category: 'bills' })
      await becomes(before, 'skipped')
      await choose({ sources: [{ id: BANK, blocked: false }] })
      const after = await server.post({ category: 'bills', title: 'After' })
      await becomes(after, 'sent')
      expect(await statusOf(before)).to.equal('skipped')
      expect(server.mailbox.mails.map(({ subject }) => subject)).to.deep.equal(['After'])
    })

    it('a channel that is switched on takes what waits for another round of others', async () => {
      await start({
        channelDelays: [],
        transport: {
          send: async () => {
            throw new MailError('transient', 'smtp_451')
          },
        },
      })
      await choose(bills({ channels: { sms: false } }))
      const post = { category: 'bills', preferred_channels: ['sms', 'mail'], message: 'Text' }
      const id = await server.post(post)
      await until(async () => (await dueAt(id)) >= server.clock.now() + 59_000)
      await choose(bills({ channels: { sms: true } }))
      await becomes(id, 'sent')
      expect(await server.read(id)).to.include({ channel: 'sms' })
      expect(server.texts).to.have.length(1)
    })

    it('what waited for a blocked instance goes when it is in service again', async () => {
      await start()
      const { instances } = server.oauth
      const at = new Date(NIGHT + HOUR_MS).toISOString()
      const id = await server.post({ category: 'bills', at })
      await instances.update(server.instance.id, { status: 'blocked' })
      server.clock.set(NIGHT + HOUR_MS + 1000)
      const key = notificationKey(server.instance.id, id)
      await until(async () => {
        const stored = await server.store.get<{ dueAt: number }>(key)
        return (stored?.value.dueAt ?? 0) > NIGHT + HOUR_MS + 60_000
      })
      await instances.update(server.instance.id, { status: 'active' })
      await until(async () => {
        const stored = await server.store.get<{ status: string }>(key)
        return stored?.value.status === 'sent'
      })
    })
  })
})

describe('choices of the owner in the corners (notifications.md 8, 23)', () => {
  eachStore((open) => {
    let server: NotifyServer
    afterEach(closeServers)

    async function start(): Promise<void> {
      const categories = { level: { collapsible: true } }
      server = await startNotify({ categories, store: (clock) => open({ clock }) })
    }
    const choose = (attributes: object) => server.choose(attributes)
    const bills = (change: object) => ({
      sources: [{ id: BANK, categories: [{ name: 'bills', ...change }] }],
    })
    async function wayOut(): Promise<string> {
      await server.post({ category: 'bills', title: 'First' })
      return wayOutOf(await server.mailbox.waitForMail((mail) => mail.subject === 'First'))
    }
    /** As they are after years: sources that came and went. */
    async function fillWithTheDead(): Promise<void> {
      const dead = Array.from({ length: MAX_SOURCES }, (_, number) => [
        `io.svc.oauth.clients/${number}`,
        { isBlocked: true } as const,
      ])
      const sources = Object.fromEntries(dead) as Record<string, { isBlocked: true }>
      await changePreferences(server, server.instance, () => ({ sources }))
    }

    describe('a digest', () => {
      const BEFORE = Date.parse('2027-01-10T10:01:00Z')
      const DUE = Date.parse('2027-01-10T10:15:01Z')

      it('holds nothing whose mails were switched off since: it goes its other ways', async () => {
        await start()
        server.clock.set(BEFORE)
        await choose(bills({ digest: '15m' }))
        const message = 'Water is due'
        const id = await server.post({
          category: 'bills',
          title: 'Water',
          message,
          preferred_channels: ['sms', 'mail'],
        })
        const other = await server.post({ category: 'bills', title: 'Light' })
        await Promise.all([server.gathered(id), server.gathered(other)])
        await choose(bills({ channels: { mail: false } }))
        server.clock.set(DUE)
        await until(() => server.texts.length === 1)
        await server.becomes(other, 'skipped')
        expect(await server.read(id)).to.include({ status: 'sent', channel: 'sms' })
        expect(server.mailbox.mails).to.have.length(0)
      }).timeout(20_000)

      it('tells of a collapsible source only what came last (8)', async () => {
        await start()
        server.clock.set(BEFORE)
        await choose({
          sources: [{ id: BANK, categories: [{ name: 'level', digest: '15m' }] }],
        })
        const old = await server.post({ category: 'level', title: 'Level one' })
        await server.gathered(old)
        const last = await server.post({ category: 'level', title: 'Level two' })
        await server.gathered(last)
        server.clock.set(DUE)
        const digest = await server.mailbox.waitForMail(() => true, 8000)
        expect(digest.text).to.include('Level two').and.to.not.include('Level one')
        // It tells of several categories: each is switched off in the settings.
        expect(digest.text).to.include('Notification settings: ').and.to.not.include('unsubscribe')
        expect(digest.headers.map(({ key }) => key)).to.not.include('list-unsubscribe')
        await server.becomes(last, 'sent')
        expect((await server.read(old))['status']).to.equal('collapsed')
        expect(server.mailbox.mails).to.have.length(1)
      }).timeout(20_000)
    })

    describe('the choices for sources that are gone', () => {
      it('give way when there are too many of them', async () => {
        await start()
        await fillWithTheDead()
        expect((await choose({ sources: [{ id: BANK, blocked: true }] })).status).to.equal(200)
        const stored = await readPreferences(server, server.instance)
        expect(stored.preferences.sources).to.deep.equal({ [BANK]: { isBlocked: true } })
      })

      it('never keep a way out from working', async () => {
        await start()
        const link = await wayOut()
        await fillWithTheDead()
        expect((await server.send('POST', link, { body: '' })).status).to.equal(200)
        const id = await server.post({ category: 'bills', title: 'Second' })
        await server.becomes(id, 'skipped')
      })
    })

    describe('the way out of mails', () => {
      it('takes 40 clicks at once', async () => {
        await start()
        const link = await wayOut()
        const clicks = Array.from({ length: 40 }, () => server.send('POST', link, { body: '' }))
        const answers = await Promise.all(clicks)
        expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
      })
    })
  })
})
