import type { OutgoingHttpHeaders } from 'node:http'
import { DAY_MS } from '@svc/platform'
import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import {
  type Answer,
  type IntakeServer,
  type IntakeServerOptions,
  startIntake,
} from '../support/intake-server.ts'

const PLAIN = { category: 'plain', title: 't' }

eachStore((open, name) => {
  const start = (sameAs?: IntakeServer, options: Partial<IntakeServerOptions> = {}) =>
    startIntake({
      store: (clock) => open({ clock, ...(sameAs && { sameAs: sameAs.store }) }),
      ...(sameAs && { sameAs }),
      ...options,
    })

  const codeOf = ({ status, errors }: Answer) => [status, errors[0]?.code]
  const keyed = (
    server: IntakeServer,
    token: OutgoingHttpHeaders,
    key: string,
    attributes: Readonly<Record<string, unknown>> = PLAIN,
  ) => server.post(token, attributes, { 'idempotency-key': key })

  describe('Idempotency-Key (notifications.md 3.4)', () => {
    it('answers the same request again as the first time, and sends nothing new', async () => {
      const server = await start()
      const attributes = { ...PLAIN, content: 'long', data: { a: 1, b: 2 } }
      const first = await keyed(server, server.bank, 'one', attributes)
      expect(first.headers).not.to.have.property('idempotency-replayed')
      await server.change(first.data.id, {
        status: 'sent',
        channel: 'mail',
        reason: 'x',
        sentAt: server.clock.now(),
        lastSentAt: server.clock.now() + 5,
        finishedAt: server.clock.now(),
      })
      const again = await keyed(server, server.bank, 'one', {
        data: { b: 2, a: 1 },
        content: 'long',
        title: 't',
        category: 'plain',
      })
      expect(again.status).to.equal(201)
      expect(again.headers['idempotency-replayed']).to.equal('true')
      expect(again.headers['location']).to.equal(first.headers['location'])
      expect(again.data).to.deep.equal(first.data)
      expect(await server.records()).to.have.length(1)
    })

    it('makes two notifications of the same request without a key', async () => {
      const server = await start()
      await server.post(server.bank, PLAIN)
      await server.post(server.bank, PLAIN)
      expect(await server.records()).to.have.length(2)
    })

    it('answers 422 to another request with the key', async () => {
      const server = await start()
      await keyed(server, server.bank, 'one')
      for (const other of [{ title: 'u' }, { unknown: 1 }]) {
        const answer = await keyed(server, server.bank, 'one', { ...PLAIN, ...other })
        expect(codeOf(answer)).to.deep.equal([422, 'idempotency_key_reused'])
      }
      expect(await server.records()).to.have.length(1)
    })

    it('forgets a key after 24 hours', async () => {
      const server = await start()
      await keyed(server, await server.app(), 'one')
      server.clock.advance(DAY_MS - 60_000)
      const again = await keyed(server, await server.app(), 'one')
      expect(again.headers['idempotency-replayed']).to.equal('true')
      server.clock.advance(60_000)
      const late = await keyed(server, await server.app(), 'one', { ...PLAIN, title: 'u' })
      expect(late.status).to.equal(201)
      expect(late.headers).not.to.have.property('idempotency-replayed')
    })

    it('keeps the keys of apps, konnectors and clients apart', async () => {
      const server = await start()
      server.konnectors.set('bank', {
        slug: 'bank',
        permissions: {},
        notifications: { plain: {} },
      })
      const linked = { software_id: 'registry://bank' }
      const posters = [
        await server.app(),
        await server.konnector('bank'),
        (await server.client('@io.svc.apps/bank', linked)).headers,
        (await server.client('@io.svc.apps/bank', linked)).headers,
      ]
      for (const poster of posters) {
        const answer = await keyed(server, poster, 'one', PLAIN)
        expect(answer.status).to.equal(201)
        expect(answer.headers).not.to.have.property('idempotency-replayed')
      }
    })

    it('answers the same state again as such', async () => {
      const server = await start()
      const stateful = { category: 'balance', title: 't', state: 'a' }
      const first = await server.post(server.bank, stateful)
      const same = await keyed(server, server.bank, 'one', stateful)
      expect(same.data.meta.skipped).to.equal('same_state')
      await server.post(server.bank, { ...stateful, state: 'b' })
      const again = await keyed(server, server.bank, 'one', stateful)
      expect(again.headers['idempotency-replayed']).to.equal('true')
      expect(again.data).to.deep.equal(same.data)
      expect(again.data.id).to.equal(first.data.id)
    })

    it('means nothing any more once the notification is gone', async () => {
      const server = await start()
      const stateful = { category: 'balance', title: 't', state: 'a' }
      for (const attributes of [PLAIN, stateful]) {
        const key = attributes.category
        const { data } = await keyed(server, server.bank, key, attributes)
        await server.outbox.remove(server.instance.id, [data.id])
        if (attributes === stateful) await server.post(server.bank, stateful)
        const again = await keyed(server, server.bank, key, attributes)
        expect(again.status, again.text).to.equal(201)
        expect(again.headers).not.to.have.property('idempotency-replayed')
        expect(again.data.id).not.to.equal(data.id)
        const third = await keyed(server, server.bank, key, attributes)
        expect(third.headers['idempotency-replayed']).to.equal('true')
        expect(third.data).to.deep.equal(again.data)
      }
    })

    it('does not remember what was refused', async () => {
      const server = await start(undefined, { maxUnfinished: 1 })
      const { data } = await server.post(server.bank, PLAIN)
      expect((await keyed(server, server.bank, 'one')).errors[0]?.code).to.equal('too_many_pending')
      await server.change(data.id, { status: 'sent', finishedAt: server.clock.now() })
      const answer = await keyed(server, server.bank, 'one')
      expect(answer.status).to.equal(201)
      expect(answer.headers).not.to.have.property('idempotency-replayed')
    })

    it('takes 255 characters, any visible ones, and none for an empty one', async () => {
      const server = await start()
      const key = `!~"\\/${'k'.repeat(250)}`
      expect((await keyed(server, server.bank, key)).status).to.equal(201)
      expect((await keyed(server, server.bank, key)).headers['idempotency-replayed']).to.equal(
        'true',
      )
      for (const bad of ['a b', 'é', 'x'.repeat(256)]) {
        expect(codeOf(await keyed(server, server.bank, bad))).to.deep.equal([
          400,
          'invalid_request',
        ])
      }
      expect((await keyed(server, server.bank, '\t')).status).to.equal(201)
    })

    it('answers 409 while the first one is not answered yet', async () => {
      const gate = Promise.withResolvers<void>()
      const reached = Promise.withResolvers<void>()
      const server = await start(undefined, {
        wrapOutbox: (outbox) => ({
          ...outbox,
          async insert(...given) {
            reached.resolve()
            await gate.promise
            return outbox.insert(...given)
          },
        }),
      })
      const first = keyed(server, server.bank, 'one')
      await reached.promise
      const early = await keyed(server, server.bank, 'one')
      expect(codeOf(early)).to.deep.equal([409, 'idempotency_in_progress'])
      gate.resolve()
      expect((await first).status).to.equal(201)
      const late = await keyed(server, server.bank, 'one')
      expect(late.data.id).to.equal((await first).data.id)
    })

    it('makes one notification of 20 parallel requests', async () => {
      const server = await start()
      const servers = name === 'Redis' ? [server, await start(server)] : [server]
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => servers[n % servers.length] ?? server).map((each) =>
          keyed(each, server.bank, 'one'),
        ),
      )
      expect(await server.records()).to.have.length(1)
      const accepted = answers.filter(({ status }) => status === 201)
      expect(new Set(accepted.map(({ data }) => data.id)).size).to.equal(1)
      const fresh = accepted.filter(({ headers }) => headers['idempotency-replayed'] === undefined)
      expect(fresh).to.have.length(1)
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        expect(codeOf(answer)).to.deep.equal([409, 'idempotency_in_progress'])
      }
    })
  })
})
