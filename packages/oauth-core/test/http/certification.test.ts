import { expect } from 'chai'
import { type OAuthServer, oauthServer, type Registered } from '../oauth-server.ts'
import { askForEverything, isFlagship } from './certification-steps.ts'

const WRONG_PASS = { error: 'Invalid code' }
const HOUR = { windowMs: 3_600_000 }

describe('POST /auth/clients/:clientId/challenge', () => {
  const ask = (server: OAuthServer, client: Registered, token = client.token) =>
    server.send('POST', `/auth/clients/${client.id}/challenge`, { headers: server.bearer(token) })

  it('answers 201 with a new nonce of 36 letters and digits each time', async () => {
    const server = await oauthServer()
    const client = await server.register()
    const answers = [await ask(server, client), await ask(server, client)]
    for (const answer of answers) {
      expect(answer.status).to.equal(201)
      expect(Object.keys(answer.body)).to.deep.equal(['nonce'])
      expect(answer.body['nonce']).to.match(/^[A-Za-z0-9]{36}$/)
      expect(answer.headers['cache-control']).to.equal('no-store')
    }
    expect(answers[0]?.text).to.not.equal(answers[1]?.text)
  })

  it('takes the JSON body null, and a form', async () => {
    const server = await oauthServer()
    const { id, token } = await server.register()
    const headers = server.bearer(token)
    for (const body of [{ json: null }, { form: {} }, { body: '' }]) {
      const answer = await server.send('POST', `/auth/clients/${id}/challenge`, {
        headers,
        ...body,
      })
      expect(answer.status).to.equal(201)
    }
  })

  it('answers 401 to everything but its own registration token', async () => {
    const server = await oauthServer()
    const [client, other] = [await server.register(), await server.register()]
    for (const token of [other.token, client.secret, 'x', '']) {
      const answer = await ask(server, client, token)
      expect(answer.status).to.equal(401)
      expect(answer.text).to.equal('{"error":"invalid_token"}')
      expect(answer.headers['www-authenticate']).to.equal('Bearer error="invalid_token"')
    }
  })
})

describe('POST /auth/clients/:clientId/flagship', () => {
  const post = (server: OAuthServer, { id }: Registered, form: Record<string, string>) =>
    server.send('POST', `/auth/clients/${id}/flagship`, { form })

  it('answers 204 to the mailed code, and the client is certified by its owner', async () => {
    const server = await oauthServer()
    const client = await server.register()
    const { token } = await askForEverything(server, client)
    const code = server.mailedCodes[0] ?? ''
    expect(code).to.match(/^[0-9]{6}$/)
    const answer = await post(server, client, { code, token })
    expect([answer.status, answer.text]).to.deep.equal([204, ''])
    expect(answer.headers).to.not.have.property('content-type')
    const stored = await server.oauth.clients.get(server.instance, client.id)
    expect(stored).to.include({ flagship: true, certifiedFromStore: false, pending: true })
    const certified = server.events.filter(({ name }) => name === 'client.certified')
    expect(certified.map(({ event }) => (event as { how: string }).how)).to.deep.equal(['code'])
    const again = await post(server, client, { code, token })
    expect([again.status, again.body]).to.deep.equal([401, WRONG_PASS])
  })

  it('answers 401 to what is not the pair of this client and this moment', async () => {
    const server = await oauthServer()
    const [client, other] = [await server.register(), await server.register()]
    const { token } = await askForEverything(server, client)
    const foreign = await askForEverything(server, other)
    const [code = '', foreignCode = ''] = server.mailedCodes
    const wrong = code === '000000' ? '000001' : '000000'
    const cases: Record<string, Record<string, string>> = {
      'a wrong code': { code: wrong, token },
      'no code': { token },
      'no token': { code },
      'a foreign pair': { code: foreignCode, token: foreign.token },
      'a foreign token': { code, token: foreign.token },
      'a longer code': { code: `${code}0`, token },
      'a cut token': { code, token: token.slice(0, -1) },
      'another word': { code: 'x'.repeat(2000), token: 'y'.repeat(2000) },
    }
    for (const [name, form] of Object.entries(cases)) {
      const answer = await post(server, client, form)
      expect([answer.status, answer.body], name).to.deep.equal([401, WRONG_PASS])
      expect(answer.headers, name).to.not.have.property('www-authenticate')
    }
    expect(await isFlagship(server, client)).to.equal(false)
    expect((await post(server, client, { code, token })).status).to.equal(204)
  })

  it('answers 401 five minutes after the mail', async () => {
    const server = await oauthServer()
    const client = await server.register()
    const { token } = await askForEverything(server, client)
    const code = server.mailedCodes[0] ?? ''
    server.clock.advance(5 * 60_000)
    const answer = await post(server, client, { code, token })
    expect([answer.status, answer.body]).to.deep.equal([401, WRONG_PASS])
  })

  it('answers 401 to the right code after five wrong ones', async () => {
    const server = await oauthServer()
    const client = await server.register()
    const { token } = await askForEverything(server, client)
    const code = server.mailedCodes[0] ?? ''
    const wrong = code === '123456' ? '654321' : '123456'
    for (let n = 0; n < 5; n += 1) {
      expect((await post(server, client, { code: wrong, token })).status).to.equal(401)
    }
    const answer = await post(server, client, { code, token })
    expect([answer.status, answer.body]).to.deep.equal([401, WRONG_PASS])
    // Nothing is mailed before its time, and no code can be entered meanwhile.
    expect((await askForEverything(server, client)).token).to.equal('')
    expect(server.mailedCodes).to.have.lengthOf(1)
    server.clock.advance(30_000)
    const next = await askForEverything(server, client)
    const [, newCode = ''] = server.mailedCodes
    expect((await post(server, client, { code: newCode, token: next.token })).status).to.equal(204)
  })

  it('answers 401 once the client moved to other addresses', async () => {
    const server = await oauthServer()
    const client = await server.register()
    const { token } = await askForEverything(server, client)
    const code = server.mailedCodes[0] ?? ''
    const redirectUris = ['https://client.example/callback', 'https://other.example/']
    await server.send('PUT', `/auth/register/${client.id}`, {
      headers: server.bearer(client.token),
      json: { client_id: client.id, redirect_uris: redirectUris },
    })
    expect((await post(server, client, { code, token })).status).to.equal(401)
  })

  it('counts no codes of strangers, who were not shown the token', async () => {
    const server = await oauthServer({ limits: { 'confirm-flagship': { limit: 3, ...HOUR } } })
    const client = await server.register()
    for (const token of ['', 'x', 'A'.repeat(96)]) {
      for (let at = 0; at < 3; at += 1) {
        expect((await post(server, client, { code: '000000', token })).status).to.equal(401)
      }
    }
    const { token } = await askForEverything(server, client)
    const code = server.mailedCodes[0] ?? ''
    expect((await post(server, client, { code, token })).status).to.equal(204)
  })
})
