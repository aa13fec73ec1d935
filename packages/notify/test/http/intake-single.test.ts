import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { expectRefusal } from '../support/expect-refusal.ts'
import { type IntakeServer, startIntake } from '../support/intake-server.ts'

const PLAIN = { category: 'plain', title: 't' }

eachStore((open) => {
  const start = () => startIntake({ store: (clock) => open({ clock }) })

  /** A client linked to the bank, one with a scope, a konnector, another app. */
  async function posters(server: IntakeServer) {
    server.apps.set('drive', { slug: 'drive', name: 'Drive', permissions: {}, routes: {} })
    server.apps.set('home', {
      slug: 'home',
      name: 'Home',
      routes: {},
      permissions: { all: { type: 'io.svc.notifications', verbs: ['GET'] } },
    })
    return {
      bank: await server.app(),
      linked: (await server.client('@io.svc.apps/bank', { software_id: 'registry://bank' }))
        .headers,
      home: await server.app('home'),
      drive: await server.app('drive'),
      reader: (await server.client('io.svc.notifications:GET')).headers,
      picked: (await server.client('io.svc.notifications:GET:plain:category')).headers,
      stranger: (await server.client('io.svc.notifications:POST', { notifications: { a: {} } }))
        .headers,
      konnector: await server.konnector(),
    }
  }

  describe('GET /notifications/:id (notifications.md 15)', () => {
    it('answers its poster as the 201 did, and what became of it', async () => {
      const server = await start()
      const attributes = { ...PLAIN, content: 'c', data: { a: [1] }, preferred_channels: ['sms'] }
      const { data } = await server.post(server.bank, attributes)
      const before = await server.send('GET', data.links.self, { headers: server.bank })
      expect(before.status).to.equal(200)
      expect(before.headers['content-type']).to.equal('application/vnd.api+json')
      expect(before.headers['cache-control']).to.equal('no-store')
      expect(before.data).to.deep.equal(data)

      const sentAt = server.clock.now() + 1000
      await server.change(data.id, {
        status: 'sent',
        channel: 'sms',
        sentAt,
        lastSentAt: sentAt,
        finishedAt: sentAt,
      })
      const after = await server.send('GET', data.links.self, { headers: server.bank })
      expect(after.data.meta.rev).to.match(/^2-[0-9a-f]{32}$/)
      expect(after.data.attributes).to.deep.equal({
        ...data.attributes,
        status: 'sent',
        channel: 'sms',
        sent_at: new Date(sentAt).toISOString(),
        last_sent: new Date(sentAt).toISOString(),
      })
      await server.change(data.id, { status: 'failed', reason: 'mail:smtp_550' })
      const failed = await server.send('GET', data.links.self, { headers: server.bank })
      expect(failed.data.attributes).to.include({ status: 'failed', reason: 'mail:smtp_550' })
    })

    it('answers only its poster, the clients linked to it, and who may read notifications', async () => {
      const server = await start()
      const { bank, ...others } = await posters(server)
      const { data } = await server.post(bank, PLAIN)
      const readers = ['linked', 'home', 'reader', 'picked']
      for (const [name, headers] of Object.entries(others)) {
        const answer = await server.send('GET', data.links.self, { headers })
        if (readers.includes(name)) expect([answer.status, name]).to.deep.equal([200, name])
        else expectRefusal(answer, 404, 'not_found')
      }
      const other = await server.post(bank, { category: 'bills', title: 't' })
      const picked = await server.send('GET', other.data.links.self, { headers: others.picked })
      expect(picked.status, 'a category that its scope does not name').to.equal(404)
    })

    it('shows those of the server itself to whoever may read notifications, alone', async () => {
      const server = await start()
      const { id } = await server.intake.post(server.instance, {
        originator: 'stack',
        category: 'oauth-clients',
      })
      const { home, bank } = await posters(server)
      const read = (headers: typeof home) => server.send('GET', `/notifications/${id}`, { headers })
      expect((await read(home)).status).to.equal(200)
      expect((await read(bank)).status).to.equal(404)
    })
  })

  describe('DELETE /notifications/:id (15)', () => {
    const remove = async (server: IntakeServer, id: string) =>
      server.send('DELETE', `/notifications/${id}`, { headers: await server.app() })

    it('cancels what is scheduled or queued', async () => {
      const server = await start()
      const at = new Date(server.clock.now() + 60_000).toISOString()
      for (const fields of [{ at }, {}]) {
        const { data } = await server.post(server.bank, { ...PLAIN, ...fields })
        const answer = await remove(server, data.id)
        expect([answer.status, answer.text]).to.deep.equal([204, ''])
        expect(answer.headers).not.to.have.property('content-type')
        const stored = await server.outbox.get(server.instance.id, data.id)
        expect(stored?.record).to.include({ status: 'cancelled', version: 2 })
        expect(stored?.record.finishedAt).to.be.a('number')
      }
    })

    it('answers 409 to what is under way or over', async () => {
      const server = await start()
      const { data } = await server.post(server.bank, PLAIN)
      const started = ['sending', 'sent', 'skipped'] as const
      for (const status of [...started, 'collapsed', 'expired', 'failed', 'cancelled'] as const) {
        await server.change(data.id, { status })
        const answer = await remove(server, data.id)
        expectRefusal(answer, 409, 'not_cancellable', { detail: `it is ${status}` })
        const stored = await server.outbox.get(server.instance.id, data.id)
        expect(stored?.record.status).to.equal(status)
      }
    })

    it('is for its poster and the clients linked to it, whoever else may read it', async () => {
      const server = await start()
      const { bank, linked, ...others } = await posters(server)
      const { data } = await server.post(bank, PLAIN)
      for (const headers of Object.values(others)) {
        const answer = await server.send('DELETE', data.links.self, { headers })
        expectRefusal(answer, 404, 'not_found')
      }
      const answer = await server.send('DELETE', data.links.self, { headers: linked })
      expect(answer.status).to.equal(204)
    })

    it('happens once of 20 parallel requests', async () => {
      const server = await start()
      const { data } = await server.post(server.bank, PLAIN)
      const answers = await Promise.all(Array.from({ length: 20 }, () => remove(server, data.id)))
      expect(answers.filter(({ status }) => status === 204)).to.have.length(1)
      expect(answers.filter(({ status }) => status === 409)).to.have.length(19)
    })

    it('makes room for another one (13)', async () => {
      const server = await startIntake({ store: (clock) => open({ clock }), maxUnfinished: 1 })
      const { data } = await server.post(server.bank, PLAIN)
      expect((await server.post(server.bank, PLAIN)).status).to.equal(429)
      await remove(server, data.id)
      expect((await server.post(server.bank, PLAIN)).status).to.equal(201)
    })
  })
})
