import { expect } from 'chai'
import {
  METADATA,
  oauthServer,
  type OAuthServer,
  type Registered,
  testApp,
} from '../oauth-server.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

function put(server: OAuthServer, client: Registered, json: Readonly<Record<string, unknown>>) {
  return server.send('PUT', `/auth/register/${client.id}`, {
    json: { client_id: client.id, ...json },
    headers: server.bearer(client.token),
  })
}

function get(server: OAuthServer, client: Registered, token: string = client.token) {
  return server.send('GET', `/auth/register/${client.id}`, { headers: server.bearer(token) })
}

function withoutToken({ body }: Registered): Record<string, unknown> {
  const { registration_access_token: _, ...record } = body
  return record
}

describe('GET /auth/register/:clientId', () => {
  it('answers 201 with the record, without its registration token', async () => {
    const server = await oauthServer()
    const client = await server.register({ client_kind: 'mobile', notifications: { a: {} } })
    const { status, headers, body } = await get(server, client)
    expect(status).to.equal(201)
    expect(headers['cache-control']).to.equal('no-store')
    expect(body).to.deep.equal(withoutToken(client))
  })
})

describe('a registration access token', () => {
  it('is no other token, and nothing of the query: 401 and a challenge', async () => {
    const server = await oauthServer()
    const client = await server.register()
    const path = `/auth/register/${client.id}`
    const app = await server.appHeaders('settings')
    const wrong: readonly (string | undefined)[] = [
      undefined,
      'Bearer a b',
      `Basic ${client.token}`,
      `Bearer ${'a'.repeat(43)}`,
      `Bearer ${'a'.repeat(9000)}`,
      `Bearer ${client.secret}`,
      `Bearer ${(await server.register()).token}`,
      String(app['authorization']),
    ]
    for (const method of ['GET', 'PUT', 'DELETE']) {
      for (const authorization of wrong) {
        const headers = { ...JSON_TYPE, ...(authorization !== undefined && { authorization }) }
        const answer = await server.send(method, path, {
          headers,
          ...(method === 'PUT' ? { body: '{}' } : {}),
        })
        const what = `${method} ${authorization?.slice(0, 60)}`
        expect([answer.status, answer.body], what).to.deep.equal([401, { error: 'invalid_token' }])
        expect(answer.headers['www-authenticate']).to.equal('Bearer error="invalid_token"')
        expect(answer.text).not.to.contain(client.secret)
      }
      const query = `${path}?access_token=${client.token}`
      const { status } = await server.send(method, query, { headers: JSON_TYPE, body: '{}' })
      expect(status, method).to.equal(401)
    }
    expect((await get(server, client)).status).to.equal(201)
  })

  it('survives being shown for another client, updates and secret changes', async () => {
    const server = await oauthServer()
    const [client, other] = [await server.register(), await server.register()]
    expect((await get(server, other, client.token)).status).to.equal(401)
    await put(server, client, { client_secret: client.secret })
    expect((await get(server, client)).status).to.equal(201)
  })

  it('is of one instance only', async () => {
    const server = await oauthServer()
    await server.oauth.instances.create({ domain: 'bob.example.com' })
    const client = await server.register()
    const { status } = await server.send('GET', `/auth/register/${client.id}`, {
      host: 'bob.example.com',
      headers: server.bearer(client.token),
    })
    expect(status).to.equal(404)
  })
})

describe('an unknown client', () => {
  it('is 404 at GET and PUT, 204 at DELETE, with a token and without', async () => {
    const server = await oauthServer()
    const { token } = await server.register()
    for (const id of ['unknown', 'a'.repeat(129), '__proto__', 'a%20b', 'é', '{a}:b']) {
      const path = `/auth/register/${encodeURIComponent(id).replace('%25', '%')}`
      for (const headers of [{}, server.bearer(token)]) {
        for (const method of ['GET', 'PUT']) {
          const { status, body, headers: got } = await server.send(method, path, { headers })
          expect([status, body], id).to.deep.equal([404, { error: 'Client not found' }])
          expect(got).not.to.have.property('www-authenticate')
        }
        const deleted = await server.send('DELETE', path, { headers, body: 'null' })
        expect(deleted).to.include({ status: 204, text: '' })
        expect(deleted.headers).not.to.have.property('content-type')
      }
    }
  })
})

