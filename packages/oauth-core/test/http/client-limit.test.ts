import { type BrowserResponse, eachStore, fakeClock, type RelyingParty } from '@svc/testkit'
import { expect } from 'chai'
import {
  allow,
  authorizeParameters,
  type ConsentServer,
  startConsentServer,
} from './consent-server.ts'

const MOBILE = { client_kind: 'mobile' }

eachStore((open, engine) => {
  const clock = fakeClock()
  let server: ConsentServer
  beforeEach(async () => {
    server = await startConsentServer({ store: await open({ clock }), clock })
  })

  async function limitTo(oauthClientsMax: number): Promise<void> {
    const { alice, oauth } = server
    await oauth.instances.update(alice.id, { settings: { oauthClientsMax } })
  }

  async function clients(count: number): Promise<RelyingParty[]> {
    const parties: RelyingParty[] = []
    for (let place = 0; place < count; place += 1) {
      parties.push(await server.client({ ...MOBILE, client_name: `Client ${place}` }))
    }
    return parties
  }

  async function post(
    party: RelyingParty,
    headers: Readonly<Record<string, string>> = {},
    at: ConsentServer = server,
  ): Promise<BrowserResponse> {
    const browser = at.browser()
    browser.plantCookie('csrf=csrf-of-this-browser; Path=/')
    const form = { csrf_token: 'csrf-of-this-browser', ...authorizeParameters(party) }
    return browser.post('/auth/authorize', form, { headers })
  }

  const ask = (party: RelyingParty): Promise<BrowserResponse> => server.page(party)

  async function connected(): Promise<number> {
    const alice = await server.oauth.instances.byId(server.alice.id)
    return (await server.oauth.clients.usage(alice ?? server.alice)).count
  }

  describe('the limit of connected clients', () => {
    it('is none by default, and none when it is negative', async () => {
      const parties = await clients(2)
      for (const [place, max] of [undefined, -1].entries()) {
        if (max !== undefined) await limitTo(max)
        expect((await post(parties[place] as RelyingParty)).status).to.equal(302)
      }
    })

    it('shows the limit instead of the consent, 200 to a GET and 403 to a POST', async () => {
      const [first, second] = (await clients(2)) as [RelyingParty, RelyingParty]
      await limitTo(1)
      await allow(server, first)
      const shown = await ask(second)
      expect(shown.status).to.equal(200)
      expect(shown.text).to.include('1 of 1')
      const refused = await post(second)
      expect(refused.status).to.equal(403)
      expect(refused.text).to.include('1 of 1')
      expect(refused.location).to.equal(undefined)
      const json = await post(second, { accept: 'application/json' })
      expect(json.status).to.equal(403)
      expect(JSON.parse(json.text)).to.include({ code: 'client_limit' })
      expect(await connected()).to.equal(1)
    })

    it('does not count the client that asks, so that a connected one can ask again', async () => {
      const [first] = (await clients(1)) as [RelyingParty]
      await limitTo(1)
      await allow(server, first)
      expect((await ask(first)).text).to.include('Allow')
      expect((await post(first)).status).to.equal(302)
    })

    it('counts neither clients that wait nor those of other kinds', async () => {
      const other = await server.client({ client_kind: 'sharing' })
      const [waiting, asking] = (await clients(2)) as [RelyingParty, RelyingParty]
      await limitTo(1)
      await allow(server, other)
      expect(waiting.client.client_id).to.be.a('string')
      expect((await post(asking)).status).to.equal(302)
    })

    it('never holds up a flagship client, but counts it and tells that there are too many', async () => {
      const [first, flagship, third] = (await clients(3)) as [
        RelyingParty,
        RelyingParty,
        RelyingParty,
      ]
      await limitTo(1)
      await allow(server, first)
      await server.oauth.clients.setFlagship(server.alice, flagship.client.client_id, true)
      expect((await post(flagship)).status).to.equal(302)
      expect(await connected()).to.equal(2)
      const told = server.events.filter(({ name }) => name === 'clients.limit.exceeded')
      expect(told.map(({ event }) => event['limit'])).to.deep.equal([1])
      expect((await ask(third)).text).to.include('2 of 1')
    })

    it('lets exactly as many through as there is room for, of many at once', async () => {
      const parties = await clients(8)
      await limitTo(3)
      const answers = await Promise.all(parties.map((party) => post(party)))
      const statuses = answers.map(({ status }) => status).sort((one, two) => one - two)
      expect(statuses).to.deep.equal([302, 302, 302, 403, 403, 403, 403, 403])
      expect(await connected()).to.equal(3)
    })

    // Only there a second process can open the same data.
    if (engine === 'Redis') {
      it('lets no more through when two processes are asked at once', async () => {
        const parties = await clients(8)
        await limitTo(3)
        const store = await open({ clock, sameAs: server.store })
        const other = await startConsentServer({ store, clock, sameAs: server })
        const answers = await Promise.all(
          parties.map((party, place) => post(party, {}, place % 2 === 0 ? server : other)),
        )
        expect(answers.filter(({ status }) => status === 302)).to.have.length(3)
        expect(await connected()).to.equal(3)
        await other.close()
      })
    }

    it('is not got around by a client that changes its kind afterwards', async () => {
      const [first] = (await clients(1)) as [RelyingParty]
      const other = await server.client({ client_kind: 'sharing', client_name: 'Other' })
      await limitTo(2)
      await allow(server, first)
      await allow(server, other)
      const { client } = other
      const change = (): Promise<BrowserResponse> =>
        server.call(`/auth/register/${client.client_id}`, {
          method: 'PUT',
          token: String(client['registration_access_token']),
          json: {
            client_id: client.client_id,
            client_name: 'Other',
            redirect_uris: client['redirect_uris'],
            software_id: client['software_id'],
            client_kind: 'mobile',
          },
        })
      await limitTo(1)
      const refused = await change()
      expect(refused.status).to.equal(400)
      expect(JSON.parse(refused.text)).to.include({ error: 'invalid_client_metadata' })
      expect(await connected()).to.equal(1)
      await limitTo(2)
      expect((await change()).status).to.equal(200)
      expect(await connected()).to.equal(2)
    })

    it('gives a place that became free to one of many at once', async () => {
      const [first, ...others] = (await clients(5)) as [RelyingParty, ...RelyingParty[]]
      await limitTo(1)
      await allow(server, first)
      await server.oauth.clients.revoke(server.alice, first.client.client_id, 'owner')
      const answers = await Promise.all(others.map((party) => post(party)))
      expect(answers.filter(({ status }) => status === 302)).to.have.length(1)
      expect(await connected()).to.equal(1)
    })
  })
})
