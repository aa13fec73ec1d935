import type { ActivityEvent, Instance } from '@svc/platform'
import {
  type BrowserClient,
  eachStore,
  fakeClock,
  type RelyingParty,
  relyingParty,
} from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { allowAgain, allowClient } from '../support/allowed-clients.ts'
import { ask, startWithSettings } from '../support/settings-server.ts'
import { ALICE, createAlice, logIn, type UiServer } from '../support/ui-server.ts'

const SCOPE = 'io.svc.contacts:GET'

interface Entry {
  readonly id: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** @see decision D103 */
eachStore((open) => {
  describe('an app that renamed itself after it was allowed', () => {
    let server: UiServer
    let instance: Instance
    let browser: BrowserClient
    let party: RelyingParty
    let noted: ActivityEvent[]

    beforeEach(async () => {
      const clock = fakeClock()
      server = await startWithSettings({ clock, store: await open({ clock }) })
      noted = []
      server.oauth.useActivity({
        pending(_, event) {
          noted.push(event)
          return []
        },
        refused: async () => {},
        used() {},
      })
      ;({ instance } = await createAlice(server))
      browser = server.browser()
      await logIn(browser)
      party = relyingParty({ issuer: ALICE, port: server.port })
      await party.register({ client_name: 'Weather' })
      await allowClient(browser, server.port, SCOPE, {}, party)
    })
    afterEach(() => server.close())

    async function rename(client_name: string): Promise<void> {
      const { client_id, registration_access_token: token } = party.client
      const answer = await browser.another().request('PUT', `/auth/register/${client_id}`, {
        headers: { authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ client_id, client_name }),
      })
      expect(answer.status, answer.text).to.equal(200)
    }

    async function listed(path: string): Promise<readonly Entry[]> {
      const answer = await ask(browser, 'GET', path)
      expect(answer.status).to.equal(200)
      return answer.json<{ data: readonly Entry[] }>().data
    }

    const asked = async (): Promise<string> => {
      const { url } = await party.authorize({ scope: SCOPE })
      return (await browser.get(url)).page().text
    }

    const finding = async (): Promise<Entry['attributes'] | undefined> =>
      (await listed('/settings/checkup')).find(({ id }) => id === 'renamed-app')?.attributes

    it('has both names in the lists, until it is allowed by the new one', async () => {
      const { client_id } = party.client
      const names = async (): Promise<readonly unknown[]> => {
        const [client] = await listed('/settings/clients')
        const access = (await listed('/settings/access')).find(({ id }) => id === client_id)
        return [client, access].map((each) => each?.attributes['former_name'])
      }
      expect(await names()).to.deep.equal([undefined, undefined])
      await rename('Rain')
      await rename('Your Bank')
      expect(await names()).to.deep.equal(['Weather', 'Weather'])
      await allowAgain(browser, party, SCOPE)
      expect(await names()).to.deep.equal([undefined, undefined])
    })

    it('is asked about by both names', async () => {
      expect(await asked()).to.not.include('You allowed it as')
      await rename('Your Bank')
      expect(await asked())
        .to.include('Your Bank')
        .and.include('You allowed it as “ Weather ”.')
      await allowAgain(browser, party, SCOPE)
      expect(await asked()).to.not.include('You allowed it as')
    })

    it('is noted by both names, and by both in what it does from then on', async () => {
      await rename('Your Bank')
      const names = { name: 'Your Bank', formerName: 'Weather' }
      const [changed] = noted.filter(({ event }) => event === 'client.changed')
      expect(changed?.target).to.include(names)
      await allowAgain(browser, party, SCOPE)
      expect(noted.findLast(({ event }) => event === 'consent.given')?.target).to.include(names)
      await server.oauth.clients.revoke(instance, party.client.client_id, 'test')
      const removed = noted.findLast(({ event }) => event === 'client.removed')
      expect(removed?.target).to.include({ name: 'Your Bank' }).and.not.have.property('formerName')
    })

    for (const name of ['Settings', 'Sеttings', 'settings 2']) {
      it(`is told as urgent when the name is "${name}", with the place that ends it`, async () => {
        expect((await finding())?.['state']).to.equal('ok')
        await rename(name)
        const { client_id: id } = party.client
        expect(await finding()).to.deep.equal({
          state: 'urgent',
          href: `#/apps/${id}`,
          name,
          former: 'Weather',
        })
        expect(await asked()).to.include('This looks like an imitation.')
      })
    }

    it('is no warning while its name is like none of the space', async () => {
      await rename('Rain')
      expect((await finding())?.['state']).to.equal('ok')
    })

    it('is warned of though it is certified: what vouched for it knew another name', async () => {
      await server.oauth.clients.setFlagship(instance, party.client.client_id, true)
      expect(await asked()).to.not.include('imitation')
      await rename('Settings')
      expect(await asked()).to.include('This looks like an imitation.')
    })
  })
})
