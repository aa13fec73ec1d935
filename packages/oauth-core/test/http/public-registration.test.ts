import { expect } from 'chai'
import { METADATA, oauthServer, type OAuthServer } from '../oauth-server.ts'
import { connect, publicClient, REDIRECT_URI, resourceServer } from '../resource-server.ts'

const OPEN = {
  client_name: 'Assistant',
  redirect_uris: [REDIRECT_URI],
  token_endpoint_auth_method: 'none',
}
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

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
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [REDIRECT_URI],
      client_name: 'Assistant',
      token_endpoint_auth_method: 'none',
      client_uri: 'https://assistant.example',
    })
    expect(server.logged.join()).to.include('"public":true')
  })

  it('wants a name and addresses without urn:, and takes schemes without a dot', async () => {
    const server = await resourceServer()
    const oob = 'urn:ietf:wg:oauth:2.0:oob'
    for (const [fields, error] of [
      [{ client_name: undefined }, 'invalid_client_metadata'],
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
    await publicClient(server, { redirect_uris: ['cursor://anysphere.mcp/callback'] })
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

  it('exists only where resources are, where the operator wants it, and for exactly none', async () => {
    const mandatory = {
      error: 'invalid_client_metadata',
      error_description: 'software_id is mandatory',
    }
    for (const server of [
      await oauthServer(),
      await resourceServer({ assistants: { registration: false } }),
    ]) {
      const answer = await register(server, OPEN)
      expect([answer.status, answer.body]).to.deep.equal([400, mandatory])
    }
    const server = await resourceServer()
    for (const token_endpoint_auth_method of ['None', 'client_secret_post', null, ['none']]) {
      const answer = await register(server, { ...OPEN, token_endpoint_auth_method })
      expect([answer.status, answer.body]).to.deep.equal([400, mandatory])
    }
    const headers = await server.appHeaders('settings')
    const path = '/auth/registerFromWebApp'
    expect((await server.send('POST', path, { json: OPEN, headers })).body).to.deep.equal(mandatory)
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

  it('is over an hour later when nobody allowed it', async () => {
    const server = await resourceServer({ start: true })
    const id = await publicClient(server)
    server.clock.advance(HOUR_MS)
    await waitUntilGone(server, id)
  })

  it('is over a day after the last of its access, and not before', async () => {
    const server = await resourceServer({ start: true })
    server.clock.stop()
    const ended = await publicClient(server)
    const cut = await publicClient(server)
    await connect(server, ended, { duration: '1h' })
    const { refresh_token } = await connect(server, cut, { duration: '30d' })
    await server.send('POST', '/auth/revoke', { form: { client_id: cut, token: refresh_token } })
    server.clock.advance(DAY_MS - 1)
    const { clients } = server.oauth
    for (const id of [ended, cut]) expect(await clients.get(server.instance, id)).to.be.an('object')
    server.clock.advance(1)
    await waitUntilGone(server, cut)
    expect(await clients.get(server.instance, ended)).to.be.an('object')
    server.clock.advance(HOUR_MS)
    await waitUntilGone(server, ended)
  })

  it('takes a place under the limit of clients once it is allowed', async () => {
    const server = await resourceServer({ newInstance: { settings: { oauthClientsMax: 1 } } })
    const first = await publicClient(server)
    await connect(server, first)
    expect(await server.oauth.clients.usage(server.instance)).to.include({ count: 1 })
    const second = await publicClient(server)
    const refused = await connect(server, second).then(
      () => '',
      (error: unknown) => String(error),
    )
    expect(refused).to.include('403')
    await connect(server, first)
  })
})

async function waitUntilGone(server: OAuthServer, id: string): Promise<void> {
  while ((await server.oauth.clients.get(server.instance, id)) !== undefined) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}
