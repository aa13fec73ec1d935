import { HOUR_MS } from '@svc/platform'
import { indexKey, StoreUnavailableError } from '@svc/store'
import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { expectRefusal } from '../support/expect-refusal.ts'
import {
  type IntakeServer,
  type IntakeServerOptions,
  startIntake,
} from '../support/intake-server.ts'

const PLAIN = { category: 'plain', title: 't' }
/** The konnector's. */
const DUE = { category: 'due', title: 't', state: 's' }

eachStore((open, name) => {
  const start = (options: Partial<IntakeServerOptions> = {}) =>
    startIntake({
      store: (clock) => open({ clock, ...(options.sameAs && { sameAs: options.sameAs.store }) }),
      ...options,
    })

  const posts = async (server: IntakeServer, count: number) => {
    return Promise.all(Array.from({ length: count }, () => server.post(server.bank, PLAIN)))
  }

  describe('post quotas (notifications.md 13)', () => {
    it('are 100 an hour for each owner, however many come at once', async () => {
      const server = await start()
      const answers = await posts(server, 120)
      expect(answers.filter(({ status }) => status === 201)).to.have.length(100)
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused).to.have.length(20)
      for (const answer of refused) {
        expectRefusal(answer, 429, 'rate_limited')
        expect(Number(answer.headers['retry-after'])).to.be.within(3500, 3600)
      }
      expect(await server.records()).to.have.length(100)
      const other = await server.post(await server.konnector(), DUE)
      expect(other.status, 'another owner').to.equal(201)
      server.clock.advance(HOUR_MS)
      expect((await posts(server, 1))[0]?.status, 'after the window').to.equal(201)
    })

    it('are shared by an app and its linked clients (D30)', async () => {
      const server = await start({ limits: { 'notify-post': { limit: 1, windowMs: HOUR_MS } } })
      const linked = { software_id: 'registry://bank' }
      const { headers } = await server.client('@io.svc.apps/bank', linked)
      expect((await server.post(headers, PLAIN)).status).to.equal(201)
      expect((await posts(server, 1))[0]?.status).to.equal(429)
    })

    it('are 500 an hour for all of an instance', async () => {
      const limit = { limit: 2, windowMs: HOUR_MS }
      const server = await start({ limits: { 'notify-post-instance': limit } })
      await posts(server, 2)
      const other = await server.post(await server.konnector(), DUE)
      expect([other.status, other.errors[0]?.code]).to.deep.equal([429, 'rate_limited'])
    })

    it('take nothing of what is left for the instance once their owner has none left', async () => {
      const limits = {
        'notify-post': { limit: 1, windowMs: HOUR_MS },
        'notify-post-instance': { limit: 2, windowMs: HOUR_MS },
      }
      const server = await start({ limits })
      const statuses = (await posts(server, 5)).map(({ status }) => status)
      expect(statuses.toSorted()).to.deep.equal([201, 429, 429, 429, 429])
      expect((await server.post(await server.konnector(), DUE)).status).to.equal(201)
    })

    it('do not count what was refused', async () => {
      const limit = { limit: 2, windowMs: HOUR_MS }
      const server = await start({ limits: { 'notify-post': limit } })
      for (const fields of [{ title: '' }, { category: 'x' }, { at: 'x' }, { message: 1 }, {}]) {
        const answer = await server.post(server.bank, { category: 'slow', title: 't', ...fields })
        expect(answer.status).to.be.within(400, 422)
      }
      await server.send('POST', '/notifications', { headers: server.bank, body: '{' })
      const answers = await posts(server, 10)
      expect(answers.filter(({ status }) => status === 201)).to.have.length(2)
    })

    it('do not count what they refused themselves', async () => {
      const gate = Promise.withResolvers<void>()
      const reached = Promise.withResolvers<void>()
      let isAway = true
      const server = await start({
        limits: { 'notify-post': { limit: 1, windowMs: HOUR_MS } },
        wrapOutbox: (outbox) => ({
          ...outbox,
          async insert(...given) {
            if (!isAway) return outbox.insert(...given)
            reached.resolve()
            await gate.promise
            throw new StoreUnavailableError('away for a moment')
          },
        }),
      })
      const first = server.post(server.bank, PLAIN)
      await reached.promise
      expect((await server.post(server.bank, PLAIN)).status).to.equal(429)
      gate.resolve()
      expect((await first).status).to.equal(503)
      isAway = false
      expect((await server.post(server.bank, PLAIN)).status).to.equal(201)
    })

    it('count answers of the same state', async () => {
      const server = await start({ limits: { 'notify-post': { limit: 2, windowMs: HOUR_MS } } })
      const post = () => server.post(server.bank, { category: 'balance', title: 't', state: 'a' })
      await post()
      expect((await post()).data.meta.skipped).to.equal('same_state')
      expect((await post()).status).to.equal(429)
    })

    it('do not bind the server itself', async () => {
      const server = await start({
        limits: { 'notify-post-instance': { limit: 1, windowMs: HOUR_MS } },
        maxUnfinished: 1,
      })
      for (const categoryId of ['one', 'two', 'three']) {
        const record = await server.intake.post(server.instance, {
          originator: 'cli',
          category: 'c',
          declaration: { multiple: true },
          title: 't',
          categoryId,
        })
        expect(record.status).to.equal('queued')
      }
      expect((await posts(server, 1))[0]?.status).to.equal(201)
    })
  })

  describe('the limit of those that wait (13)', () => {
    const many = { limit: 1000, windowMs: HOUR_MS }
    const wide = { 'notify-post': many, 'notify-post-instance': many }

    it('is exact, however many come at once', async () => {
      const server = await start({ maxUnfinished: 30, limits: wide })
      const servers =
        name === 'Redis' ? [server, await start({ sameAs: server, maxUnfinished: 30 })] : [server]
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          (servers[n % servers.length] ?? server).post(server.bank, PLAIN),
        ),
      )
      expect(answers.filter(({ status }) => status === 201)).to.have.length(30)
      const [refused] = answers.filter(({ status }) => status === 429)
      expect(refused?.errors[0]?.code).to.equal('too_many_pending')
      expect(refused?.headers['retry-after']).to.equal('3600')
      expect(await server.records()).to.have.length(30)
    })

    it('is 200 for each owner', async () => {
      const server = await start({ limits: wide })
      const at = new Date(server.clock.now() + HOUR_MS).toISOString()
      const codes = []
      for (let batch = 0; batch < 5; batch += 1) {
        const answers = await Promise.all(
          Array.from({ length: 41 }, () => server.post(server.bank, { ...PLAIN, at })),
        )
        codes.push(...answers.map(({ status }) => status))
      }
      expect(codes.filter((status) => status === 201)).to.have.length(200)
      expect(codes.filter((status) => status === 429)).to.have.length(5)
    })

    it('counts neither finished ones nor those of others', async () => {
      const server = await start({ maxUnfinished: 2, limits: wide })
      const [first] = await posts(server, 2)
      expect((await server.post(server.bank, PLAIN)).status).to.equal(429)
      const konnector = await server.post(await server.konnector(), DUE)
      expect(konnector.status).to.equal(201)
      for (const status of ['sending', 'sent'] as const) {
        const finishedAt = status === 'sent' ? { finishedAt: server.clock.now() } : {}
        await server.change(first?.data.id ?? '', { status, ...finishedAt })
        expect((await server.post(server.bank, PLAIN)).status).to.equal(
          status === 'sent' ? 201 : 429,
        )
      }
      expect((await server.post(server.bank, PLAIN)).status).to.equal(429)
    })

    it('leaves no rows behind when its instance is removed', async () => {
      const server = await start({ limits: wide })
      for (const n of Array.from({ length: 5 }).keys()) {
        await server.intake.post(server.instance, {
          originator: 'cli',
          category: 'c',
          title: 't',
          slug: `app${n}`,
        })
      }
      await posts(server, 1)
      const rows = async () =>
        (await server.store.list(indexKey(server.instance.id, 'notification-turns'))).records
      expect(await rows()).to.have.length(6)
      await server.intake.forget(server.instance)
      expect(await rows()).to.deep.equal([])
      expect((await posts(server, 1))[0]?.status).to.equal(201)
    })

    it('does not refuse what will not be sent', async () => {
      const server = await start({ maxUnfinished: 1 })
      const slow = (state: string) =>
        server.post(server.bank, { category: 'slow', title: 't', state })
      await slow('a')
      expect((await slow('b')).data.attributes['status']).to.equal('skipped')
      expect((await slow('a')).data.meta.skipped).to.equal('same_state')
    })
  })
})