describe('PUT /auth/register/:clientId', () => {
  const full = {
    ...METADATA,
    client_kind: 'mobile',
    client_uri: 'https://client.example',
    notification_platform: 'ios',
    notification_device_token: 'token',
    notifications: { a: { stateful: true } },
  }

  it('answers 200 with the record; keeps what is left out', async () => {
    const server = await oauthServer()
    const client = await server.register(full)
    const answer = await put(server, client, { notification_device_token: 'other' })
    expect(answer.status).to.equal(200)
    expect(answer.headers['cache-control']).to.equal('no-store')
    const expected = { ...withoutToken(client), notification_device_token: 'other' }
    expect(answer.body).to.deep.equal(expected)
    expect((await get(server, client)).body).to.deep.equal(expected)
  })

  it('clears a field by "" or null', async () => {
    const server = await oauthServer()
    const client = await server.register(full)
    const { body } = await put(server, client, {
      client_kind: '',
      client_uri: null,
      notification_platform: '',
      notification_device_token: null,
      notifications: null,
    })
    const { client_id, client_secret } = client.body
    expect(body).to.deep.include({ ...METADATA, client_id, client_secret })
    expect(body).not.to.have.any.keys(
      'client_kind',
      'client_uri',
      'notification_platform',
      'notification_device_token',
      'notifications',
    )
  })

  it('sets every field at once, from a record as GET answers it', async () => {
    const server = await oauthServer()
    const client = await server.register(full)
    const { client_secret: _, ...echo } = (await get(server, client)).body
    const changed = {
      ...echo,
      redirect_uris: ['app://other', 'https://client.example/other'],
      client_name: 'Another name',
      software_version: '2',
      logo_uri: 'https://client.example/logo',
      policy_uri: 'https://client.example/policy',
    }
    const { status, body } = await put(server, client, changed)
    expect(status).to.equal(200)
    expect(body).to.deep.equal({ ...changed, client_secret: client.secret })
  })

  const mandatory = 'client_id is mandatory'
  const metadata = (name: string, why: string) => ['invalid_client_metadata', `${name} ${why}`]
  const refusals: readonly (readonly [field: string, values: readonly unknown[], of: string[]])[] =
    [
      ['client_id', [undefined, '', 'x', ['x']], ['invalid_client_id', mandatory]],
      ['redirect_uris', [null, '', []], ['invalid_redirect_uri', 'redirect_uris is mandatory']],
      [
        'redirect_uris',
        [['http://a.example']],
        ['invalid_redirect_uri', 'http://a.example is invalid'],
      ],
      ['client_name', [null, ''], metadata('client_name', 'is mandatory')],
      ['client_name', ['\u2800'], metadata('client_name', 'is invalid')],
      ['software_id', [null, ''], metadata('software_id', 'is mandatory')],
      ['software_id', ['registry://drive'], metadata('software_id', 'is immutable')],
      ['notification_platform', ['x'], metadata('notification_platform', 'is invalid')],
      ['logo_uri', ['x'], metadata('logo_uri', 'is invalid')],
      [
        'client_secret',
        ['wrong', 1, ['x'], { a: 1 }, true, 'x'.repeat(2000), 'secret\u0000'],
        ['invalid_client_secret', 'client_secret is invalid'],
      ],
    ]
  it('answers 400 to what is wrong, and changes nothing', async () => {
    const server = await oauthServer()
    const client = await server.register(full)
    for (const [field, values, [error, error_description]] of refusals) {
      for (const value of values) {
        const answer = await put(server, client, { client_kind: 'desktop', [field]: value })
        expect(answer.status, `${field} ${JSON.stringify(value)}`).to.equal(400)
        expect(answer.body).to.deep.equal({ error, error_description })
      }
    }
    const path = `/auth/register/${client.id}`
    for (const [headers, body, error] of [
      [{ 'content-type': 'text/plain' }, '{}', 'bad_content_type'],
      [{ ...JSON_TYPE, accept: 'text/html' }, '{}', 'bad_accept_header'],
      [JSON_TYPE, 'null', 'invalid_request'],
    ] as const) {
      const request = { headers: { ...server.bearer(client.token), ...headers }, body }
      expect((await server.send('PUT', path, request)).body).to.include({ error })
    }
    expect((await get(server, client)).body).to.deep.equal(withoutToken(client))
  })

  it('checks the link of the software id again', async () => {
    const server = await oauthServer()
    server.apps.set('drive', testApp('drive'))
    const client = await server.register({ software_id: 'registry://drive' })
    server.apps.delete('drive')
    const kept = await put(server, client, { software_id: 'registry://drive' })
    expect(kept.body).to.deep.equal({
      error: 'unapproved_software_id',
      error_description: 'Application was not found on instance registries',
    })
    expect((await put(server, client, { client_kind: 'mobile' })).status).to.equal(200)
  })

  it('gives a new secret to who shows the current one; the old one is dead at once', async () => {
    const server = await oauthServer()
    const client = await server.register()
    const { status, body } = await put(server, client, { client_secret: client.secret })
    expect(status).to.equal(200)
    const secret = String(body['client_secret'])
    expect(secret)
      .to.match(/^[A-Za-z0-9_-]{32}$/)
      .and.not.to.equal(client.secret)
    expect((await get(server, client)).body['client_secret']).to.equal(secret)
    const again = await put(server, client, { client_secret: client.secret })
    expect(again.body['error']).to.equal('invalid_client_secret')
    const token = (client_secret: string) =>
      server.send('POST', '/auth/access_token', {
        form: {
          grant_type: 'refresh_token',
          refresh_token: 'x',
          client_id: client.id,
          client_secret,
        },
      })
    expect((await token(client.secret)).body['error']).to.equal('invalid_client')
    expect((await token(secret)).body['error']).to.equal('invalid_grant')
  })

  it('keeps the secret when none is named', async () => {
    const server = await oauthServer()
    const client = await server.register()
    for (const client_secret of [undefined, null, '']) {
      const { body } = await put(server, client, { client_secret, client_kind: 'web' })
      expect(body['client_secret']).to.equal(client.secret)
    }
  })

  it('never sets what only the server sets', async () => {
    const server = await oauthServer()
    const client = await server.register()
    const body = `{"client_id":"${client.id}","flagship":true,"certified_from_store":true,"pending":false,
      "registration_access_token":"x","registration_client_uri":"x","client_secret_expires_at":9,
      "client_id_issued_at":9,"grant_types":["implicit"],"response_types":["token"],"scope":"*",
      "token_endpoint_auth_method":"none","application_type":"native","created_at":0,"os":"x",
      "certifiedFromStore":true,"createdAt":0,"_rev":"x","jwks_uri":"https://evil.example",
      "__proto__":{"flagship":true},"constructor":{"prototype":{"flagship":true}},"toString":1}`
    const answer = await server.send('PUT', `/auth/register/${client.id}`, {
      headers: { ...server.bearer(client.token), ...JSON_TYPE },
      body,
    })
    expect(answer.status).to.equal(200)
    expect(answer.body).to.deep.equal(withoutToken(client))
    const stored = await server.oauth.clients.get(server.instance, client.id)
    expect(stored).to.include({ pending: true, flagship: false, certifiedFromStore: false })
    expect(stored).not.to.have.property('os')
  })

  it('keeps certification while the redirect URIs stay', async () => {
    const server = await oauthServer()
    const client = await server.register()
    const { oauth, instance } = server
    await oauth.clients.setFlagship(instance, client.id, true)
    const kept = await put(server, client, {
      client_kind: 'mobile',
      redirect_uris: METADATA.redirect_uris,
    })
    expect(kept.body).to.include({ flagship: true, client_kind: 'mobile' })
  })
})

describe('DELETE /auth/register/:clientId', () => {
  it('answers 204 with an empty body, and again', async () => {
    const server = await oauthServer()
    const client = await server.register()
    for (const body of ['null', '', '{}']) {
      const answer = await server.send('DELETE', `/auth/register/${client.id}`, {
        headers: { ...server.bearer(client.token), ...JSON_TYPE },
        body,
      })
      expect(answer).to.include({ status: 204, text: '' })
    }
    expect((await get(server, client)).body).to.deep.equal({ error: 'Client not found' })
    expect((await put(server, client, {})).status).to.equal(404)
    const { body } = await server.send('POST', '/auth/access_token', {
      form: { grant_type: 'refresh_token', client_id: client.id, client_secret: client.secret },
    })
    expect(body).to.include({ error: 'invalid_client' })
    expect(body['error_description']).to.contain('the client must be registered')
    expect(server.events.map(({ name }) => name)).to.deep.equal([
      'client.created',
      'client.deleted',
    ])
  })
})
