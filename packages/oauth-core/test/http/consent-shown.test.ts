import { HOUR_MS } from '@svc/platform'
import {
  type BrowserClient,
  type BrowserResponse,
  eachStore,
  type RelyingParty,
} from '@svc/testkit'
import { expect } from 'chai'
import type { ClientId } from '../../src/clients/client.ts'
import { type ConsentServer, startConsentServer, tokensAt } from './consent-server.ts'

const SCOPE = 'io.svc.files:GET io.svc.contacts'
const OUTDATED = 'The form does not match the page it was sent from'

type Fields = Readonly<Record<string, string>>

/** @see decision D103 */
eachStore((open) => {
  describe('POST /auth/authorize from a page of before', () => {
    let server: ConsentServer
    let party: RelyingParty
    let browser: BrowserClient

    beforeEach(async () => {
      server = await startConsentServer({ openStore: (clock) => open({ clock }) })
      party = await server.client({ client_name: 'Weather' })
      browser = server.browser()
    })

    async function openPage(scope = SCOPE): Promise<Fields> {
      const page = await server.page(party, { scope }, browser)
      return Object.fromEntries(page.page().form('/auth/authorize').fields)
    }

    const press = (page: Fields, fields: Fields = {}): Promise<BrowserResponse> =>
      browser.post('/auth/authorize', { ...page, ...fields })

    async function allow(scope = SCOPE): Promise<void> {
      const { location = '' } = await press(await openPage(scope))
      await tokensAt(party, { location })
    }

    const update = (changes: Readonly<Record<string, unknown>>): Promise<BrowserResponse> =>
      server.call(`/auth/register/${party.client.client_id}`, {
        method: 'PUT',
        token: String(party.client['registration_access_token']),
        json: { client_id: party.client.client_id, ...changes },
      })

    /** The owner takes rights away in the settings. */
    const leave = (scope: string): Promise<string> =>
      server.oauth.clients.changeAccess(server.alice, party.client.client_id, { scope })

    const scopes = (): Promise<readonly string[]> =>
      server.oauth.clients.scopes(server.alice, party.client.client_id as ClientId)

    function expectOutdated(answer: BrowserResponse): void {
      expect(answer.status).to.equal(400)
      expect(answer.page().text).to.equal(OUTDATED)
      expect(answer.location).to.equal(undefined)
    }

    const changes: readonly Readonly<Record<string, unknown>>[] = [
      { client_name: 'Your Bank' },
      { client_uri: 'https://bank.example' },
      { policy_uri: 'https://bank.example/policy' },
      { logo_uri: 'https://bank.example/logo.png' },
      { client_uri: null },
    ]
    for (const change of changes) {
      it(`answers 400 when the client meanwhile said ${JSON.stringify(change)}`, async () => {
        await update({ client_uri: 'https://client.example' })
        const page = await openPage()
        expect((await update(change)).status).to.equal(200)
        expectOutdated(await press(page))
        expect(server.events.filter(({ name }) => name === 'code.created')).to.be.empty
        expect((await press(await openPage())).status).to.equal(302)
      })
    }

    it('is good while the client changes what no page shows', async () => {
      const page = await openPage()
      expect((await update({ software_version: '2' })).status).to.equal(200)
      expect((await press(page)).status).to.equal(302)
    })

    it('never gives a code for another name than the one shown, however close the renaming comes', async () => {
      for (let round = 0; round < 5; round += 1) {
        party = await server.client({ client_name: `Weather ${round}` })
        const page = await openPage()
        const [answer] = await Promise.all([press(page), update({ client_name: 'Your Bank' })])
        if (answer.status === 400) continue
        const { event } = server.events.findLast(({ name }) => name === 'code.created') ?? {}
        const { client } = event as { client: { metadata: { client_name: string } } }
        expect(client.metadata.client_name).to.equal(`Weather ${round}`)
      }
    })

    it('answers 400 when a part of what it called new was taken away', async () => {
      await allow('io.svc.files:GET,POST io.svc.contacts')
      const page = await openPage('io.svc.files io.svc.contacts')
      await leave('io.svc.contacts')
      expectOutdated(await press(page))
      expect(await scopes()).to.deep.equal(['io.svc.contacts'])
    })

    it('answers 400 when what it asked for was given and taken away again', async () => {
      const page = await openPage()
      await allow()
      await leave('io.svc.contacts')
      expectOutdated(await press(page))
      expect(await scopes()).to.deep.equal(['io.svc.contacts'])
      expect((await press(await openPage())).status).to.equal(302)
    })

    it('answers 400 when another page left out what this one asks for', async () => {
      await allow()
      const page = await openPage()
      const other = await openPage()
      expect((await press(other, { choice: '1', 'permission-1': '1' })).status).to.equal(302)
      expectOutdated(await press(page))
      expect(await scopes()).to.deep.equal(['io.svc.contacts'])
    })

    it('answers 400 when its time was changed', async () => {
      const { location = '' } = await press(await openPage(), { duration: '1h' })
      await tokensAt(party, { location })
      const page = await openPage()
      const { client_id: id } = party.client
      await server.oauth.clients.changeAccess(server.alice, id, { duration: '30d' })
      expectOutdated(await press(page))
    })

    it('is good after another page gave more, and when its own button is pressed twice', async () => {
      const page = await openPage()
      await allow('io.svc.notes')
      const narrow = { choice: '1', 'permission-1': '1' }
      const answers = await Promise.all([press(page, narrow), press(page, narrow)])
      expect(answers.map(({ status }) => status)).to.deep.equal([302, 302])
      expect((await press(page, narrow)).status).to.equal(302)
    })

    it('is good twice when its answer ends what the client had', async () => {
      await allow('io.svc.notes')
      const page = await openPage()
      const answers = await Promise.all([
        press(page, { duration: '1h' }),
        press(page, { duration: '1h' }),
      ])
      expect(answers.map(({ status }) => status)).to.deep.equal([302, 302])
    })

    it('leaves nothing that was taken away at the same moment', async () => {
      for (let round = 0; round < 5; round += 1) {
        party = await server.client({ client_name: `Weather ${round}` })
        await allow()
        const page = await openPage()
        await Promise.all([press(page), leave('io.svc.contacts')])
        for (const scope of await scopes()) expect(scope).to.equal('io.svc.contacts')
      }
    })

    it('remembers a change as long as a page from before can be answered', async () => {
      const page = await openPage()
      await allow()
      await leave('io.svc.contacts')
      server.clock.advance(HOUR_MS - 1000)
      expectOutdated(await press(page))
      server.clock.advance(2 * HOUR_MS)
      expect((await press(await openPage())).status).to.equal(302)
    })
    async function rename(name: string): Promise<string | undefined> {
      const answer = await update({ client_name: name })
      expect(answer.json()).to.include({ client_name: name }).and.not.have.property('formerName')
      return (await server.oauth.clients.get(server.alice, party.client.client_id))?.formerName
    }

    it('names a client by what it was allowed as, however often it renames itself, until it has that name again', async () => {
      expect(await rename('Rain'), 'nobody allowed it').to.equal(undefined)
      await allow()
      expect(await rename('Sun')).to.equal('Rain')
      expect(await rename('Your Bank')).to.equal('Rain')
      expect(await rename('Rain')).to.equal(undefined)
    })

    it('shows a renamed client by both names, until it is allowed by the new one', async () => {
      await allow()
      await rename('Your Bank')
      await allow()
      expect(server.pages.views.at(-1)?.client).to.include({ formerName: 'Weather' })
      await allow()
      expect(server.pages.views.at(-1)?.client.formerName).to.equal(undefined)
    })
  })
})
