import { indexKey, type Store } from '@svc/store'
import { eachStore, type FakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { closeServers, startNotify } from '../support/notify-server.ts'
import { until } from '../support/until.ts'

const OFFERED = { originator: 'cli', category: 'offer', declaration: {}, title: 'Offer' } as const

eachStore((open) => {
  // Inside: what a test started ends before its store does.
  afterEach(closeServers)
  const store = (clock: FakeClock): Promise<Store> => open({ clock })

  describe('notifications as a whole', () => {
    it('go from the post to the mailbox, and tell subscribers of each step (12 rule 9)', async () => {
      const server = await startNotify({ store })
      const content = { content: 'The whole bill', content_html: '<p>The whole bill</p>' }
      const id = await server.post({ category: 'bills', message: 'A bill', ...content })
      const mail = await server.mailbox.waitForMail()
      expect(mail.messageId).to.equal(`<${id}@alice.example.com>`)
      expect(mail.subject).to.equal('Balance')
      expect(mail.html).to.include('The whole bill')
      await server.becomes(id, 'sent')
      const steps = server.events.map(({ verb, doc }) => `${verb} ${String(doc?.['status'])}`)
      expect(steps).to.deep.equal(['CREATED queued', 'UPDATED sending', 'UPDATED sent'])
      for (const event of server.events) {
        expect(event).to.deep.include({ type: 'io.svc.notifications', id })
        expect(event.doc).to.include({ _id: id, title: 'Balance' })
        expect(event.doc).to.not.have.any.keys('content', 'content_html')
      }
      expect(server.mailbox.mails).to.have.length(1)
    })

    it('are written with the template of the app (10.3)', async () => {
      const files = new Map([['mail.tpl', '<p>{{ account | upcase }} is low</p>']])
      const server = await startNotify({
        store,
        categories: {
          low: { description: 'An account is low', templates: { mail: 'file:./mail.tpl' } },
        },
        apps: {
          readFile: async (_, name) => {
            const text = files.get(name)
            return text === undefined ? undefined : Buffer.from(text)
          },
        },
      })
      await server.post({ category: 'low', data: { account: 'A & B' } })
      const mail = await server.mailbox.waitForMail()
      expect(mail.html).to.include('<p>A &amp; B is low</p>')
      expect(mail.text).to.include('A & B is low')
    })

    it('are accepted before the start, and go out after it', async () => {
      const server = await startNotify({ store, isIdle: true })
      const id = await server.post({ category: 'bills' })
      expect((await server.read(id))['status']).to.equal('queued')
      await server.notify.start()
      await server.notify.start()
      await server.becomes(id, 'sent')
      await server.notify.close()
      await server.notify.close()
    })

    it('reach the owner by text while a mail server says nothing to twenty mails', async () => {
      const server = await startNotify({
        store,
        lifetimes: { shutdown: 500 },
        transport: { send: () => new Promise(() => undefined) },
      })
      for (let count = 0; count < 20; count += 1) await server.post({ category: 'bills' })
      const post = { category: 'bills', preferred_channels: ['sms'], message: 'Text' }
      const id = await server.post(post)
      await server.becomes(id, 'sent')
      expect(server.texts.map(({ text }) => text)).to.deep.equal(['Text'])
    })

    it('use up nothing of what security mails need, and hold none of them back (security.md 100)', async () => {
      const server = await startNotify({
        store,
        limits: { 'notify-mail': { limit: 2, windowMs: 3_600_000 } },
      })
      const { instance, mailbox, notify } = server
      await Promise.all(Array.from({ length: 6 }, () => notify.post(instance, OFFERED)))
      await until(() => mailbox.mails.length === 2)
      for (let count = 1; count <= 3; count += 1) {
        await notify.mailer.send(instance, {
          template: 'onboarding',
          variables: { url: `${instance.origin}/auth/passphrase?registerToken=${count}` },
        })
      }
      expect(mailbox.mails.filter(({ subject }) => subject === 'Offer')).to.have.length(2)
      expect(mailbox.mails).to.have.length(5)
    })

    it('of the server itself have no way out in their mails (23.3)', async () => {
      const { instance, mailbox, notify } = await startNotify({ store })
      await notify.post(instance, OFFERED)
      await notify.post(instance, { originator: 'stack', category: 'oauth-clients' })
      await until(() => mailbox.mails.length === 2)
      for (const { headers, text } of mailbox.mails) {
        expect(headers.filter(({ key }) => key.startsWith('list-'))).to.deep.equal([])
        expect(text).to.not.include('/notifications/unsubscribe')
      }
    })

    it('go with an unlinked client that is deleted: what waits, and the rest', async () => {
      const server = await startNotify({ store })
      const { instance, notify, oauth } = server
      const { id, headers } = await server.client('io.svc.notifications', {
        notifications: { offer: {} },
      })
      const at = new Date(server.clock.now() + 3_600_000).toISOString()
      await server.postAs(headers, { category: 'offer', title: 'Later', at })
      const offered = await notify.post(instance, OFFERED)
      expect(await oauth.clients.revoke(instance, id, 'removed by the owner')).to.equal(true)
      await until(async () => {
        const page = await server.store.list(indexKey(instance.id, 'notifications'))
        return page.records.length === 1
      })
      const [left] = (await server.store.list(indexKey(instance.id, 'notifications'))).records
      expect(left?.value).to.include({ id: offered.id })
      expect(server.events.map(({ doc }) => doc?.['reason'])).to.include('source_gone')
    })

    it('leave nothing behind when their instance is removed', async () => {
      const server = await startNotify({ store, isIdle: true })
      const { instance, oauth } = server
      await server.post({ category: 'bills', content: 'The whole bill' })
      await server.notify.post(instance, OFFERED)
      await oauth.instances.remove(instance.id)
      for (const name of ['notifications', 'notification-turns', 'notifications-purge'] as const) {
        const { records } = await server.store.list(indexKey(instance.id, name))
        expect(records, name).to.deep.equal([])
      }
    })
  })

  describe('notify.operator and notify.figures', () => {
    it('lists what an instance was told, oldest first, page by page', async () => {
      const { notify, post, instance } = await startNotify({ store })
      const ids = [await post({ category: 'balance' }), await post({ category: 'bills' })]
      const first = await notify.operator.list(instance, { limit: 1 })
      expect(first.notifications.map(({ id }) => id)).to.deep.equal(ids.slice(0, 1))
      const { cursor = '' } = first
      const rest = await notify.operator.list(instance, { cursor })
      expect(rest.notifications.map(({ id }) => id)).to.deep.equal(ids.slice(1))
      expect(rest.cursor).to.equal(undefined)
    })

    it('finds one with its bodies, and nothing by what is no id', async () => {
      const { notify, post, instance } = await startNotify({ store })
      const id = await post({ category: 'balance', content: 'The whole letter.' })
      expect(await notify.operator.find(instance, id)).to.include({ content: 'The whole letter.' })
      for (const absent of ['', 'x', '../x', id.toUpperCase()]) {
        expect(await notify.operator.find(instance, absent), absent).to.equal(undefined)
      }
    })

    it('cancels what waits, and says why it does not', async () => {
      const { notify, post, instance, clock } = await startNotify({ store })
      const at = new Date(clock.now() + 3_600_000).toISOString()
      const id = await post({ category: 'balance', at })
      await notify.operator.cancel(instance, id)
      expect(await notify.operator.find(instance, id)).to.include({ status: 'cancelled' })
      const again = await notify.operator.cancel(instance, id).catch((error: unknown) => error)
      expect(again).to.include({ code: 'not_cancellable', status: 409 })
      const absent = await notify.operator.cancel(instance, 'x').catch((error: unknown) => error)
      expect(absent).to.include({ code: 'not_found', status: 404 })
    })

    it('counts what was accepted, how it ended, and each try of a channel once', async () => {
      const { notify, post, instance, clock } = await startNotify({ store })
      expect(notify.figures()).to.deep.equal({ accepted: 0, finished: {}, attempts: {} })
      await post({ category: 'balance' })
      await post({ category: 'balance', message: 'm', preferred_channels: ['mobile', 'sms'] })
      const at = new Date(clock.now() + 3_600_000).toISOString()
      await notify.operator.cancel(instance, await post({ category: 'bills', at }))
      await until(() => notify.figures().finished.sent === 2)
      expect(notify.figures()).to.deep.equal({
        accepted: 3,
        finished: { sent: 2, cancelled: 1 },
        attempts: { mail: { sent: 1 }, mobile: { permanent: 1 }, sms: { sent: 1 } },
      })
    })
  })
})
