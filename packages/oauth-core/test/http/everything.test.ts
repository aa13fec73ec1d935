import { expect } from 'chai'
import { guardedRoutes } from '../guarded-routes.ts'
import { type Answer, type OAuthServer, oauthServer, type Registered } from '../oauth-server.ts'
import { askForEverything, everything, isFlagship } from './certification-steps.ts'
import { codeOf, OWNER } from '../client-steps.ts'

/** The page that asks for a code. */
const isCertifyPage = (text: string): boolean => text.includes('name="token"')

const allow = (server: OAuthServer, client: Registered) =>
  server.send('POST', '/auth/authorize', { form: everything(client), headers: OWNER })

const exchange = (server: OAuthServer, { id, secret }: Registered, answer: Answer) =>
  server.exchange(id, codeOf(answer), { client_secret: secret })

/** A certified client with its tokens. */
async function certified(server: OAuthServer) {
  const client = await server.register()
  await server.oauth.clients.setFlagship(server.instance, client.id, true)
  const { body } = await exchange(server, client, await allow(server, client))
  return { client, token: String(body['access_token']), refresh: String(body['refresh_token']) }
}

const refresh = (server: OAuthServer, { id, secret }: Registered, refreshToken: string) =>
  server.refresh(id, refreshToken, { client_secret: secret })

const mountFiles = guardedRoutes({ 'GET /files': { verb: 'GET', type: 'io.svc.files' } })

describe('GET /auth/authorize with scope *', () => {
  it('answers 400 without PKCE, to certified clients too', async () => {
    const server = await oauthServer()
    const client = await server.register()
    await server.oauth.clients.setFlagship(server.instance, client.id, true)
    const { code_challenge: _, code_challenge_method: __, ...rest } = everything(client)
    const url = `/auth/authorize?${new URLSearchParams(rest).toString()}`
    for (const answer of [
      await server.send('GET', url, { headers: OWNER }),
      await server.send('POST', '/auth/authorize', { form: rest, headers: OWNER }),
    ]) {
      expect(answer.status).to.equal(400)
      expect(answer.text).to.include('The code_challenge parameter is mandatory')
    }
  })

  it('asks for consent once the code was right', async () => {
    const server = await oauthServer()
    const client = await server.register()
    const { token } = await askForEverything(server, client)
    const form = { token, code: server.mailedCodes[0] ?? '' }
    await server.send('POST', `/auth/clients/${client.id}/flagship`, { form })
    const page = await askForEverything(server, client)
    expect([page.status, page.text]).to.deep.equal([200, `<p>consent ${client.id}`])
    const answer = await allow(server, client)
    expect(answer.status).to.equal(302)
    const tokens = await exchange(server, client, answer)
    expect(tokens.status).to.equal(200)
    expect(tokens.body).to.include({ scope: '*', token_type: 'bearer' })
  })

  it('mails at most once in 30 s, and shows the same form meanwhile', async () => {
    const server = await oauthServer()
    const client = await server.register()
    const first = await askForEverything(server, client)
    server.clock.advance(15_000)
    const again = await askForEverything(server, client)
    expect(again.token).to.equal(first.token)
    expect(server.mailedCodes).to.have.lengthOf(1)
    server.clock.advance(15_000)
    const next = await askForEverything(server, client)
    expect(next.token).to.not.equal(first.token)
    expect(server.mailedCodes).to.have.lengthOf(2)
    const other = await askForEverything(server, await server.register())
    expect(other.token).to.not.equal('')
    expect(server.mailedCodes).to.have.lengthOf(3)
  })

  it('mails nothing for HEAD and for a page that is loaded ahead (D62)', async () => {
    const server = await oauthServer()
    const client = await server.register()
    const ahead = [
      { method: 'HEAD' },
      { headers: { 'sec-purpose': 'prefetch' } },
      { headers: { 'sec-purpose': 'prefetch;prerender' } },
      { headers: { purpose: 'prefetch' } },
      { headers: { 'x-moz': 'prefetch' } },
    ]
    for (const request of ahead) {
      const answer = await askForEverything(server, client, request)
      expect([answer.status, answer.token]).to.deep.equal([200, ''])
    }
    expect(server.mailedCodes).to.deep.equal([])
    const { token } = await askForEverything(server, client)
    const loaded = await askForEverything(server, client, { headers: { purpose: 'prefetch' } })
    expect(loaded.token).to.equal(token)
  })

  it('keeps no code that could not be mailed', async () => {
    const failing = { fails: true }
    const server = await oauthServer({
      mayCrash: true,
      pages: {
        async certify(ctx, { token = '' }) {
          if (failing.fails) throw Object.assign(new Error(), { status: 503, code: 'mail_failed' })
          ctx.type = 'html'
          ctx.body = `<input name="token" value="${token}">`
        },
      },
    })
    const client = await server.register()
    expect((await askForEverything(server, client)).status).to.equal(503)
    failing.fails = false
    expect((await askForEverything(server, client)).token).to.not.equal('')
  })
})

