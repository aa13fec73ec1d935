import { randomBytes } from 'node:crypto'
import { eachStore, until } from '@svc/testkit'
import { expect } from 'chai'
import { documentClientId } from '../../src/clients/client-document.ts'
import type { Send } from '../oauth-server.ts'
import { authorizeFields, claimsOf, codeOf, REDIRECT_URI, tokensOf } from '../client-steps.ts'
import { BASE, resourceServer } from '../resource-server.ts'
import { describedServers, makeSigner } from './described-servers.ts'
import { closedWay, documentAt, HOST } from './document-servers.ts'

const DAY = 86_400_000

/** How often each kind of request comes. */
const EACH = 2500

describe('clients that documents describe, before anybody is known (assistants.md 2.2)', () => {
  it('make the server call nobody while nobody is logged in', async function () {
    this.timeout(60_000)
    const outbound = closedWay()
    const server = await resourceServer({ outbound })
    const sent: [string, string, Send?][] = []
    for (let at = 0; at < EACH; at += 1) {
      const id = `https://c${at}.example/c`
      const query = new URLSearchParams(authorizeFields(id)).toString()
      sent.push(['GET', `/auth/authorize?${query}`])
      sent.push(['POST', '/auth/authorize', { form: authorizeFields(id) }])
      const form = { grant_type: 'refresh_token', refresh_token: 'x'.repeat(40), client_id: id }
      sent.push(['POST', '/auth/access_token', { form }])
      sent.push(['POST', '/auth/revoke', { form: { token: 'x', client_id: id } }])
    }
    const statuses = new Map<string, number>()
    for (let at = 0; at < sent.length; at += 50) {
      await Promise.all(
        sent.slice(at, at + 50).map(async ([method, target, request]) => {
          const { status } = await server.send(method, target, request)
          const key = `${method} ${target.split('?')[0]} ${status}`
          statuses.set(key, (statuses.get(key) ?? 0) + 1)
        }),
      )
    }
    expect(Object.fromEntries(statuses)).to.deep.equal({
      'GET /auth/authorize 302': EACH,
      'POST /auth/authorize 401': EACH,
      'POST /auth/access_token 401': EACH,
      'POST /auth/revoke 401': EACH,
    })
    expect(outbound.calls).to.deep.equal([])
    // The way is seen when the owner is there.
    await server.ask('https://c0.example/c')
    expect(outbound.calls).to.deep.equal(['request https://c0.example/c', 'lookup c0.example'])
  })
})

