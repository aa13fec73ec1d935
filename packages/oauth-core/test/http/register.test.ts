import { expect } from 'chai'
import { HOST, METADATA, oauthServer, testApp } from '../oauth-server.ts'

/** Enough for a table of cases in one hour. */
const MANY = { 'oauth-client': { limit: 10_000, windowMs: 3_600_000 } }

describe('POST /auth/register', () => {
  it('answers 201 with the record and its registration token', async () => {
    const { send, instance, oauth } = await oauthServer()
    const { status, headers, body } = await send('POST', '/auth/register', { json: METADATA })
    expect(status).to.equal(201)
    expect(headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(headers).not.to.have.property('access-control-allow-origin')
    const { client_id: id, client_secret: secret, registration_access_token: token } = body
    expect(body).to.deep.equal({
      client_id: id,
      client_secret: secret,
      client_secret_expires_at: 0,
      registration_access_token: token,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...METADATA,
    })
    expect(id).to.match(/^[A-Za-z0-9-]{22,128}$/)
    expect(secret).to.match(/^[A-Za-z0-9_-]{32}$/)
    expect(token).to.match(/^[A-Za-z0-9_-]{43}$/)
    const client = await oauth.clients.get(instance, String(id))
    expect(client).to.include({ pending: true, flagship: false, certifiedFromStore: false })
  })

  it('keeps every field a client may set', async () => {
    const { register } = await oauthServer()
    const metadata = {
      redirect_uris: ['https://client.example/cb?a=b', 'https://client.example'],
      client_name: 'Ünïcode 🎉 client',
      software_id: 'github.com/example/client',
      software_version: '1.2.3',
      client_kind: 'mobile',
      client_uri: 'https://client.example',
      logo_uri: 'http://localhost:3000/logo.png',
      policy_uri: 'https://client.example/policy',
      notification_platform: 'android',
      notification_device_token: 'x'.repeat(4096),
      notifications: {
        balance: {
          description: 'Balance',
          collapsible: true,
          stateful: true,
          multiple: false,
          default_priority: 'high',
          time_to_live: 3_600_000_000_000,
          min_interval: '5m',
        },
      },
    }
    expect((await register(metadata)).body).to.deep.include(metadata)
  })

  it('answers 201 without an Accept header, or with one that admits JSON', async () => {
    const { send } = await oauthServer()
    for (const accept of ['application/json', 'application/*', '*/*', 'text/html, */*;q=0.1']) {
      const { status } = await send('POST', '/auth/register', {
        json: METADATA,
        headers: { accept },
      })
      expect(status, accept).to.equal(201)
    }
  })

  it('treats "" and null as absent', async () => {
    const { register } = await oauthServer()
    const { body } = await register({
      client_kind: '',
      client_uri: '',
      logo_uri: null,
      policy_uri: '',
      software_version: '',
      notification_platform: '',
      notification_device_token: null,
      notifications: null,
    })
    expect(body).to.have.all.keys(Object.keys((await register()).body))
  })

  it('lets duplicates of redirect URIs collapse', async () => {
    const { register } = await oauthServer()
    const redirect_uris = ['https://a.example/', 'app://cb', 'https://a.example/']
    const { body } = await register({ redirect_uris })
    expect(body['redirect_uris']).to.deep.equal(['https://a.example/', 'app://cb'])
  })

  it('keeps web, loopback, custom and out-of-band redirects together', async () => {
    const { register, send } = await oauthServer()
    const redirect_uris = [
      'https://client.example/cb',
      'http://localhost:1234/cb',
      'http://[::1]:1234/cb',
      'cozy://flagship',
      'urn:ietf:wg:oauth:2.0:oob',
    ]
    expect((await register({ redirect_uris })).body['redirect_uris']).to.deep.equal(redirect_uris)
    // Native rules of the engine know no https on localhost beside a custom scheme (oauth.md 13.2, R7).
    const mixed = { ...METADATA, redirect_uris: ['https://localhost/cb', 'app://cb'] }
    const refused = await send('POST', '/auth/register', { json: mixed })
    expect(refused.status).to.equal(400)
    expect(refused.body).to.deep.equal({ error: 'invalid_redirect_uri' })
    const localhost = ['https://localhost/cb']
    expect((await register({ redirect_uris: localhost })).body['redirect_uris']).to.deep.equal(
      localhost,
    )
  })

  type Row = readonly [field: string, values: readonly unknown[], error: string, why: string]
  const metadata = (
    field: string,
    values: readonly unknown[],
    why = `${field} is invalid`,
  ): Row => [field, values, 'invalid_client_metadata', why]
  const uris = (values: readonly unknown[], why: string): Row => [
    'redirect_uris',
    values,
    'invalid_redirect_uri',
    why,
  ]
  const unapproved = (why: string, values: readonly string[]): Row => [
    'software_id',
    values,
    'unapproved_software_id',
    why,
  ]
  const refusals: readonly Row[] = [
    uris(
      [undefined, null, '', [], {}, 'https://a.example', 1, [1], [['https://a.example']]],
      'redirect_uris is mandatory',
    ),
    uris([['https://a.example', 'http://a.example']], 'http://a.example is invalid'),
    uris([['']], ' is invalid'),
    uris([[`https://${HOST}/cb`]], `https://${HOST}/cb is invalid`),
    uris(
      [Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`)],
      'redirect_uris is invalid',
    ),
    metadata(
      'client_name',
      [undefined, null, '', '  ', 1, {}, ['Client']],
      'client_name is mandatory',
    ),
    // What shows nothing.
    metadata('client_name', ['\u2800', '\ufe0f', '\u17b4', '\u0301', '\ufffc', '\u200b']),
    metadata('client_name', [' \u2800 \ufffc\u0301', 'a\u0000', 'a\nb', 'a\u202eb', 'a\u200bb']),
    metadata('client_name', ['a\u2066b', 'a\ufeffb', 'a\ud800', 'n'.repeat(101)]),
    metadata('software_id', [undefined, null, '', 1, ['a']], 'software_id is mandatory'),
    metadata('software_id', ['a\u0000b', 's'.repeat(256)]),
    metadata('notification_platform', ['blackberry', 1, ['ios'], {}]),
    ...['client_uri', 'logo_uri', 'policy_uri'].map((name) =>
      metadata(name, [
        'http://client.example/',
        'javascript:alert(1)',
        'data:text/html,x',
        'client.example',
        '//client.example',
        'https://user@client.example/',
        'https://client.example/a b',
        `https://client.example/${'a'.repeat(2030)}`,
        1,
        ['https://client.example'],
      ]),
    ),
    ...['software_version', 'client_kind', 'notification_device_token'].map((name) =>
      metadata(name, [1, true, {}, ['a'], 'a\u0007', 'a'.repeat(4097)]),
    ),
    metadata('notifications', [
      [],
      'balance',
      1,
      { balance: 'x' },
      { '': {} },
      { balance: { time_to_live: '29d' } },
      Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`c${n}`, {}])),
    ]),
    unapproved('Link with store/settings is forbidden', [
      'registry://store',
      'registry://store/stable',
      'registry://settings',
      'registry://Settings/x',
    ]),
    unapproved('Application was not found on instance registries', [
      'registry://',
      'registry:///drive',
      'registry://nothing',
      'registry://..',
      'registry://%68ome',
    ]),
  ]
  for (const [field, values, error, error_description] of refusals) {
    it(`answers 400 ${error_description}, and stores nothing`, async () => {
      const server = await oauthServer({ limits: MANY })
      for (const value of values) {
        const json = { ...METADATA, [field]: value }
        const answer = await server.send('POST', '/auth/register', { json })
        const what = JSON.stringify(value)
        expect(answer.status, what).to.equal(400)
        expect(answer.body, what).to.deep.equal({ error, error_description })
      }
      expect((await server.oauth.clients.list(server.instance)).clients).to.deep.equal([])
    })
  }

  it('reports the first failure in the order of the table', async () => {
    const { send } = await oauthServer({ limits: MANY })
    const broken: Record<string, unknown> = {
      redirect_uris: [],
      client_name: '',
      software_id: '',
      notification_platform: 'x',
      client_uri: 'x',
      logo_uri: 'x',
      policy_uri: 'x',
      software_version: 1,
      client_kind: 1,
      notification_device_token: 1,
      notifications: 1,
    }
    const repairs: readonly [name: string, value: unknown][] = [
      ['redirect_uris', METADATA.redirect_uris],
      ['client_name', 'Client'],
      ['software_id', 'registry://nothing'],
      ...Object.keys(broken)
        .slice(3)
        .map((name): [string, unknown] => [name, undefined]),
    ]
    for (const [name, value] of repairs) {
      const { body } = await send('POST', '/auth/register', { json: broken })
      expect(body['error_description']).to.match(new RegExp(`^${name} is (mandatory|invalid)$`))
      broken[name] = value
    }
    const { body } = await send('POST', '/auth/register', { json: broken })
    expect(body['error']).to.equal('unapproved_software_id')
  })

  it('accepts every platform in any case', async () => {
    const { register } = await oauthServer()
    for (const platform of ['Android', 'ios', 'HUAWEI', 'firebase', 'apns', 'webpush']) {
      const { body } = await register({ notification_platform: platform })
      expect(body['notification_platform']).to.equal(platform.toLowerCase())
    }
  })

  it('links a client to an app that could be installed', async () => {
    const { register, apps } = await oauthServer()
    apps.set('drive', testApp('drive'))
    for (const software_id of ['registry://drive', 'registry://drive/stable/1.2']) {
      expect((await register({ software_id })).body['software_id']).to.equal(software_id)
    }
  })

  it('drops what only the server sets, and whatever it does not know', async () => {
    const { register, send, oauth, instance } = await oauthServer()
    const json = JSON.parse(`{
      "redirect_uris": ["https://client.example/cb"], "client_name": "Client", "software_id": "x",
      "client_id": "mine", "client_secret": "mine", "client_secret_expires_at": 5,
      "registration_access_token": "mine", "registration_client_uri": "https://evil.example",
      "grant_types": ["implicit"], "response_types": ["token"], "scope": "*",
      "token_endpoint_auth_method": "none", "application_type": "web", "subject_type": "pairwise",
      "flagship": true, "certified_from_store": true, "pending": false, "created_at": 0,
      "created_at_onboarding": true, "allow_login_scope": true, "last_refreshed_at": 1, "client_os": "x",
      "os": "x", "certifiedFromStore": true, "createdAt": 0, "revision": "x", "secret": "x",
      "jwks_uri": "https://evil.example/jwks", "jwks": {"keys": []}, "sector_identifier_uri": "https://evil.example",
      "request_uris": ["https://evil.example"], "post_logout_redirect_uris": ["https://evil.example"],
      "default_max_age": 1, "require_auth_time": true, "contacts": ["a@b.example"],
      "id_token_signed_response_alg": "none", "_id": "x", "_rev": "x", "_deleted": true,
      "__proto__": {"flagship": true, "pending": false}, "constructor": {"prototype": {"flagship": true}},
      "prototype": {"flagship": true}, "toString": "x", "hasOwnProperty": "x", "client_name#fr": "x"
    }`) as unknown
    const { status, body } = await send('POST', '/auth/register', { json })
    expect(status).to.equal(201)
    const plain = (await register()).body
    expect(body).to.have.all.keys(...Object.keys(plain), 'token_endpoint_auth_method')
    expect(body['token_endpoint_auth_method']).to.equal('client_secret_post')
    expect(body['client_id']).not.to.equal('mine')
    expect(body['client_secret']).not.to.equal('mine')
    const client = await oauth.clients.get(instance, String(body['client_id']))
    expect(client).to.include({ pending: true, flagship: false, certifiedFromStore: false })
    expect(client?.metadata).to.have.all.keys(
      'redirect_uris',
      'client_name',
      'software_id',
      'token_endpoint_auth_method',
    )
    expect(({} as Record<string, unknown>)['flagship']).to.equal(undefined)
  })

  it('drops unknown members of a declaration of notifications', async () => {
    const { send } = await oauthServer()
    const { body } = await send('POST', '/auth/register', {
      body: `{"redirect_uris":["app://cb"],"client_name":"C","software_id":"x",
        "notifications":{"a":{"stateful":true,"sensitive":true,"extra":1,"templates":{"mail":"file:a"},"__proto__":{"multiple":true}},
        "constructor":{}}}`,
      headers: { 'content-type': 'application/json' },
    })
    expect(body['notifications']).to.deep.equal({
      a: { stateful: true, sensitive: true },
      constructor: {},
    })
  })
})