describe('POST /auth/authorize with scope *', () => {
  it('answers 403 to a client that is not certified, without a mail', async () => {
    const server = await oauthServer()
    const answer = await allow(server, await server.register())
    expect(answer.status).to.equal(403)
    expect(answer.text).to.include('This app has to be certified first')
    expect(answer.headers).to.not.have.property('location')
    expect(server.mailedCodes).to.deep.equal([])
  })
})

describe('a certified client', () => {
  it('has nothing of it at the next call once the mark is withdrawn', async () => {
    const server = await oauthServer({ mount: mountFiles })
    const { client, token, refresh: refreshToken } = await certified(server)
    await server.send('GET', '/files', { headers: server.bearer(token) })
    await server.oauth.clients.setFlagship(server.instance, client.id, false)
    const refused = await server.send('GET', '/files', { headers: server.bearer(token) })
    expect([refused.status, refused.body]).to.deep.equal([401, { error: 'invalid_token' }])
    const dead = await refresh(server, client, refreshToken)
    expect([dead.status, dead.body['error']]).to.deep.equal([400, 'invalid_grant'])
    expect(isCertifyPage((await askForEverything(server, client)).text)).to.equal(true)
  })

  it('cannot exchange a code that it got before', async () => {
    const server = await oauthServer()
    const client = await server.register()
    await server.oauth.clients.setFlagship(server.instance, client.id, true)
    const answer = await allow(server, client)
    await server.oauth.clients.setFlagship(server.instance, client.id, false)
    const tokens = await exchange(server, client, answer)
    expect([tokens.status, tokens.body['error']]).to.deep.equal([400, 'invalid_grant'])
  })

  it('loses the mark when it moves, and what it holds of everything with it (D21)', async () => {
    const server = await oauthServer({ mount: mountFiles })
    const { client, token, refresh: refreshToken } = await certified(server)
    await server.send('PUT', `/auth/register/${client.id}`, {
      headers: server.bearer(client.token),
      json: { client_id: client.id, redirect_uris: ['https://other.example/'] },
    })
    expect(await isFlagship(server, client)).to.equal(false)
    const refused = await server.send('GET', '/files', { headers: server.bearer(token) })
    expect(refused.status).to.equal(401)
    const dead = await refresh(server, client, refreshToken)
    expect([dead.status, dead.body['error']]).to.deep.equal([400, 'invalid_grant'])
  })

  it('gets the mark for the addresses it was judged with only', async () => {
    const server = await oauthServer()
    const { oauth, instance } = server
    const { id } = await server.register()
    const judged = await oauth.clients.get(instance, id)
    if (judged === undefined) throw new Error('no client')
    const metadata = { ...judged.metadata, redirect_uris: ['https://other.example/'] }
    const moved = await oauth.clients.certify(instance, id, 'code', { ...judged, metadata })
    expect(moved).to.include({ flagship: false })
    const certified = () => server.events.filter(({ name }) => name === 'client.certified')
    expect(certified()).to.have.lengthOf(0)
    expect(await oauth.clients.certify(instance, id, 'code', judged)).to.include({ flagship: true })
    expect(certified()).to.have.lengthOf(1)
  })

  it('gets no tokens when the mark is withdrawn while they are made', async () => {
    const server = await oauthServer()
    const { oauth, instance, store } = server
    const { id } = await server.register()
    await oauth.clients.setFlagship(instance, id, true)
    const { write } = store
    store.write = async (changes, options) => {
      const result = await write.call(store, changes, options)
      if (changes.some(({ op, key }) => op === 'put' && key.includes(':grant:'))) {
        store.write = write
        await oauth.clients.setFlagship(instance, id, false)
      }
      return result
    }
    const outcome = await oauth.clients.issueFlagshipTokens(instance, id).catch(String)
    expect(outcome).to.include('the client is not certified')
    const client = await oauth.clients.get(instance, id)
    if (client === undefined) throw new Error('no client')
    expect(client.flagship).to.equal(false)
    expect(await oauth.clients.scopes(instance, client.id)).to.deep.equal([])
  })

  it('is any client while certification is skipped', async () => {
    const flagship = { skipCertification: true }
    const server = await oauthServer({ flagship, mount: mountFiles })
    const client = await server.register()
    expect((await askForEverything(server, client)).text).to.equal(`<p>consent ${client.id}`)
    const answer = await allow(server, client)
    const { body } = await exchange(server, client, answer)
    const headers = server.bearer(String(body['access_token']))
    expect((await server.send('GET', '/files', { headers })).status).to.equal(200)
    expect((await refresh(server, client, String(body['refresh_token']))).status).to.equal(200)
    expect(await isFlagship(server, client)).to.equal(false)
    expect(server.mailedCodes).to.deep.equal([])
  })
})