eachStore((open) => {
  describe('clients that documents describe (assistants.md 2)', () => {
    const { documents, start, serve, signed } = describedServers(open)

    it('connect knowing only a URL: page, code, tokens, refresh, end', async () => {
      const { server, url } = await start()
      const page = await server.ask(url)
      expect([page.status, page.text]).to.deep.equal([200, `<p>assistant ${documentClientId(url)}`])
      const tokens = await server.connect(url)
      expect(claimsOf(tokens.access_token)).to.include({ sub: url, aud: `${BASE}/mcp` })
      const bearer = { authorization: `Bearer ${tokens.access_token}` }
      expect((await server.send('GET', '/mcp', { headers: bearer })).status).to.equal(200)
      const next = tokensOf(await server.refresh(url, tokens.refresh_token))
      expect(next.refresh_token).not.to.equal(tokens.refresh_token)
      const stored = await server.oauth.clients.get(server.instance, documentClientId(url))
      expect(stored).to.deep.include({ pending: false })
      expect(stored?.document).to.deep.include({ url, authentication: 'none' })
      expect(documents().connections()).to.equal(1)
      const form = { client_id: url, token: next.refresh_token }
      expect((await server.send('POST', '/auth/revoke', { form })).status).to.equal(200)
      const after = await server.send('GET', '/mcp', { headers: bearer })
      expect(after.status).to.equal(401)
    })

    it('are nobody by the identifier that records have', async () => {
      const { server, url } = await start()
      const tokens = await server.connect(url)
      const id = documentClientId(url)
      expect((await server.ask(id)).text).to.equal('<p>The client must be registered')
      const answer = await server.refresh(id, tokens.refresh_token)
      expect([answer.status, answer.body['error']]).to.deep.equal([401, 'invalid_client'])
    })

    it('are answered by the form of their page', async () => {
      const { server } = await start()
      await server.ask(documents().url())
      const form = { ...server.shown[0]?.fields, duration: '1h' }
      const headers = { cookie: 'session=owner' }
      const answer = await server.send('POST', '/auth/authorize', { form, headers })
      expect(answer.status, answer.text).to.equal(302)
    })

    it('get no refresh token when they want none, and an access token for as long', async () => {
      const { server, url } = await start({ grant_types: ['authorization_code'] })
      const code = codeOf(await server.allow(url))
      const answer = await server.exchange(url, code)
      expect(answer.status).to.equal(200)
      expect(answer.body).not.to.have.property('refresh_token')
      expect(answer.body['expires_in']).to.be.within(86_390, 86_400)
    })

    it('are unknown until a resource is open to clients without a secret', async () => {
      const { server, url } = await start({}, { resources: [] })
      for (const target of [url, 'https://10.0.0.1/c']) {
        expect((await server.ask(target)).text).to.equal('<p>The client must be registered')
      }
      expect(documents().connections()).to.equal(0)
    })

    it('are refused by their address or their host before anybody is called', async () => {
      const { server, url } = await start(
        {},
        { assistants: { clientHostsDenied: ['*.denied.example', 'denied.example'] } },
      )
      for (const id of [
        'https://10.0.0.1/c',
        `${url}?x`,
        'http://localhost:6274/c',
        `${BASE}/c`,
        'https://notes.alice.example.com/c',
      ]) {
        const { status, text } = await server.ask(id)
        expect([status, text]).to.deep.equal([400, '<p>The client_id is not a valid address'])
      }
      for (const host of ['denied.example', 'a.denied.example']) {
        const { status, text } = await server.ask(`https://${host}/c`)
        const said = `<p>This server does not let apps of ${host} connect.`
        expect([status, text]).to.deep.equal([403, said])
      }
      expect(documents().connections()).to.equal(0)
    })

    it('are told what is wrong with their document, in one sentence', async () => {
      const { server, url } = await start()
      const wrong = await server.ask(url, { redirect_uri: 'https://other.example/' })
      const said = `<p>${HOST} does not list this return address`
      expect([wrong.status, wrong.text]).to.deep.equal([400, said])
      // Other faults: kept-documents.test.ts.
      server.clock.advance(2 * 3_600_000)
      documents().answer = (_request, response) => void response.destroy()
      const gone = await server.ask(url)
      expect([gone.status, gone.text]).to.deep.equal([400, `<p>${HOST} is not reachable`])
    })

    it('are kept as they were shown: a document that changed meanwhile is shown again', async () => {
      const { server, url } = await start()
      const shown = await resourceServer({
        openStore: (clock) => open({ clock }),
        outbound: documents().outbound,
      })
      shown.clock.stop()
      await shown.ask(url)
      const sealed = shown.shown[0]?.fields['consent']
      expect(sealed).to.be.a('string')
      serve({ client_name: 'Other' })
      shown.clock.advance(3_599_000)
      const early = await shown.allow(url, { consent: sealed })
      expect(early.status).to.equal(302)
      shown.clock.advance(2000)
      const late = await shown.allow(url, { consent: sealed })
      expect(late.status).to.equal(400)
      expect((await server.ask(url)).status).to.equal(200)
    })

    it('take places under the limit, at most ten new ones an hour', async () => {
      documents().answer = (request, response) => {
        response.setHeader('Content-Type', 'application/json')
        const url = documents().url(request.url)
        response.end(JSON.stringify(documentAt(url, { redirect_uris: [REDIRECT_URI] })))
      }
      const server = await resourceServer({
        openStore: (clock) => open({ clock }),
        outbound: documents().outbound,
      })
      const statuses: number[] = []
      for (let at = 0; at < 11; at += 1) {
        statuses.push((await server.allow(documents().url(`/${at}`))).status)
      }
      expect(statuses).to.deep.equal([...Array.from({ length: 10 }, () => 302), 429])
      expect(await server.oauth.clients.usage(server.instance)).to.include({ count: 10 })
      expect((await server.allow(documents().url('/0'))).status).to.equal(302)
    })

    describe('when the document changes (assistants.md 2.9)', () => {
      async function connected(members: object = {}, options: object = {}) {
        const { server, url } = await start(members, { start: true, ...options })
        const tokens = await server.connect(url, { duration: '30d' })
        const stored = () => server.oauth.clients.get(server.instance, documentClientId(url))
        return { server, url, tokens, stored }
      }

      it('is looked at by a refresh after a day, and by none before', async () => {
        const { server, url, tokens, stored } = await connected()
        serve({ client_name: 'Other', redirect_uris: ['https://other.example/back'] })
        server.clock.advance(DAY / 2)
        const second = tokensOf(await server.refresh(url, tokens.refresh_token))
        expect(documents().connections()).to.equal(1)
        server.clock.advance(DAY / 2 + 1000)
        const third = await server.refresh(url, second.refresh_token)
        expect(third.status).to.equal(200)
        await until(async () => (await stored())?.metadata.client_name === 'Other')
        const client = await stored()
        expect(client?.formerName).to.equal('Client')
        expect(client?.metadata.redirect_uris).to.deep.equal(['https://other.example/back'])
      })

      it('ends at once when no key is needed any more', async () => {
        const { server, url, tokens, stored } = await signed()
        serve({})
        server.clock.advance(2 * 3_600_000)
        expect((await server.ask(url)).status).to.equal(200)
        expect((await stored())?.document?.authentication).to.equal('none')
        const answer = await server.refresh(url, tokens.refresh_token)
        expect([answer.status, answer.body['error']]).to.deep.equal([400, 'invalid_grant'])
        expect(server.logged.some((line) => line.includes('"isWeaker":true'))).to.equal(true)
      })

      it('asks for a key from then on when it needs one', async () => {
        const { server, url, tokens } = await connected()
        const signer = makeSigner()
        serve(signer.members)
        server.clock.advance(2 * 3_600_000)
        await server.ask(url)
        const bare = await server.refresh(url, tokens.refresh_token)
        expect([bare.status, bare.body['error']]).to.deep.equal([401, 'invalid_client'])
        const proof = await signer.prove(server, url)
        expect((await server.refresh(url, tokens.refresh_token, proof)).status).to.equal(200)
      })

      it('goes on with other keys', async () => {
        const { server, url, tokens } = await signed()
        const other = makeSigner()
        serve(other.members)
        server.clock.advance(2 * 3_600_000)
        await server.ask(url)
        const proof = await other.prove(server, url)
        expect((await server.refresh(url, tokens.refresh_token, proof)).status).to.equal(200)
        expect(server.logged.some((line) => line.includes('"areKeysReplaced":true'))).to.equal(true)
        const { assistants } = server.oauth
        const [assistant] = await assistants.list(server.instance)
        const { calls } = await assistants.listCalls(server.instance, assistant?.client.id ?? '')
        expect(calls.map(({ event }) => event)).to.deep.equal(['keys_replaced'])
      })

      it('goes on for 14 days without it, and then ends', async () => {
        const { server, url, tokens } = await connected()
        documents().answer = (_request, response) => {
          response.statusCode = 500
          response.end()
        }
        let { refresh_token: current } = tokens
        for (let day = 0; day < 13; day += 1) {
          server.clock.advance(DAY + 1000)
          const answer = await server.refresh(url, current)
          expect(answer.status, `day ${day}`).to.equal(200)
          current = tokensOf(answer).refresh_token
        }
        expect((await server.ask(url)).status).to.equal(200)
        server.clock.advance(DAY + 1000)
        const last = await server.refresh(url, current)
        expect([last.status, last.body['error']]).to.deep.equal([400, 'invalid_grant'])
        expect((await server.ask(url)).text).to.equal(`<p>${HOST} answered 500`)
      })

      it('ends when the operator denies its host', async () => {
        const keys = [{ kid: 'test', key: randomBytes(32) }]
        const { server, url, tokens } = await connected({}, { keys })
        const denying = await resourceServer({
          store: server.store,
          clock: server.clock,
          isSecondProcess: true,
          keys,
          outbound: documents().outbound,
          assistants: { clientHosts: ['other.example'] },
        })
        const bearer = { authorization: `Bearer ${tokens.access_token}` }
        expect((await server.send('GET', '/mcp', { headers: bearer })).status).to.equal(200)
        expect((await denying.send('GET', '/mcp', { headers: bearer })).status).to.equal(401)
        const answer = await denying.refresh(url, tokens.refresh_token)
        expect([answer.status, answer.body['error']]).to.deep.equal([400, 'invalid_grant'])
      })
    })
  })
})
