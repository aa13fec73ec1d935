import { expect } from 'chai'
import { HOST, METADATA, oauthServer, type OAuthServer, testApp } from '../oauth-server.ts'

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

  it('ignores an Authorization header', async () => {
    const { send } = await oauthServer()
    for (const authorization of ['null', 'Bearer null', 'Bearer expired', 'Basic !', 'Bearer']) {
      const headers = { authorization }
      const { status } = await send('POST', '/auth/register', { json: METADATA, headers })
      expect(status, authorization).to.equal(201)
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
    expect(body).to.have.all.keys(
      'client_id',
      'client_secret',
      'client_secret_expires_at',
      'registration_access_token',
      'grant_types',
      'response_types',
      'redirect_uris',
      'client_name',
      'software_id',
    )
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

  const longName = 'n'.repeat(101)
  const refusals: readonly (readonly [
    what: string,
    change: Readonly<Record<string, unknown>>,
    error: string,
    description: string,
  ])[] = [
    ...(
      [undefined, null, '', [], {}, 'https://a.example', 1, [1], [['https://a.example']]] as const
    ).map(
      (redirect_uris) =>
        [
          `redirect_uris ${JSON.stringify(redirect_uris)}`,
          { redirect_uris },
          'invalid_redirect_uri',
          'redirect_uris is mandatory',
        ] as const,
    ),
    [
      'one bad redirect URI among good ones',
      { redirect_uris: ['https://a.example', 'http://a.example'] },
      'invalid_redirect_uri',
      'http://a.example is invalid',
    ],
    ['an empty redirect URI', { redirect_uris: [''] }, 'invalid_redirect_uri', ' is invalid'],
    [
      'the own domain as redirect',
      { redirect_uris: [`https://${HOST}/cb`] },
      'invalid_redirect_uri',
      `https://${HOST}/cb is invalid`,
    ],
    [
      '21 redirect URIs',
      { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`) },
      'invalid_redirect_uri',
      'redirect_uris is invalid',
    ],
    ...([undefined, null, '', '  ', 1, {}, ['Client']] as const).map(
      (client_name) =>
        [
          `client_name ${JSON.stringify(client_name)}`,
          { client_name },
          'invalid_client_metadata',
          'client_name is mandatory',
        ] as const,
    ),
    ...['\u2800', '\ufe0f', '\u17b4', '\u0301', '\ufffc', '\u200b', ' \u2800 \ufffc\u0301'].map(
      (client_name) =>
        [
          `client_name ${JSON.stringify(client_name)}, which shows nothing`,
          { client_name },
          'invalid_client_metadata',
          'client_name is invalid',
        ] as const,
    ),
    ...['a\u0000', 'a\nb', 'a\u202eb', 'a\u200bb', 'a\u2066b', 'a\ufeffb', 'a\ud800', longName].map(
      (client_name) =>
        [
          `client_name ${JSON.stringify(client_name).slice(0, 20)}`,
          { client_name },
          'invalid_client_metadata',
          'client_name is invalid',
        ] as const,
    ),
    ...([undefined, null, '', 1, ['a']] as const).map(
      (software_id) =>
        [
          `software_id ${JSON.stringify(software_id)}`,
          { software_id },
          'invalid_client_metadata',
          'software_id is mandatory',
        ] as const,
    ),
    ...['a\u0000b', 's'.repeat(256)].map(
      (software_id) =>
        [
          'a software_id that is too long or holds control characters',
          { software_id },
          'invalid_client_metadata',
          'software_id is invalid',
        ] as const,
    ),
    ...(['blackberry', 1, ['ios'], {}] as const).map(
      (notification_platform) =>
        [
          `notification_platform ${JSON.stringify(notification_platform)}`,
          { notification_platform },
          'invalid_client_metadata',
          'notification_platform is invalid',
        ] as const,
    ),
    ...['client_uri', 'logo_uri', 'policy_uri'].flatMap((name) =>
      [
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
      ].map(
        (value) =>
          [
            `${name} ${JSON.stringify(value).slice(0, 40)}`,
            { [name]: value },
            'invalid_client_metadata',
            `${name} is invalid`,
          ] as const,
      ),
    ),
    ...['software_version', 'client_kind', 'notification_device_token'].flatMap((name) =>
      [1, true, {}, ['a'], 'a\u0007', 'a'.repeat(4097)].map(
        (value) =>
          [
            `${name} ${JSON.stringify(value).slice(0, 20)}`,
            { [name]: value },
            'invalid_client_metadata',
            `${name} is invalid`,
          ] as const,
      ),
    ),
    ...[
      [],
      'balance',
      1,
      { balance: 'x' },
      { balance: [] },
      { balance: null },
      { '': {} },
      { '-a': {} },
      { ['a'.repeat(65)]: {} },
      { balance: { multiple: 'yes' } },
      { balance: { sensitive: 1 } },
      { balance: { default_priority: 'urgent' } },
      { balance: { description: 'd'.repeat(501) } },
      { balance: { time_to_live: 5 } },
      { balance: { time_to_live: '29d' } },
      { balance: { min_interval: '0s' } },
      Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`c${n}`, {}])),
    ].map(
      (notifications) =>
        [
          `notifications ${JSON.stringify(notifications).slice(0, 50)}`,
          { notifications },
          'invalid_client_metadata',
          'notifications is invalid',
        ] as const,
    ),
    [
      'a link with the store',
      { software_id: 'registry://store' },
      'unapproved_software_id',
      'Link with store/settings is forbidden',
    ],
    ...['registry://store/stable', 'registry://settings', 'registry://Settings/x'].map(
      (software_id) =>
        [
          software_id,
          { software_id },
          'unapproved_software_id',
          'Link with store/settings is forbidden',
        ] as const,
    ),
    ...[
      'registry://',
      'registry:///drive',
      'registry://nothing',
      'registry://..',
      'registry://%68ome',
    ].map(
      (software_id) =>
        [
          software_id,
          { software_id },
          'unapproved_software_id',
          'Application was not found on instance registries',
        ] as const,
    ),
  ]
  describe('answers 400 for', () => {
    let server: OAuthServer
    for (const [what, change, error, error_description] of refusals) {
      it(what, async () => {
        server = await oauthServer()
        const answer = await server.send('POST', '/auth/register', {
          json: { ...METADATA, ...change },
        })
        expect(answer.status).to.equal(400)
        expect(answer.body).to.deep.equal({ error, error_description })
        expect((await server.oauth.clients.list(server.instance)).clients).to.deep.equal([])
      })
    }
  })

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
    const { send, oauth, instance } = await oauthServer()
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
    expect(Object.keys(body).sort()).to.deep.equal([
      'client_id',
      'client_name',
      'client_secret',
      'client_secret_expires_at',
      'grant_types',
      'redirect_uris',
      'registration_access_token',
      'response_types',
      'software_id',
      'token_endpoint_auth_method',
    ])
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
  const types: readonly (string | undefined)[] = [
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/vnd.api+json',
    'application/jsonp',
  ]
  for (const type of types) {
    it(`answers 400 bad_content_type for ${JSON.stringify(type)}`, async () => {
      const { send } = await oauthServer()
      const { status, body } = await send('POST', '/auth/register', {
        body: JSON.stringify(METADATA),
        headers: type === undefined ? {} : { 'content-type': type },
      })
      expect(status).to.equal(400)
      expect(body).to.deep.equal({ error: 'bad_content_type' })
    })
  }

  it('takes parameters and capitals in the content type', async () => {
    const { send } = await oauthServer()
    for (const type of ['application/json;charset=utf-8', 'Application/JSON ; charset=UTF-8']) {
      const { status } = await send('POST', '/auth/register', {
        body: JSON.stringify(METADATA),
        headers: { 'content-type': type },
      })
      expect(status, type).to.equal(201)
    }
  })

  for (const accept of ['text/html', 'application/xml', 'application/json;q=0', 'nonsense']) {
    it(`answers 400 bad_accept_header for ${accept}`, async () => {
      const { send } = await oauthServer()
      const answer = await send('POST', '/auth/register', { json: METADATA, headers: { accept } })
      expect(answer.status).to.equal(400)
      expect(answer.body).to.deep.equal({ error: 'bad_accept_header' })
    })
  }

  const bodies: readonly (readonly [what: string, body: string | Buffer, status: number])[] = [
    ['an empty body', '', 400],
    ['null', 'null', 400],
    ['an array', '[]', 400],
    ['a string', '"a"', 400],
    ['a number', '1', 400],
    ['broken JSON', '{"redirect_uris":', 400],
    ['two values', '{}{}', 400],
    ['a byte order mark', `\ufeff${JSON.stringify(METADATA)}`, 400],
    ['invalid UTF-8', Buffer.from('7b22ff223a317d', 'hex'), 400],
    ['deep nesting', `${'['.repeat(5000)}${']'.repeat(5000)}`, 400],
    ['more than 64 KiB', JSON.stringify({ ...METADATA, x: 'x'.repeat(65_536) }), 413],
  ]
  for (const [what, body, expected] of bodies) {
    it(`answers ${expected} for ${what}`, async () => {
      const { send } = await oauthServer()
      const headers = { 'content-type': 'application/json' }
      const answer = await send('POST', '/auth/register', { body, headers })
      expect(answer.status).to.equal(expected)
      expect(answer.body['error']).to.equal(
        expected === 413 ? 'payload_too_large' : 'invalid_request',
      )
    })
  }

  it('answers 415 for a compressed body', async () => {
    const { send } = await oauthServer()
    const headers = { 'content-encoding': 'gzip' }
    const { status, body } = await send('POST', '/auth/register', { json: METADATA, headers })
    expect(status).to.equal(415)
    expect(body).to.deep.equal({ error: 'unsupported_media_type' })
  })

  it('answers 400 for a query that is malformed or doubled', async () => {
    const { send } = await oauthServer()
    for (const query of ['a=1&a=2', '%ff=1']) {
      const { status } = await send('POST', `/auth/register?${query}`, { json: METADATA })
      expect(status, query).to.equal(400)
    }
  })

  it('answers 405 for other methods, and to preflights without any CORS header', async () => {
    const { send } = await oauthServer()
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await send(method, '/auth/register', {
        headers: {
          origin: `https://settings.${HOST}`,
          'access-control-request-method': 'POST',
        },
      })
      expect(status, method).to.equal(405)
      expect(headers['allow']).to.equal('POST')
      expect(Object.keys(headers).join()).not.to.contain('access-control')
    }
  })

  it('is found at one spelling of its path only', async () => {
    const { send } = await oauthServer()
    for (const path of [
      '/auth/Register',
      '/auth/register/',
      '//auth/register',
      '/auth/./register',
      '/%61uth/register',
    ]) {
      expect((await send('POST', path, { json: METADATA })).status, path).to.equal(404)
    }
  })
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
