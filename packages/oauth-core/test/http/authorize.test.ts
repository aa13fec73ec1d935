import { type BrowserClient, eachStore, type RelyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { authorizeSchema } from '../../src/authorize/authorize.schema.ts'
import { CHALLENGE } from '../client-steps.ts'
import {
  allow,
  authorizeParameters,
  authorizeUrl,
  type ConsentServer,
  DRIVE,
  REDIRECT_URI,
  startConsentServer,
} from './consent-server.ts'

eachStore((open) => {
  describe('/auth/authorize', () => {
    let server: ConsentServer
    let party: RelyingParty
    let browser: BrowserClient

    beforeEach(async () => {
      server = await startConsentServer({ openStore: (clock) => open({ clock }) })
      party = await server.client()
      browser = server.browser()
    })

    it('adds its answer to the bytes of the registered address', async () => {
      const page = await server.page(party, {}, browser)
      const answer = await browser.submit(page.page().form('/auth/authorize'), {}, 'Allow')
      const [, code = ''] = /access_code=([A-Za-z0-9_-]+)/.exec(answer.location ?? '') ?? []
      expect(code.length).to.be.at.least(22)
      expect(answer.location).to.equal(
        `${REDIRECT_URI}&access_code=${code}&code=${code}&state=the%20state` +
          '&iss=https%3A%2F%2Falice.example.com#',
      )
      expect(answer.text).to.equal('')
      expect(answer.headers['cache-control']).to.equal('no-store')
    })

    it('shows who asks for what', async () => {
      await server.page(party, {}, browser)
      const [view] = server.pages.views
      expect(view?.client.id).to.equal(party.client.client_id)
      expect(view?.permissions.map(({ type }) => type)).to.deep.equal([
        'io.svc.files',
        'io.svc.contacts',
      ])
      expect(view?.redirectUri).to.equal(REDIRECT_URI)
      expect(view?.formActionSource).to.equal('https://client.example')
      expect(view?.cancelUrl).to.equal(
        `${REDIRECT_URI}&error=access_denied&state=the%20state&iss=https%3A%2F%2Falice.example.com`,
      )
      expect(Object.keys(view?.fields ?? {})).to.deep.equal([
        'client_id',
        'state',
        'redirect_uri',
        'scope',
        'response_type',
        'code_challenge',
        'code_challenge_method',
        'consent',
      ])
    })

    it('leaves the challenge out of a form without one', async () => {
      const without = { code_challenge: undefined, code_challenge_method: undefined }
      await server.page(party, without, browser)
      expect(Object.keys(server.pages.views[0]?.fields ?? {})).not.to.include('code_challenge')
      expect((await allow(server, party, without)).scope).to.include('io.svc.files')
    })

    it('notes that the client was allowed, and with what', async () => {
      const before = await server.oauth.clients.get(server.alice, party.client.client_id)
      expect(before?.pending).to.equal(true)
      const page = await server.page(party, {}, browser)
      const fields = Object.fromEntries(page.page().form('/auth/authorize').fields)
      const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0'
      const answer = await browser.post('/auth/authorize', fields, {
        headers: { 'user-agent': userAgent },
      })
      expect(answer.status).to.equal(302)
      const after = await server.oauth.clients.get(server.alice, party.client.client_id)
      expect(after).to.include({ pending: false, os: 'Linux' })
      expect(server.events.find(({ name }) => name === 'code.created')?.event).to.include({
        scope: 'io.svc.files:GET io.svc.contacts',
        address: '127.0.0.1',
      })
      expect(server.logged.join('\n')).not.to.include(
        new URL(answer.location ?? '').searchParams.get('code') ?? 'no code',
      )
    })

    it('gives each of two answers to one page a code of its own', async () => {
      const page = await server.page(party, {}, browser)
      const form = page.page().form('/auth/authorize')
      const answers = await Promise.all([browser.submit(form), browser.submit(form)])
      const codes = answers.map(({ location }) => new URL(location ?? '').searchParams.get('code'))
      expect(new Set(codes).size).to.equal(2)
    })

    describe('states', () => {
      it('come back byte for byte', async () => {
        for (const state of ['é€😀', 'a+b c&d=e#f%20', '\'"<>`{}|\\^~!*()', 'x'.repeat(4096)]) {
          const page = await server.page(party, { state }, browser)
          const answer = await browser.submit(page.page().form('/auth/authorize'), {}, 'Allow')
          expect(new URL(answer.location ?? '').searchParams.get('state')).to.equal(state)
        }
      })
    })

    describe('out-of-band targets', () => {
      for (const uri of ['urn:ietf:wg:oauth:2.0:oob', 'urn:ietf:wg:oauth:2.0:oob:auto']) {
        it(`shows the code in the title for ${uri}`, async () => {
          const oob = await server.client({ redirect_uris: [uri] })
          const changes = { redirect_uri: uri, state: 'a<b' }
          const page = await server.page(oob, changes, browser)
          const answer = await browser.submit(page.page().form('/auth/authorize'), {}, 'Allow')
          expect(answer.status).to.equal(200)
          expect(answer.location).to.equal(undefined)
          expect(answer.page().title).to.match(/^Success code=[A-Za-z0-9_-]{22,}&state=a<b$/)
          expect(server.pages.views[0]?.cancelUrl).to.equal('/')
          expect(server.pages.views[0]?.formActionSource).to.equal(undefined)
        })
      }
    })

    describe('linked clients', () => {
      let linked: RelyingParty
      beforeEach(async () => {
        linked = await server.client({ software_id: 'registry://drive/stable' })
      })

      it('get what their app has, whatever they ask for', async () => {
        server.installed.set('drive', DRIVE)
        for (const scope of [undefined, '', 'io.svc.bank', '*', 'not a scope!']) {
          const page = await server.page(linked, { scope }, browser)
          expect(page.status).to.equal(200)
          expect(page.text).to.include('Allow Drive?')
        }
        const [view] = server.pages.views
        expect(view?.linkedApp?.slug).to.equal('drive')
        expect(view?.permissions.map(({ type }) => type)).to.deep.equal([
          'io.svc.files',
          'io.svc.apps',
        ])
      })

      it('carry the scope of their app, and name its address', async () => {
        server.installed.set('drive', DRIVE)
        const page = await server.page(linked, {}, browser)
        const answer = await browser.submit(page.page().form('/auth/authorize'), {}, 'Allow')
        expect(answer.location).to.match(
          /&state=the%20state&fallback=https%3A%2F%2Fdrive\.alice\.example\.com%2F&iss=[^&]+#$/,
        )
        const tokens = await allow(server, linked)
        expect(tokens.scope).to.equal('@io.svc.apps/drive')
        const called = await server.call('/files', { token: tokens.access_token })
        expect(called.json()).to.deep.equal({ kind: 'access', owner: 'io.svc.apps/drive' })
        expect(
          (await server.call('/apps', { method: 'POST', token: tokens.access_token })).status,
        ).to.equal(403)
      })

      it('are refused when the registry has lost their app', async () => {
        server.available.clear()
        const answer = await server.page(linked, {}, browser)
        expect(answer.status).to.equal(400)
        expect(answer.page().text).to.equal('Cannot find application on instance registries')
      })
    })

    describe('POST', () => {
      async function form(changes: Readonly<Record<string, string | undefined>> = {}) {
        const page = await server.page(party, changes, browser)
        return page.page().form('/auth/authorize')
      }

      it('answers 200 with the address to a script that asks for data', async () => {
        const { fields } = await form()
        const headers = { accept: 'application/json' }
        const answer = await browser.post('/auth/authorize', fields, { headers })
        expect(answer.status).to.equal(200)
        expect(answer.location).to.equal(undefined)
        expect(answer.headers['cache-control']).to.equal('no-store')
        const { redirect } = answer.json<{ redirect: string }>()
        expect(redirect.startsWith(`${REDIRECT_URI}&access_code=`)).to.equal(true)
        expect(redirect).to.match(/#$/)
      })

      it('takes a form of the fields that the documents call mandatory', async () => {
        const { anyOf } = authorizeSchema as unknown as { anyOf: [{ required: string[] }] }
        const [{ required }] = anyOf
        expect(required).to.not.include('consent')
        const shown = (await form({ code_challenge: undefined, code_challenge_method: undefined }))
          .fields
        const fields = shown.filter(([name]) => required.includes(name))
        expect(fields.map(([name]) => name)).to.have.members(required)
        expect((await browser.post('/auth/authorize', fields)).status).to.equal(302)
      })

      it('takes less scope than was shown', async () => {
        const answer = await browser.submit(await form(), { scope: 'io.svc.files:GET:one' })
        expect(answer.status).to.equal(302)
        const tokens = await party.exchange(answer.location ?? '', {
          url: '',
          state: 'the state',
          codeVerifier: 'v'.repeat(43),
        })
        expect(tokens.scope).to.equal('io.svc.files:GET:one')
      })

      const tampered: readonly (readonly [string, Readonly<Record<string, string | undefined>>])[] =
        [
          ['more scope', { scope: 'io.svc.files:GET io.svc.contacts io.svc.bank' }],
          ['another scope', { scope: 'io.svc.bank' }],
          ['more verbs', { scope: 'io.svc.files' }],
          ['another state', { state: 'other' }],
          ['another challenge', { code_challenge: 'x'.repeat(43) }],
          ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
          ['another registered redirect', { redirect_uri: 'https://client.example/second' }],
          ['a broken seal', { consent: 'x' }],
          ['an empty seal', { consent: '' }],
        ]
      it("answers 400 to a page's form that was changed", async () => {
        party = await server.client({
          redirect_uris: [REDIRECT_URI, 'https://client.example/second'],
        })
        for (const [what, changes] of tampered) {
          const answer = await browser.submit(await form(), changes)
          expect(answer.status, what).to.equal(400)
          expect(answer.page().text).to.equal('The form does not match the page it was sent from')
          expect(answer.location).to.equal(undefined)
        }
        expect(server.events.filter(({ name }) => name === 'code.created')).to.be.empty
      })

      it('answers 400 to the form of another client', async () => {
        const other = await server.client()
        const answer = await browser.submit(await form(), { client_id: other.client.client_id })
        expect(answer.status).to.equal(400)
      })

      it("answers 400 to another session's page", async () => {
        const fields = await form()
        const answer = await server.browser().submit(fields, { csrf_token: 'csrf-of-this-browser' })
        expect(answer.status).to.equal(403)
        const stranger = server.browser()
        stranger.plantCookie('csrf=csrf-of-this-browser; Path=/')
        expect((await stranger.submit(fields)).status).to.equal(400)
      })

      it('answers 400 when the client went away meanwhile', async () => {
        const fields = await form()
        await server.oauth.clients.revoke(server.alice, party.client.client_id, 'test')
        const answer = await browser.submit(fields)
        expect(answer.status).to.equal(400)
        expect(answer.page().text).to.equal('The client must be registered')
      })

      const csrf: readonly (readonly [
        string,
        Readonly<Record<string, string | undefined>>,
        object,
        number,
      ])[] = [
        ['no token', { csrf_token: undefined }, {}, 400],
        ['a wrong token', { csrf_token: 'x' }, {}, 403],
        ['another origin', {}, { origin: 'https://evil.example' }, 403],
        ['the origin null', {}, { origin: 'null' }, 403],
        ['the origin of an app', {}, { origin: 'https://drive.alice.example.com' }, 403],
      ]
      it('answers 400 or 403 to a form that is not its own, before anything else', async () => {
        const good = Object.fromEntries((await form()).fields)
        for (const [what, changes, headers, status] of csrf) {
          for (const fields of [good, { ...good, client_id: 'x' }, { ...good, state: '' }]) {
            const request = { headers: { ...headers } }
            const answer = await browser.post('/auth/authorize', { ...fields, ...changes }, request)
            expect(answer.status, what).to.equal(status)
            expect(answer.page().text, what).to.match(/csrf|cross/)
          }
        }
      })

      it('reads no field from the query', async () => {
        const { csrf_token } = Object.fromEntries((await form()).fields)
        const answer = await browser.post(authorizeUrl(authorizeParameters(party)), { csrf_token })
        expect(answer.status).to.equal(400)
        expect(answer.page().text).to.equal('The state parameter is mandatory')
      })
    })

    describe('refusals, by GET and by POST', () => {
      const none = undefined
      type Changes = Readonly<Record<string, string | undefined>>
      const verifier =
        'The code_challenge parameter must be given when code_challenge_method is present'
      const cases: Readonly<Record<string, Readonly<Record<string, Changes>>>> = {
        'The state parameter is mandatory': { 'no state': { state: none }, empty: { state: '' } },
        'The client_id parameter is mandatory': { 'no client': { client_id: none } },
        'The redirect_uri parameter is mandatory': { 'no redirect': { redirect_uri: none } },
        'Invalid response type': {
          'no response type': { response_type: none },
          'response type token': { response_type: 'token' },
          'two response types': { response_type: 'code token' },
          'a capital response type': { response_type: 'Code' },
        },
        'Invalid challenge code method': {
          'a challenge without method': { code_challenge_method: none },
          'method plain': { code_challenge_method: 'plain' },
          'method s256': { code_challenge_method: 's256' },
          'a short challenge': { code_challenge: CHALLENGE.slice(1) },
          'a long challenge': { code_challenge: `${CHALLENGE}A` },
          'a padded challenge': { code_challenge: `${CHALLENGE.slice(1)}=` },
        },
        [verifier]: {
          'a method without challenge': { code_challenge: none },
          'plain without challenge': { code_challenge: none, code_challenge_method: 'plain' },
        },
        'The client must be registered': {
          'an unknown client': { client_id: 'unknown' },
          'a client id of 129 characters': { client_id: 'a'.repeat(129) },
          'a client id like a key': { client_id: '{x}:client:y' },
          'the client __proto__': { client_id: '__proto__' },
        },
        "The redirect_uri parameter doesn't match the registered ones": {
          'another redirect': { redirect_uri: 'https://client.example/other' },
          'the redirect decoded': { redirect_uri: REDIRECT_URI.replace('%20', ' ') },
          'the redirect with a slash more': { redirect_uri: `${REDIRECT_URI}/` },
          'the redirect with a fragment': { redirect_uri: `${REDIRECT_URI}#x` },
          'the redirect in capitals': { redirect_uri: REDIRECT_URI.replace('client', 'CLIENT') },
          'a javascript redirect': { redirect_uri: 'javascript:alert(1)' },
        },
        'The scope parameter is mandatory': {
          'no scope': { scope: none },
          'a blank scope': { scope: '  ' },
        },
        'The code_challenge parameter is mandatory': {
          'scope * without PKCE': { scope: '*', code_challenge: none, code_challenge_method: none },
        },
        'Invalid scope': {
          'scope * among others': { scope: '* io.svc.files' },
          'a malformed scope': { scope: 'io.svc.files:read' },
          'two spaces': { scope: 'io.svc.files  io.svc.contacts' },
          openid: { scope: 'openid io.svc.files' },
          'the right to install': { scope: 'io.svc.files io.svc.apps' },
          'a covering wildcard': { scope: 'io.svc.oauth.*' },
          'a linked scope': { scope: '@io.svc.apps/drive' },
          'a scope of 4 097 characters': { scope: `io.svc.files:GET:${'a'.repeat(4080)}` },
        },
        'A parameter of the request is not supported': {
          'a request object': { request: 'e30.e30.' },
          'a request_uri': { request_uri: 'https://x.example/' },
          'a registration': { registration: '{}' },
          'response_mode fragment': { response_mode: 'fragment' },
          'response_mode form_post': { response_mode: 'form_post' },
        },
        'A parameter holds characters that are not allowed': {
          'a NUL in the state': { state: 'a\u0000b' },
          'a line feed in the state': { state: 'a\r\nSet-Cookie: x=1' },
          'a line feed in the client id': { client_id: 'a\nb' },
          'a tab in the scope': { scope: 'io.svc.files\t' },
        },
        'The state parameter is too long': { 'of 4 097': { state: 'x'.repeat(4097) } },
      }
      for (const [text, refused] of Object.entries(cases)) {
        it(`answer 400: ${text}`, async () => {
          const good = await server.page(party, {}, browser)
          const { csrf_token } = Object.fromEntries(good.page().form('/auth/authorize').fields)
          for (const [what, changes] of Object.entries(refused)) {
            const parameters = authorizeParameters(party, changes)
            const answers = [
              await browser.get(authorizeUrl(parameters)),
              await server.browser({ loggedIn: false }).get(authorizeUrl(parameters)),
              await browser.post('/auth/authorize', { ...parameters, csrf_token }),
            ]
            for (const answer of answers) {
              expect([answer.status, answer.contentType], what).to.deep.equal([400, 'text/html'])
              expect(answer.page().text, what).to.equal(text)
              expect(answer.location).to.equal(undefined)
            }
          }
          expect(server.events.filter(({ name }) => name === 'code.created')).to.be.empty
        })
      }

      const ignored: readonly Readonly<Record<string, string>>[] = [
        { nonce: 'n' },
        { prompt: 'login' },
        { claims: '{}' },
        { registerToken: 'x' },
        { response_mode: 'query' },
        { request: '' },
        { unknown: 'x', __proto__: 'y' },
      ]
      it('ignores what it does not know', async () => {
        for (const extra of ignored) {
          const url = authorizeUrl({ ...authorizeParameters(party), ...extra })
          expect((await browser.get(url)).status, JSON.stringify(extra)).to.equal(200)
        }
      })

      it('answers 400 to what is given twice, or cannot be read', async () => {
        for (const more of ['&state=2', '&%73tate=2', '&a=%zz', '&a=%ff', '&a'.repeat(201)]) {
          const target = `${authorizeUrl(authorizeParameters(party))}${more}`
          const answer = await browser.get('/auth/authorize', { target })
          expect([answer.status, answer.location], more).to.deep.equal([400, undefined])
        }
      })

      it('answers JSON when that is preferred', async () => {
        const url = authorizeUrl(authorizeParameters(party, { state: '' }))
        const answer = await browser.get(url, { headers: { accept: 'application/json' } })
        expect(answer.status).to.equal(400)
        expect(answer.json()).to.deep.equal({
          error: 'The state parameter is mandatory',
          code: 'invalid_request',
        })
      })

      it('knows the clients of its own instance only', async () => {
        const bobs = server.browser({ instance: server.bob })
        const answer = await server.page(party, {}, bobs)
        expect(answer.status).to.equal(400)
        expect(answer.page().text).to.equal('The client must be registered')
      })
    })
  })
})

describe('requirePkce', () => {
  eachStore((open) => {
    it('makes the challenge mandatory for all', async () => {
      const server = await startConsentServer({
        openStore: (clock) => open({ clock }),
        requirePkce: true,
      })
      const party = await server.client()
      const without = { code_challenge: undefined, code_challenge_method: undefined }
      const answer = await server.page(party, without)
      expect(answer.status).to.equal(400)
      expect(answer.page().text).to.equal('The code_challenge parameter is mandatory')
      await server.close()
    })
  })
})
