import { randomBytes } from 'node:crypto'
import { createOAuth } from '@svc/oauth-core'
import { checkSealingKeys, Reseal } from '@svc/platform'
import { anyStore, type ReceivedMail } from '@svc/testkit'
import { expect } from 'chai'
import { readPreferences } from '../../src/preferences/preference-store.ts'
import {
  makeUnsubscribeToken,
  readUnsubscribeToken,
} from '../../src/preferences/unsubscribe-link.ts'
import { headerOf, wayOutOf } from '../support/mail-bench.ts'
import { closeServers, type NotifyServer, startNotify } from '../support/notify-server.ts'
import { SEALING_KEYS } from '../support/test-oauth.ts'
import { until } from '../support/until.ts'

describe('the way out of mails (notifications.md 23.3, RFC 8058)', () => {
  anyStore((open) => {
    let server: NotifyServer
    afterEach(closeServers)
    beforeEach(async () => {
      server = await startNotify({ store: (clock) => open({ clock }) })
    })

    async function mailOf(category: string): Promise<ReceivedMail> {
      server.mailbox.clear()
      await server.post({ category, title: category })
      return server.mailbox.waitForMail((mail) => mail.subject === category)
    }
    const oneClick = (link: string, headers = {}) =>
      server.send('POST', link, {
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: 'List-Unsubscribe=One-Click',
      })

    it('stands in the headers and the text of every mail of an app', async () => {
      const mail = await mailOf('bills')
      expect(headerOf(mail, 'list-unsubscribe-post')).to.equal('List-Unsubscribe=One-Click')
      expect(headerOf(mail, 'list-id')).to.be.a('string')
      const link = wayOutOf(mail)
      expect(link).to.match(/^https:\/\/alice\.example\.com\/notifications\/unsubscribe\?t=/)
      expect(mail.text).to.include(link)
    })

    it('asks when it is followed, and changes nothing then: scanners follow links', async () => {
      const link = wayOutOf(await mailOf('bills'))
      for (const method of ['GET', 'HEAD']) {
        expect((await server.send(method, link)).status).to.equal(200)
      }
      const [page] = server.pages
      expect(page?.question?.fields).to.deep.equal({ 'List-Unsubscribe': 'One-Click' })
      expect(page?.title).to.equal('Unsubscribe from “A new bill” emails from Bank?')
      expect(page?.question?.button).to.equal('Unsubscribe')
      await mailOf('bills')
    })

    it('ends mails of the category with one POST, without a login, from anywhere', async () => {
      const link = wayOutOf(await mailOf('bills'))
      const answer = await oneClick(link, { origin: 'https://mail.example' })
      expect(answer.status).to.equal(200)
      expect(answer.headers['set-cookie']).to.equal(undefined)
      const id = await server.post({ category: 'bills' })
      await server.becomes(id, 'skipped')
      await mailOf('balance')
      expect((await oneClick(link)).status, 'again').to.equal(200)
    })

    it('is taken back with the button of the page after it, by the same link', async () => {
      const link = wayOutOf(await mailOf('bills'))
      await oneClick(link)
      const { title, question } = server.pages.at(-1) ?? {}
      expect(title).to.equal('You’re unsubscribed.')
      expect(question?.button).to.equal('Undo')
      const undo = new URL(question?.action ?? '', link).href
      expect((await server.send('GET', undo)).status).to.equal(200)
      expect(server.pages.at(-1)?.question?.button, 'a look changes nothing').to.equal(
        'Unsubscribe',
      )
      for (const _time of [1, 2]) expect((await oneClick(undo)).status).to.equal(200)
      expect(server.pages.at(-1)?.title).to.equal('You get these emails again.')
      expect(server.pages.at(-1)?.question).to.equal(undefined)
      await mailOf('bills')
    })

    it('leaves other ways to the owner as they are', async () => {
      await oneClick(wayOutOf(await mailOf('bills')))
      await server.post({ category: 'bills', preferred_channels: ['sms'], message: 'Bill' })
      await until(() => server.texts.length === 1)
    })

    it('takes a multipart form, too', async () => {
      const answer = await server.send('POST', wayOutOf(await mailOf('bills')), {
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        body: '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
      })
      expect(answer.status).to.equal(200)
    })

    it('takes links that an older version sealed, while their sealing key is there', async () => {
      const { oauth, instance } = server
      const sealed = oauth.sealer
        .derive(instance.id, 'svc/notify/unsubscribe')
        .seal(JSON.stringify(['io.svc.apps/bank', 'bills']), 'notifications|unsubscribe')
      const link = `/notifications/unsubscribe?t=${encodeURIComponent(sealed)}`
      expect((await oneClick(link)).status).to.equal(200)
      const id = await server.post({ category: 'bills' })
      await server.becomes(id, 'skipped')
    })

    it('outlives the sealing key of the time when it was sent', async () => {
      const link = wayOutOf(await mailOf('bills'))
      const { oauth, instance, store } = server
      const next = { kid: 'next', key: randomBytes(32) }
      const keys = [next, ...SEALING_KEYS]
      const { clock, log, records } = oauth
      await checkSealingKeys({ store, clock, keys })
      const reseal = new Reseal({ store, clock, log, records, keys, hostname: 'here' })
      await reseal.start(10_000)
      await until(async () => (await reseal.progress())?.status === 'done')
      await reseal.close()
      const without = createOAuth({ store, keys: [next], apps: oauth.apps })
      try {
        const token = new URL(link).searchParams.get('t') ?? ''
        const target = await readUnsubscribeToken({ oauth: without }, instance, token)
        expect(target).to.deep.equal({ source: 'io.svc.apps/bank', category: 'bills' })
      } finally {
        await without.close()
      }
    })

    it('outlives a rotation of the other keys, and ends with that of its own', async () => {
      const link = wayOutOf(await mailOf('bills'))
      const { oauth, instance } = server
      await oauth.keyring.rotate(instance, { revoke: true })
      await oauth.keyring.replace(instance, 'session')
      expect((await server.send('GET', link)).status).to.equal(200)
      await oauth.keyring.replace(instance, 'mail')
      expect((await server.send('GET', link)).status).to.equal(404)
      expect((await server.send('GET', wayOutOf(await mailOf('bills')))).status).to.equal(200)
    })

    it('is 404 for a link that this instance did not make, and changes nothing', async () => {
      const link = wayOutOf(await mailOf('bills'))
      const { instance, oauth } = server
      const other = await oauth.instances.create({ domain: 'bob.example.com' })
      const target = { source: 'io.svc.apps/bank', category: 'bills' }
      const own = await makeUnsubscribeToken({ oauth }, instance, target)
      expect(await readUnsubscribeToken({ oauth }, instance, own)).to.deep.equal(target)
      expect(await readUnsubscribeToken({ oauth }, other, own)).to.equal(undefined)
      const flip = (at: number) =>
        `${own.slice(0, at)}${own[at] === 'A' ? 'B' : 'A'}${own.slice(at + 1)}`
      const none = '/notifications/unsubscribe'
      const tokens = [
        await makeUnsubscribeToken({ oauth }, other, target),
        flip(own.length - 2),
        flip(own.length >> 1),
        '',
        'x'.repeat(4000),
      ].map((token) => `${none}?t=${encodeURIComponent(token)}`)
      for (const path of [link.replace(instance.domain, other.domain), none, ...tokens]) {
        expect((await server.send('GET', path)).status, path).to.equal(404)
        expect(server.pages.at(-1), path).to.deep.include({ title: 'This link no longer works' })
        expect(server.pages.at(-1)?.link?.url, path).to.include('?section=notifications')
        expect((await oneClick(path)).status, path).to.equal(404)
      }
      const { preferences } = await readPreferences(server, instance)
      expect(preferences.sources).to.deep.equal({})
    })
  })
})
