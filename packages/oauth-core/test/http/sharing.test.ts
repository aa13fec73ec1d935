import { anyStore, type BrowserClient, type BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import type { SharingAnswer, SharingOffer, Sharings } from '../../src/authorize/sharings.ts'
import { VERBS } from '../../src/scopes/permission.ts'
import { parseScope } from '../../src/scopes/scope.ts'
import { VERIFIER } from '../client-steps.ts'
import {
  authorizeParameters,
  type ConsentServer,
  REDIRECT_URI,
  startConsentServer,
} from './consent-server.ts'

const OFFER: SharingOffer = {
  id: 'sharing-1',
  sharer: { name: 'Bob', domain: 'bob.example.com' },
  permissions: [{ type: 'io.svc.files', verbs: ['GET'], values: ['folder-1'] }],
  appSlug: 'drive',
}
const PATH = '/auth/authorize/sharing'
type Fields = Readonly<Record<string, string | undefined>>

anyStore((open) => {
  let server: ConsentServer
  let accepted: SharingAnswer[]
  let offer: SharingOffer | undefined
  let failure: unknown
  beforeEach(async () => {
    accepted = []
    offer = OFFER
    failure = undefined
    const sharings: Sharings = {
      find: async (_, id, state) =>
        id === offer?.id && state === 'the state' && accepted.length === 0 ? offer : undefined,
      parseRules: async (_, { rules }) => {
        const permissions = rules === '*' ? [{ type: '*', verbs: VERBS }] : parseScope(rules)
        return permissions && { ...OFFER, permissions }
      },
      async accept(_, answer) {
        if (failure !== undefined) throw failure
        accepted.push(answer)
        return { path: '/#/shared?x=1' }
      },
      addShortcut: async () => ({ path: '/shortcuts?a=b#c' }),
      cancelUrl: async (_, id) =>
        id === OFFER.id ? 'https://bob.example.com/preview?s=1' : undefined,
    }
    server = await startConsentServer({ openStore: (clock) => open({ clock }), sharings })
  })

  const query = (fields: Fields): string =>
    `${PATH}?${new URLSearchParams(defined(fields)).toString()}`
  const show = (fields: Fields, browser = server.browser()): Promise<BrowserResponse> =>
    browser.get(query({ state: 'the state', sharing_id: 'sharing-1', ...fields }))

  function post(
    fields: Fields,
    browser: BrowserClient = server.browser(),
  ): Promise<BrowserResponse> {
    browser.plantCookie('csrf=csrf-of-this-browser; Path=/')
    const form = { csrf_token: 'csrf-of-this-browser', state: 'the state', ...fields }
    return browser.post(PATH, defined(form))
  }

  describe('a sharing without a client', () => {
    const faults: readonly [fields: Fields, text: string][] = [
      [{ state: undefined }, 'The state parameter is mandatory'],
      [{ sharing_id: undefined }, 'The sharing_id parameter is mandatory'],
      [{ sharing_id: 'unknown' }, 'This item is no longer available'],
      [{ sharing_id: '../x' }, 'This item is no longer available'],
      [{ state: 'of somebody else' }, 'This item is no longer available'],
    ]
    for (const [fields, text] of faults) {
      it(`answers 400 to GET and POST with ${String(Object.entries(fields))}`, async () => {
        for (const answer of [
          await show(fields),
          await post({ sharing_id: 'sharing-1', ...fields }),
        ]) {
          expect(answer.status).to.equal(400)
          expect(answer.text).to.include(text)
        }
        expect(accepted).to.deep.equal([])
      })
    }

    it('leads to the login first, and answers 401 to a POST', async () => {
      const anonymous = server.browser({ loggedIn: false })
      const answer = await show({}, anonymous)
      expect(answer.status).to.equal(302)
      expect(answer.location).to.match(/^\/auth\/login\?redirect=/)
      expect((await post({ sharing_id: 'sharing-1' }, anonymous)).status).to.equal(401)
    })

    it('shows who shares, and leads to the app once accepted', async () => {
      const browser = server.browser()
      const page = await show({}, browser)
      expect(page.status).to.equal(200)
      expect(page.text).to.include('Bob of bob.example.com')
      const answer = await browser.submit(page.page().form(PATH), {}, 'Accept')
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal(
        'https://drive.alice.example.com/?sharing=sharing-1#/shared?x=1',
      )
      expect(accepted).to.deep.equal([{ offer: OFFER, state: 'the state' }])
      expect((await show({}, browser)).status).to.equal(400)
    })

    it('tells a script that asks for data where the app is', async () => {
      const browser = server.browser()
      const { fields } = (await show({}, browser)).page().form(PATH)
      const answer = await browser.post(PATH, fields, { headers: { accept: 'application/json' } })
      expect(answer.status).to.equal(200)
      expect(answer.json()).to.deep.equal({
        redirect: 'https://drive.alice.example.com/?sharing=sharing-1#/shared?x=1',
      })
    })

    for (const status of [400, 401, 403, 404, 409, 410]) {
      it(`answers 400 when the other side answers ${status}`, async () => {
        failure = Object.assign(new Error('no'), { status })
        const answer = await post({ sharing_id: 'sharing-1' })
        expect(answer.status).to.equal(400)
        expect(answer.text).to.include('This item is no longer available')
      })
    }

    it('answers 500 when anything else goes wrong', async () => {
      failure = new Error('no')
      expect((await post({ sharing_id: 'sharing-1' })).status).to.equal(500)
    })

    it('keeps a shortcut without taking part', async () => {
      const answer = await show({ shortcut: 'true' })
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal(
        'https://drive.alice.example.com/shortcuts?a=b&sharing=sharing-1#c',
      )
      expect(accepted).to.deep.equal([])
    })

    it('is refused by a link to the preview, else home; 401 to nobody', async () => {
      const browser = server.browser()
      const refused = await browser.get(`${PATH}/sharing-1/cancel?state=s`)
      expect(refused.status).to.equal(302)
      expect(refused.location).to.equal('https://bob.example.com/preview?s=1')
      const unknown = await browser.get(`${PATH}/other/cancel`)
      expect(unknown.location).to.equal('https://alice.example.com/')
      const anonymous = server.browser({ loggedIn: false })
      expect((await anonymous.get(`${PATH}/sharing-1/cancel`)).status).to.equal(401)
    })
  })

  describe('a sharing that a client asks for (D31)', () => {
    it('ends in a code for exactly the rules, and names the sharing', async () => {
      const party = await server.client()
      const scope = 'io.svc.files:GET:folder-1'
      const fields = authorizeParameters(party, { scope })
      const browser = server.browser()
      const page = await show({ ...fields, sharing_id: undefined }, browser)
      expect(page.status).to.equal(200)
      const answer = await browser.submit(page.page().form(PATH), {}, 'Accept')
      expect(answer.status).to.equal(302)
      const start = REDIRECT_URI.replaceAll(/[.?+]/g, '\\$&')
      expect(answer.location).to.match(
        new RegExp(
          `^${start}&access_code=[\\w-]+&code=[\\w-]+&state=the%20state&sharing=sharing-1&iss=[^&]+#$`,
        ),
      )
      const pending = { url: '', state: 'the state', codeVerifier: VERIFIER }
      expect((await party.exchange(answer.location ?? '', pending)).scope).to.equal(scope)
      expect(accepted[0]?.client?.id).to.equal(party.client.client_id)
    })

    it('tells a script that asks for data where the client is', async () => {
      const fields = authorizeParameters(await server.client(), {
        scope: 'io.svc.files:GET:folder-1',
      })
      const browser = server.browser()
      const page = await show({ ...fields, sharing_id: undefined }, browser)
      const answer = await browser.post(PATH, page.page().form(PATH).fields, {
        headers: { accept: 'application/json' },
      })
      expect(answer.status).to.equal(200)
      const { redirect } = answer.json<{ redirect: string }>()
      expect(redirect.startsWith(`${REDIRECT_URI}&access_code=`)).to.equal(true)
    })

    it('is answered no more once the client calls itself otherwise (D103)', async () => {
      const party = await server.client({ client_name: 'Weather' })
      const { client_id, registration_access_token: token } = party.client
      const browser = server.browser()
      const page = await show({ ...authorizeParameters(party), sharing_id: undefined }, browser)
      const renamed = await server.call(`/auth/register/${client_id}`, {
        method: 'PUT',
        token: String(token),
        json: { client_id, client_name: 'Your Bank' },
      })
      expect(renamed.status).to.equal(200)
      const answer = await browser.submit(page.page().form(PATH), {}, 'Accept')
      expect(answer.status).to.equal(400)
      expect(answer.page().text).to.equal('The form does not match the page it was sent from')
      expect(accepted).to.deep.equal([])
    })

    const faults: readonly [changes: Fields, text: string][] = [
      [{ state: '' }, 'The state parameter is mandatory'],
      [{ client_id: 'unknown' }, 'The client must be registered'],
      [{ redirect_uri: 'https://evil.example/' }, 'redirect_uri parameter doesn'],
      [{ response_type: 'token' }, 'Invalid response type'],
      [{ code_challenge: 'short' }, 'Invalid challenge code method'],
      [{ scope: '' }, 'The scope parameter is mandatory'],
      [{ scope: 'Not Rules' }, 'Invalid scope'],
      [{ scope: '*' }, 'Invalid scope'],
      [{ scope: 'io.svc.apps' }, 'Invalid scope'],
      [{ scope: 'io.svc.files', sharing_id: 'another' }, 'Invalid scope'],
    ]
    for (const [changes, text] of faults) {
      it(`answers 400 to GET and POST with ${JSON.stringify(changes)}`, async () => {
        const party = await server.client()
        const fields = { ...authorizeParameters(party), ...changes }
        for (const answer of [await server.browser().get(query(fields)), await post(fields)]) {
          expect(answer.status).to.equal(400)
          expect(answer.text).to.include(text)
          expect(answer.location).to.equal(undefined)
        }
        expect(accepted).to.deep.equal([])
      })
    }

    it('answers 401 to nobody, and respects the limit of connected clients', async () => {
      const party = await server.client({ client_kind: 'mobile' })
      const fields = authorizeParameters(party, { scope: 'io.svc.files' })
      const anonymous = server.browser({ loggedIn: false })
      expect((await anonymous.get(query(fields))).status).to.equal(302)
      expect((await post(fields, anonymous)).status).to.equal(401)
      const { alice, oauth } = server
      await oauth.instances.update(alice.id, { settings: { oauthClientsMax: 0 } })
      expect((await server.browser().get(query(fields))).text).to.include('0 of 0')
      expect((await post(fields)).status).to.equal(403)
      expect(accepted).to.deep.equal([])
    })

    it('gives no code when the other side is gone', async () => {
      failure = Object.assign(new Error('no'), { status: 410 })
      const party = await server.client()
      const answer = await post(authorizeParameters(party, { scope: 'io.svc.files' }))
      expect(answer.status).to.equal(400)
      expect(server.events.filter(({ name }) => name === 'code.created')).to.deep.equal([])
    })
  })
})

function defined(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
