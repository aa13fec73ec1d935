import { expect } from 'chai'
import { METADATA, oauthServer, type OAuthServer } from '../oauth-server.ts'
import { OPEN, REDIRECT_URI } from '../client-steps.ts'
import { BASE, resourceServer } from '../resource-server.ts'

const MANDATORY = {
  error: 'invalid_client_metadata',
  error_description: 'software_id is mandatory',
}

const register = (server: OAuthServer, json: object) =>
  server.send('POST', '/auth/register', { json })

/** What differs between two registrations of the same. */
function comparable(text: string): string {
  return text.replaceAll(
    /"(client_id|client_secret|registration_access_token)":"[^"]+"/g,
    '"$1":""',
  )
}

describe('registration of a client without a secret', () => {
  it('answers no secret, and what the client said', async () => {
    const server = await resourceServer()
    server.clock.stop()
    const answer = await register(server, {
      ...OPEN,
      client_uri: 'https://assistant.example',
      scope: 'io.svc.notes:GET',
      grant_types: ['authorization_code'],
      application_type: 'native',
      contacts: ['x'],
      software_id: null,
      notification_platform: 'android',
      notification_device_token: 'x',
    })
    expect(answer.status).to.equal(201)
    const { client_id, registration_access_token, ...rest } = answer.body
    expect([typeof client_id, typeof registration_access_token]).to.deep.equal(['string', 'string'])
    expect(rest).to.deep.equal({
      client_id_issued_at: Math.floor(server.clock.now() / 1000),
      registration_client_uri: `${BASE}/auth/register/${String(client_id)}`,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [REDIRECT_URI],
      client_name: 'Assistant',
      token_endpoint_auth_method: 'none',
      client_uri: 'https://assistant.example',
    })
    expect(server.logged.join()).to.include('"public":true')
  })

  it('wants addresses without urn:, refuses what is no name, and takes schemes without a dot', async () => {
    const server = await resourceServer()
    const oob = 'urn:ietf:wg:oauth:2.0:oob'
    for (const [fields, error] of [
      [{ client_name: 5 }, 'invalid_client_metadata'],
      [{ client_name: '\u200b' }, 'invalid_client_metadata'],
      [{ redirect_uris: undefined }, 'invalid_redirect_uri'],
      [{ redirect_uris: [oob] }, 'invalid_redirect_uri'],
      [{ redirect_uris: [REDIRECT_URI, oob] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['http://assistant.example/cb'] }, 'invalid_redirect_uri'],
    ] as const) {
      const answer = await register(server, { ...OPEN, ...fields })
      expect([answer.status, answer.body['error']], JSON.stringify(fields)).to.deep.equal([
        400,
        error,
      ])
    }
    await server.publicClient({ redirect_uris: ['cursor://anysphere.mcp/callback'] })
  })

  it('is read, changed and ended with the registration token, and never gets a secret', async () => {
    const server = await resourceServer()
    const { body } = await register(server, OPEN)
    const id = String(body['client_id'])
    const path = `/auth/register/${id}`
    const headers = server.bearer(String(body['registration_access_token']))
    const { registration_access_token: _, ...own } = body
    const read = await server.send('GET', path, { headers })
    expect([read.status, read.body]).to.deep.equal([201, own])
    const put = (json: object) => server.send('PUT', path, { headers, json })
    const changed = await put({ client_id: id, client_uri: 'https://assistant.example' })
    expect(changed.body).to.deep.equal({ ...own, client_uri: 'https://assistant.example' })
    const method = { token_endpoint_auth_method: 'client_secret_post' }
    const kept = await put({ client_id: id, ...method, software_id: 'github.com/x/y' })
    expect(kept.status).to.equal(200)
    expect(kept.body).not.to.have.any.keys('client_secret', 'software_id')
    const wanted = await put({ client_id: id, client_secret: 'x' })
    expect([wanted.status, wanted.body['error']]).to.deep.equal([400, 'invalid_client_secret'])
    expect((await server.send('DELETE', path, { headers })).status).to.equal(204)
    expect((await server.send('GET', path, { headers })).status).to.equal(404)
  })

  it('takes a client without a name, under a stand-in that however many have', async () => {
    const server = await resourceServer()
    const { client_name: _, ...unnamed } = OPEN
    // What a client with a secret is called stays its own.
    const { id: named } = await server.register({ client_name: 'Unnamed app' })
    for (const name of [undefined, null, '', ' ', '\t\u00a0', 'Unnamed app']) {
      const answer = await register(server, { ...unnamed, client_name: name })
      expect([answer.status, answer.body['client_name']], JSON.stringify(name)).to.deep.equal([
        201,
        'Unnamed app',
      ])
      const id = String(answer.body['client_id'])
      expect(await server.oauth.clients.get(server.instance, id)).to.deep.include({ unnamed: {} })
      await server.oauth.clients.revoke(server.instance, id, 'test')
    }
    const { body, id } = await server.register({ client_name: 'Unnamed app' })
    expect(body['client_name']).to.equal('Unnamed app-2')
    for (const one of [named, id]) {
      const client = await server.oauth.clients.get(server.instance, one)
      expect(client).not.to.have.property('unnamed')
    }
    const wanted = await server.send('POST', '/auth/register', {
      json: { ...METADATA, client_name: null },
    })
    expect([wanted.status, wanted.body['error_description']]).to.deep.equal([
      400,
      'client_name is mandatory',
    ])
  })

  it('remembers of a client without a name where it was last allowed, until it says one', async () => {
    const server = await resourceServer()
    const second = 'http://127.0.0.1:33418/'
    const { body } = await register(server, {
      ...OPEN,
      client_name: null,
      redirect_uris: [REDIRECT_URI, second],
    })
    const id = String(body['client_id'])
    const unnamed = async () =>
      (await server.oauth.clients.get(server.instance, id))?.unnamed?.redirectUri
    for (const redirect_uri of [second, REDIRECT_URI, second]) {
      await server.allow(id, { redirect_uri })
      expect(await unnamed()).to.equal(redirect_uri)
    }
    const headers = server.bearer(String(body['registration_access_token']))
    const put = async (client_name: unknown) => {
      const json = { client_id: id, client_name }
      return server.send('PUT', `/auth/register/${id}`, { headers, json })
    }
    for (const name of [undefined, '', null, ' ', 'Unnamed app']) {
      expect((await put(name)).body['client_name']).to.equal('Unnamed app')
      expect(await unnamed()).to.equal(second)
    }
    expect((await put('Quill')).body['client_name']).to.equal('Quill')
    expect(await server.oauth.clients.get(server.instance, id)).not.to.have.property('unnamed')
    for (const name of ['', null, ' ', 'Unnamed app'])
      expect((await put(name)).status).to.equal(400)
    expect((await put(undefined)).body['client_name']).to.equal('Quill')
    expect((await server.register({ client_name: 'Quill' })).body['client_name']).to.equal(
      'Quill-2',
    )
  })

  it('answers 201 with none for another method, none at all, or a member of today', async () => {
    const server = await resourceServer()
    const web = { client_name: 'Quill', redirect_uris: [REDIRECT_URI] }
    const local = { client_name: 'Quill', redirect_uris: ['http://127.0.0.1:33418/'] }
    const { token_endpoint_auth_method: _, ...bare } = OPEN
    const bodies: object[] = [
      local,
      { ...local, redirect_uris: ['http://localhost:1/', 'http://[::1]/', 'quillapp://cb'] },
      { ...local, software_id: '' },
      { ...local, software_id: null },
      { ...web, token_endpoint_auth_method: '' },
      { ...web, grant_types: ['authorization_code', 'refresh_token'] },
      { ...web, response_types: ['code'] },
      { ...web, grant_types: null },
      { ...web, response_types: 'token' },
    ]
    for (const method of ['client_secret_post', 'client_secret_basic', 'None', null, ['none']]) {
      bodies.push({ ...web, token_endpoint_auth_method: method })
      bodies.push({ ...local, token_endpoint_auth_method: method })
    }
    for (const json of bodies) {
      const words = JSON.stringify(json)
      const answer = await register(server, json)
      expect(answer.status, words).to.equal(201)
      expect(answer.body, words).to.include({ token_endpoint_auth_method: 'none' })
      expect(answer.body, words).not.to.have.any.keys('client_secret', 'software_id')
    }
    const mixed = { ...bare, redirect_uris: ['http://127.0.0.1:1/', REDIRECT_URI] }
    const oob = 'urn:ietf:wg:oauth:2.0:oob'
    for (const json of [bare, mixed, { ...bare, redirect_uris: [oob] }]) {
      const answer = await register(server, json)
      expect([answer.status, answer.body]).to.deep.equal([400, MANDATORY])
    }
  })

  it('exists only where resources are, and where the operator wants it', async () => {
    const local = { client_name: 'Quill', redirect_uris: ['http://127.0.0.1:33418/'] }
    for (const server of [
      await oauthServer(),
      await resourceServer({ assistants: { registration: false } }),
    ]) {
      for (const json of [OPEN, local, { ...OPEN, token_endpoint_auth_method: null }]) {
        const answer = await register(server, json)
        expect([answer.status, answer.body]).to.deep.equal([400, MANDATORY])
      }
    }
    const server = await resourceServer()
    const headers = await server.appHeaders('settings')
    const path = '/auth/registerFromWebApp'
    expect((await server.send('POST', path, { json: OPEN, headers })).body).to.deep.equal(MANDATORY)
  })

  it('names the registered method to a client with a secret that asked for one, and to no other', async () => {
    const server = await resourceServer()
    for (const [asked, registered] of [
      ['client_secret_basic', 'client_secret_basic'],
      ['client_secret_post', 'client_secret_post'],
      ['none', 'client_secret_post'],
      ['private_key_jwt', 'client_secret_post'],
      [['client_secret_basic'], 'client_secret_post'],
      [null, undefined],
      ['', undefined],
      [undefined, undefined],
    ] as const) {
      const { id, secret, token, body } = await server.register({
        token_endpoint_auth_method: asked,
      })
      expect(secret).to.be.a('string').and.not.equal('undefined')
      expect(body['token_endpoint_auth_method'], String(asked)).to.equal(registered)
      expect(body).not.to.have.property('registration_client_uri')
      const headers = server.bearer(token)
      const read = await server.send('GET', `/auth/register/${id}`, { headers })
      expect(read.body['token_endpoint_auth_method']).to.equal(registered)
      const json = { client_id: id, client_name: 'Other' }
      const changed = await server.send('PUT', `/auth/register/${id}`, { headers, json })
      expect(changed.body['token_endpoint_auth_method']).to.equal(registered)
    }
  })

  it('changes nothing of the others, byte for byte', async () => {
    const without = await oauthServer()
    const beside = await resourceServer()
    const bodies = [
      METADATA,
      { ...METADATA, ...OPEN },
      { ...METADATA, client_kind: 'mobile', client_uri: 'https://client.example' },
      { ...METADATA, redirect_uris: ['urn:ietf:wg:oauth:2.0:oob'] },
      {},
      { ...METADATA, redirect_uris: [] },
      { ...METADATA, software_id: '' },
    ]
    for (const json of bodies) {
      const [one, other] = [await register(without, json), await register(beside, json)]
      expect(other.status).to.equal(one.status)
      expect(comparable(other.text)).to.equal(comparable(one.text))
      expect({ ...other.headers, date: '' }).to.deep.equal({ ...one.headers, date: '' })
    }
  })
})
