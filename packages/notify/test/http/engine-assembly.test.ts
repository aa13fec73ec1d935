import http from 'node:http'
import type { OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { indexKey, type Store } from '@svc/store'
import { eachStore, type FakeClock, listen, requestLoopback } from '@svc/testkit'
import { expect } from 'chai'
import Koa from 'koa'
import { closeServers, startNotify } from '../support/notify-server.ts'
import { until } from '../support/until.ts'

const OFFERED = { originator: 'cli', category: 'offer', declaration: {}, title: 'Offer' } as const

eachStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('notifications as a whole', () => {
    afterEach(closeServers)
    const store = (clock: FakeClock): Promise<Store> => open({ clock })

    it('go from the post to the mailbox, and tell subscribers of each step (12 rule 9)', async () => {
      const server = await startNotify({ store })
      const content = { content: 'The whole bill', content_html: '<p>The whole bill</p>' }
      const id = await server.post({ category: 'bills', message: 'A bill', ...content })
      const mail = await server.mailbox.waitForMail()
      expect(mail.messageId).to.equal(`<${id}@alice.example.com>`)
      expect(mail.subject).to.equal('Balance')
      expect(mail.html).to.include('The whole bill')
      await until(async () => (await server.read(id))['status'] === 'sent')
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
      await until(async () => (await server.read(id))['status'] === 'sent')
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
      await until(async () => (await server.read(id))['status'] === 'sent')
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

    it('go with an unlinked client that is deleted: what waits, and the rest', async () => {
      const server = await startNotify({ store })
      const { instance, notify, oauth } = server
      const clientId = await registerClient(oauth, instance)
      const tokens = await oauth.clients.issueTokens(instance, clientId, 'io.svc.notifications')
      const headers = { authorization: `Bearer ${tokens?.access_token}` }
      const at = new Date(server.clock.now() + 3_600_000).toISOString()
      const posted = await server.send('POST', '/notifications', {
        headers,
        json: { data: { attributes: { category: 'offer', title: 'Later', at } } },
      })
      expect(posted.status).to.equal(201)
      const offered = await notify.post(instance, OFFERED)
      expect(await oauth.clients.revoke(instance, clientId, 'removed by the owner')).to.equal(true)
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

    /** Registers over HTTP, on a server of its own. */
    async function registerClient(oauth: OAuth, instance: Instance): Promise<string> {
      const koa = new Koa()
      koa.use(oauth.resolveInstance())
      koa.use(oauth.mount(oauth.rows.filter(({ path }) => path === '/auth/register')))
      const server = await listen(koa)
      const agent = new http.Agent()
      try {
        const answer = await requestLoopback({ port: server.port }, agent, {
          method: 'POST',
          url: new URL('/auth/register', instance.origin),
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            redirect_uris: ['https://client.example/callback'],
            client_name: 'Client',
            software_id: 'github.com/example/client',
            notifications: { offer: {} },
          }),
        })
        return (JSON.parse(answer.body.toString()) as { client_id: string }).client_id
      } finally {
        agent.destroy()
        await server.close()
      }
    }
  })
})
