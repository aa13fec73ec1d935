import { eachStore, type ReceivedMail } from '@svc/testkit'
import { expect } from 'chai'
import { changePreferences, readPreferences } from '../../src/preferences/preference-store.ts'
import { MAX_SOURCES } from '../../src/preferences/preferences.ts'
import {
  makeUnsubscribeToken,
  readUnsubscribeToken,
} from '../../src/preferences/unsubscribe-link.ts'
import { closeServers, type NotifyServer, startNotify } from '../support/notify-server.ts'
import { until } from '../support/until.ts'

const BANK = 'io.svc.apps/bank'

describe('choices of the owner in the corners (notifications.md 8, 23)', () => {
  eachStore((open) => {
    let server: NotifyServer
    afterEach(closeServers)

    async function start(): Promise<void> {
      const categories = { level: { collapsible: true } }
      server = await startNotify({ categories, store: (clock) => open({ clock }) })
    }
    async function choose(attributes: Readonly<Record<string, unknown>>) {
      const headers = await server.app('settings')
      const json = { data: { attributes } }
      return server.send('PATCH', '/notifications/preferences', { headers, json })
    }
    const bills = (change: object) => ({
      sources: [{ id: BANK, categories: [{ name: 'bills', ...change }] }],
    })
    const linkOf = (mail: ReceivedMail): string => {
      const header = mail.headers.find(({ key }) => key === 'list-unsubscribe')
      return /<(https:[^>]+)>/.exec(header?.value ?? '')?.[1] ?? ''
    }
    async function wayOut(): Promise<string> {
      await server.post({ category: 'bills', title: 'First' })
      return linkOf(await server.mailbox.waitForMail((mail) => mail.subject === 'First'))
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
        await until(async () => (await server.read(other))['status'] === 'skipped')
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
        await until(async () => (await server.read(last))['status'] === 'sent')
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
        await until(async () => (await server.read(id))['status'] === 'skipped')
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

      it('works on no other instance, for nobody with another key, and not changed', async () => {
        await start()
        const { oauth, instance } = server
        const other = await oauth.instances.create({ domain: 'bob.example.com' })
        const target = { source: BANK, category: 'bills' }
        const own = await makeUnsubscribeToken({ oauth }, instance, target)
        expect(await readUnsubscribeToken({ oauth }, instance, own)).to.deep.equal(target)
        expect(await readUnsubscribeToken({ oauth }, other, own)).to.equal(undefined)
        const middle = Math.floor(own.length / 2)
        const flipped = own[middle] === 'A' ? 'B' : 'A'
        const forged = own.slice(0, middle) + flipped + own.slice(middle + 1)
        for (const token of [
          await makeUnsubscribeToken({ oauth }, other, target),
          forged,
          '',
          'x'.repeat(5000),
        ]) {
          const path = `/notifications/unsubscribe?t=${encodeURIComponent(token)}`
          for (const method of ['GET', 'POST']) {
            expect((await server.send(method, path)).status).to.equal(404)
          }
        }
        const { preferences } = await readPreferences(server, instance)
        expect(preferences.sources).to.deep.equal({})
      })
    })
  })
})