describe('POST /auth/register, its headers', () => {
  const JSON_TYPE = 'application/json'
  const refused: readonly (readonly [
    what: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    status: number,
    error: string,
  ])[] = [
    ['no type', {}, '{}', 400, 'bad_content_type'],
    ['a form', { 'content-type': 'text/plain' }, '{}', 400, 'bad_content_type'],
    ['JSON:API', { 'content-type': 'application/vnd.api+json' }, '{}', 400, 'bad_content_type'],
    ['text/html', { accept: 'text/html' }, '{}', 400, 'bad_accept_header'],
    ['no JSON', { accept: 'application/json;q=0' }, '{}', 400, 'bad_accept_header'],
    ['nonsense', { accept: 'nonsense' }, '{}', 400, 'bad_accept_header'],
    ['an empty body', {}, '', 400, 'invalid_request'],
    ['null', {}, 'null', 400, 'invalid_request'],
    ['an array', {}, '[]', 400, 'invalid_request'],
    ['two values', {}, '{}{}', 400, 'invalid_request'],
    ['more than 64 KiB', {}, `"${'x'.repeat(65_536)}"`, 413, 'payload_too_large'],
    ['gzip', { 'content-encoding': 'gzip' }, '{}', 415, 'unsupported_media_type'],
  ]
  for (const [what, headers, body, status, error] of refused) {
    it(`answers ${status} ${error} for ${what}`, async () => {
      const { send } = await oauthServer()
      const type = what === 'no type' ? {} : { 'content-type': JSON_TYPE }
      const request = { body, headers: { ...type, ...headers } }
      const answer = await send('POST', '/auth/register', request)
      expect([answer.status, answer.body['error']]).to.deep.equal([status, error])
    })
  }
})

