import { randomBytes } from 'node:crypto'
import { eachStore, type FakeClock, fakeClock, until } from '@svc/testkit'
import { expect } from 'chai'
import type { OAuthServer } from '../oauth-server.ts'
import { codeOf } from '../client-steps.ts'
import { resourceServer } from '../resource-server.ts'

const SECOND_MS = 1000

eachStore((open, name) => {
  describe('assistants of an owner', () => {
    let clock: FakeClock
    let server: OAuthServer
    /** Another process, where there can be one. */
    let other: OAuthServer

    beforeEach(async () => {
      clock = fakeClock()
      const store = await open({ clock })
      const options = { clock, keys: [{ kid: 'test', key: randomBytes(32) }], start: true }
      server = await resourceServer({ ...options, store })
      other = server
      if (name !== 'Redis') return
      const second = await open({ clock, sameAs: store })
      other = await resourceServer({ ...options, store: second, isSecondProcess: true })
      // What it subscribed to before is effective by then.
      await second.bus.subscribe('last', () => {})
    })

    const call = async (at: OAuthServer, bearer: string): Promise<number> => {
      const headers = { authorization: `Bearer ${bearer}` }
      return (await at.send('GET', '/mcp', { headers })).status
    }

    it('are listed with what they have, and apps are not', async () => {
      const id = await server.publicClient()
      await server.connect(id)
      const { id: app, secret } = await server.register({
        redirect_uris: ['https://assistant.example/callback'],
      })
      await server.connect(app, {}, { client_secret: secret })
      await server.publicClient({ client_name: 'Pending' })
      const [assistant, ...rest] = await server.oauth.assistants.list(server.instance)
      expect(rest).to.deep.equal([])
      expect(assistant?.client.id).to.equal(id)
      expect(assistant?.grants.map(({ scope, resource }) => [scope, resource])).to.deep.equal([
        ['io.svc.contacts:GET', '/mcp'],
      ])
    })

    it('are cut in every process within a second, and their refresh is invalid_grant', async () => {
      const id = await server.publicClient()
      const { access_token: token, refresh_token: last } = await server.connect(id)
      expect(await call(server, token)).to.equal(200)
      expect(await call(other, token)).to.equal(200)
      const { assistants } = server.oauth
      const updated = server.events.filter((event) => event.name === 'client.updated').length
      expect(await assistants.end(server.instance, id, 'owner')).to.equal(true)
      const since = performance.now()
      expect(await call(server, token)).to.equal(401)
      await until(async () => (await call(other, token)) === 401)
      expect(performance.now() - since).to.be.below(SECOND_MS)
      const refused = await other.refresh(id, last)
      expect([refused.status, refused.body['error']]).to.deep.equal([400, 'invalid_grant'])
      expect(await assistants.end(server.instance, id, 'owner')).to.equal(false)
      const told = server.events.filter((event) => event.name === 'client.updated').length
      expect(told - updated).to.equal(1)
      expect(server.logged.filter((line) => line.includes('assistant.ended'))).to.deep.equal([
        `info assistant.ended ${JSON.stringify({ domain: 'alice.example.com', clientId: id, reason: 'owner' })}`,
      ])
    })

    it('are cut once by parallel owners', async () => {
      const id = await server.publicClient()
      await server.connect(id)
      const cuts = await Promise.all(
        [server, other, server, other].map((at) =>
          at.oauth.assistants.end(at.instance, id, 'owner'),
        ),
      )
      expect(cuts.filter((isEnded) => isEnded)).to.have.lengthOf(1)
    })

    it('all end in every instance when the server takes none any more', async () => {
      const { oauth, instance } = server
      await server.connect(await server.publicClient())
      await server.connect(await server.publicClient())
      const { id: app, secret } = await server.register({
        redirect_uris: ['https://assistant.example/callback'],
      })
      await server.connect(app, {}, { client_secret: secret })
      expect(await oauth.assistants.endEverywhere('switched_off')).to.equal(2)
      expect(await oauth.assistants.list(instance)).to.deep.equal([])
      expect(await oauth.assistants.endEverywhere('switched_off')).to.equal(0)
      const client = await oauth.clients.get(instance, app)
      expect(client && (await oauth.clients.access(instance, client.id))).to.have.lengthOf(1)
    })

    it('all end and none comes in while the owner lets none, in a race too', async () => {
      const { assistants } = server.oauth
      const { instance } = server
      expect(await assistants.mayConnect(instance)).to.equal(true)
      const first = await server.publicClient()
      const { access_token: token } = await server.connect(first)
      const second = await server.publicClient()
      const codes = await Promise.all([
        assistants.allow(instance, false),
        ...Array.from({ length: 6 }, () => other.allow(second)),
      ]).then(([, ...answers]) => answers)
      expect(await assistants.list(instance)).to.deep.equal([])
      expect(await call(server, token)).to.equal(401)
      for (const answer of codes.filter(({ status }) => status === 302)) {
        const late = await other.exchange(second, codeOf(answer))
        expect([late.status, late.body['error']]).to.deep.equal([400, 'invalid_grant'])
      }
      expect((await other.ask(second)).status).to.equal(403)
      expect((await other.allow(second)).status).to.equal(403)
      expect(await other.oauth.assistants.mayConnect(instance)).to.equal(false)
      await assistants.allow(instance, true)
      await other.connect(second)
      expect(await assistants.list(instance)).to.have.lengthOf(1)
    })
  })
})
