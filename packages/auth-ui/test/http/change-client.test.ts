import { setImmediate as nextTurn } from 'node:timers/promises'
import { DAY_MS, HOUR_MS, type Instance } from '@svc/platform'
import {
  type BrowserClient,
  type BrowserResponse,
  anyStore,
  type FakeClock,
  fakeClock,
  relyingParty,
} from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { allowAgain, type AllowedClient, allowClient } from '../support/allowed-clients.ts'
import { ask, startWithSettings } from '../support/settings-server.ts'
import { ALICE, logIn, type UiServer, withAlice } from '../support/ui-server.ts'

const SCOPE = 'io.svc.settings:GET io.svc.contacts io.svc.files:GET:one,two'
const MINE = '/settings/passphrase'

interface Attributes {
  readonly scope: string
  readonly expires_at?: string
  readonly permissions: readonly { readonly scope: string; readonly until?: string }[]
}

anyStore((open) => {
  describe('PATCH /settings/clients/:id', () => {
    let clock: FakeClock
    let server: UiServer
    let browser: BrowserClient
    let instance: Instance

    beforeEach(async () => {
      clock = fakeClock()
      ;({ server, instance, browser } = await withAlice(
        startWithSettings({ clock, store: await open({ clock }) }),
      ))
      await logIn(browser)
    })
    afterEach(() => server.close())

    const allow = (
      fields: Readonly<Record<string, string>> = {},
      scope = SCOPE,
      { party }: Partial<AllowedClient> = {},
    ): Promise<AllowedClient> => allowClient(browser, server.port, scope, fields, party)

    const patch = ({ id }: Pick<AllowedClient, 'id'>, body: unknown): Promise<BrowserResponse> =>
      ask(browser, 'PATCH', `/settings/clients/${id}`, body)

    async function changed(client: AllowedClient, body: unknown): Promise<Attributes> {
      const answer = await patch(client, body)
      expect(answer.status, answer.text).to.equal(200)
      return answer.json<{ data: { attributes: Attributes } }>().data.attributes
    }

    async function statusOf(token: string): Promise<number> {
      const headers = { authorization: `Bearer ${token}` }
      return (await browser.another().get(MINE, { headers })).status
    }

    async function refreshed({ party, tokens }: AllowedClient): Promise<Record<string, unknown>> {
      return party.refresh(tokens.refresh_token ?? '').catch(() => ({}))
    }

    it('lets an access last longer without the client, which goes on beyond the old end', async () => {
      clock.stop()
      const client = await allow({ duration: '1d' })
      const { expires_at } = await changed(client, { duration: '30d' })
      expect(Date.parse(expires_at ?? '') - clock.now()).to.be.within(
        30 * DAY_MS - 1000,
        30 * DAY_MS,
      )
      clock.advance(29 * DAY_MS)
      const { access_token } = await refreshed(client)
      expect(await statusOf(String(access_token))).to.equal(200)
      clock.advance(DAY_MS)
      expect(await statusOf(String(access_token))).to.equal(401)
      expect(await refreshed(client)).to.deep.equal({})
    })

    it('changes every live grant, takes nothing away and can take the end off', async () => {
      const client = await allow({ duration: '1d' }, 'io.svc.contacts')
      clock.advance(12 * HOUR_MS)
      await allow({ duration: '30d' }, 'io.svc.notes', client)
      const ends = (await changed(client, { duration: '1d' })).permissions.map(({ until = '' }) =>
        Math.ceil((Date.parse(until) - clock.now()) / DAY_MS),
      )
      expect(ends).to.have.members([1, 30])
      expect(await changed(client, { duration: 'until_revoked' })).not.to.have.property(
        'expires_at',
      )
      expect(await changed(client, { duration: '1h' })).not.to.have.property('expires_at')
      clock.advance(100 * DAY_MS)
      expect(await refreshed(client)).to.have.property('access_token')
    })

    it('takes single rights away: the token is refused at once, the next one has what is left', async () => {
      const client = await allow()
      expect(await statusOf(client.tokens.access_token)).to.equal(200)
      const scope = 'io.svc.contacts:GET io.svc.files:GET:one'
      expect((await changed(client, { scope })).scope).to.equal(scope)
      expect(await statusOf(client.tokens.access_token)).to.equal(401)
      const next = await refreshed(client)
      expect(next['scope']).to.equal(scope)
      expect(await statusOf(String(next['access_token']))).to.equal(403)
    })

    it('leaves the tokens of a grant that loses nothing alone, and ends one that loses everything', async () => {
      const client = await allow({}, 'io.svc.settings:GET')
      const other = await allow({}, 'io.svc.contacts', client)
      expect((await changed(client, { scope: 'io.svc.settings:GET' })).scope).to.equal(
        'io.svc.settings:GET',
      )
      expect(await statusOf(client.tokens.access_token)).to.equal(200)
      expect(await refreshed(other)).to.deep.equal({})
    })

    const refusedScopes = [
      '',
      '*',
      'nonsense:XX',
      'io.svc.settings:GET,PUT',
      'io.svc.settings.*:GET',
      'io.svc.files:GET',
      'io.svc.files:GET:three',
      `${SCOPE} io.svc.notes`,
    ]
    for (const scope of refusedScopes) {
      it(`refuses ${JSON.stringify(scope)}, which the client does not have`, async () => {
        const client = await allow()
        const answer = await patch(client, { scope, duration: '1d' })
        expect(answer.status).to.equal(400)
        expect(answer.text).to.include('scope')
        expect((await changed(client, { duration: '1h' })).scope).to.equal(SCOPE)
      })
    }

    it('answers 409 when everything ended, and 404 without the client or before it was allowed', async () => {
      const client = await allow({ duration: '1h' })
      clock.advance(HOUR_MS)
      const answer = await patch(client, { duration: '30d' })
      expect(refusalOf(answer)).to.equal('409 ended')
      expect((await patch({ id: 'x' }, { duration: '30d' })).status).to.equal(404)
      const waiting = relyingParty({ issuer: ALICE, port: server.port })
      const { client_id: id } = await waiting.register()
      expect((await patch({ id }, { duration: '30d' })).status).to.equal(404)
    })

    it('does not spoil a code that is exchanged at the same moment', async () => {
      const { party, id } = await allow()

      const { url, exchange } = await allowAgain(browser, party, SCOPE, { duration: '1d' })
      let isOver = false
      const exchanging = exchange(url).finally(() => {
        isOver = true
      })
      while (!isOver) {
        await nextTurn()
        clock.advance(1000)
        await server.oauth.clients.changeAccess(instance, id, { duration: '30d' })
      }
      expect(await statusOf((await exchanging).access_token)).to.equal(200)
    })
  })
})