describe('POST /auth/register, 50 an hour', () => {
  it('answers 429 from the 51st request on, whatever is in it, until the hour is over', async () => {
    const { send, clock } = await oauthServer()
    for (let n = 0; n < 49; n += 1) {
      expect((await send('POST', '/auth/register', { json: {} })).status).to.equal(400)
    }
    expect((await send('POST', '/auth/register', { json: METADATA })).status).to.equal(201)
    for (const request of [{ json: METADATA }, { json: {} }, { body: 'x' }]) {
      const { status, headers, body } = await send('POST', '/auth/register', request)
      expect(status).to.equal(429)
      expect(Number(headers['retry-after'])).to.be.within(3590, 3600)
      expect(body).to.deep.equal({ error: 'too_many_requests' })
    }
    clock.advance(3_600_000)
    expect((await send('POST', '/auth/register', { json: METADATA })).status).to.equal(201)
  })

  it('counts each instance by itself', async () => {
    const limits = { 'oauth-client': { limit: 1, windowMs: 3_600_000 } }
    const { send, oauth, register } = await oauthServer({ limits })
    await oauth.instances.create({ domain: 'bob.example.com' })
    await register()
    expect((await send('POST', '/auth/register', { json: METADATA })).status).to.equal(429)
    await register({}, 'bob.example.com')
  })
})
