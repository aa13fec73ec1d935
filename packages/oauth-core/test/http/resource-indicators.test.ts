import { expect } from 'chai'
import type { ClientId } from '../../src/index.ts'
import { type JwtClaims, signJwt } from '../../src/tokens/jwt.ts'
import { type Answer, oauthServer, type OAuthServer } from '../oauth-server.ts'
import { REDIRECT_URI, authorizeFields, claimsOf, codeOf, tokensOf } from '../client-steps.ts'
import { BASE, resourceServer } from '../resource-server.ts'
import { MCP, PHOTOS } from '../sample-resources.ts'

const UNKNOWN = 'This app asks for something that is not here'
const DAY_S = 86_400

/** A client with a secret: its id, and the form that shows it. */
async function confidential(server: OAuthServer, metadata: object = {}) {
  const { id, secret } = await server.register({ redirect_uris: [REDIRECT_URI], ...metadata })
  return { id, secret: { client_secret: secret } }
}

/** What a client that the owner allowed before is told. */
const errorOf = ({ headers }: Answer): string | null =>
  new URL(String(headers['location'])).searchParams.get('error')

describe('resource at the authorization endpoint', () => {
  const RESOURCES: readonly [string | undefined, string, string][] = [
    [undefined, 'access', '/mcp'],
    [BASE, '/mcp', '/mcp'],
    [`${BASE}/`, '/mcp', '/mcp'],
    [`${BASE}/mcp`, '/mcp', '/mcp'],
    [`${BASE}/mcp/`, '/mcp', '/mcp'],
    ['HTTPS://Alice.Example.COM/mcp', '/mcp', '/mcp'],
    [`${BASE}/photos/mcp`, '/photos/mcp', 'unknown'],
    [`${BASE}/mcp//`, 'unknown', 'unknown'],
    [`${BASE}/MCP`, 'unknown', 'unknown'],
    [`${BASE}:443/mcp`, 'unknown', 'unknown'],
    [`${BASE}/mcp#`, 'unknown', 'unknown'],
    [`${BASE}/mcp?a`, 'unknown', 'unknown'],
    ['/mcp', 'unknown', 'unknown'],
    ['https://bob.example.com/mcp', 'unknown', 'unknown'],
    ['https://alice.example.com@evil.example/mcp', 'unknown', 'unknown'],
  ]

  it('leads where the table says, for both kinds of clients', async () => {
    const server = await resourceServer()
    const secret = await confidential(server)
    const open = await server.publicClient()
    for (const [resource, ofSecret, ofPublic] of RESOURCES) {
      for (const [client, form, expected] of [
        [secret.id, secret.secret, ofSecret],
        [open, {}, ofPublic],
      ] as const) {
        const what = `${String(resource)} of ${client === open ? 'a public client' : 'a secret'}`
        const answer = await server.allow(client, { resource, choice: '1', 'permission-0': 'on' })
        if (expected === 'unknown') {
          expect(errorOf(answer), what).to.equal('invalid_target')
          continue
        }
        const tokens = tokensOf(await server.exchange(client, codeOf(answer), form))
        const audience = expected === 'access' ? 'access' : `${BASE}${expected}`
        expect(claimsOf(tokens.access_token)['aud'], what).to.equal(audience)
      }
    }
  })

  it('answers invalid_target to who wants JSON, and refuses two', async () => {
    const server = await resourceServer()
    const { id } = await confidential(server)
    const query = new URLSearchParams(authorizeFields(id, { resource: `${BASE}/mcp` }))
    query.append('resource', `${BASE}/mcp`)
    const json = { cookie: 'session=owner', accept: 'application/json' }
    const twice = await server.send('GET', `/auth/authorize?${query.toString()}`, { headers: json })
    expect(twice.status).to.equal(400)
    query.set('resource', `${BASE}/nothing`)
    const none = await server.send('GET', `/auth/authorize?${query.toString()}`, { headers: json })
    expect([none.status, none.body['code'] ?? none.body['error']]).to.deep.equal([
      400,
      'invalid_target',
    ])
  })

  it('means nothing as long as no resource is registered', async () => {
    const server = await oauthServer()
    const { id, secret } = await confidential(server)
    const tokens = await server.connect(id, { resource: 'https://x.example/' }, secret)
    expect(claimsOf(tokens.access_token)).to.include({ aud: 'access' })
    const again = { ...secret, resource: 'https://y.example' }
    expect((await server.refresh(id, tokens.refresh_token, again)).status).to.equal(200)
  })

  it('wants PKCE, and no linked client', async () => {
    const server = await resourceServer()
    const open = await server.publicClient()
    const { id } = await confidential(server)
    const without = { code_challenge: undefined, code_challenge_method: undefined }
    for (const [client, resource] of [
      [open, undefined],
      [id, BASE],
      [id, `${BASE}/mcp`],
    ] as const) {
      const answer = await server.ask(client, { ...without, resource })
      expect(answer.text).to.equal('<p>This app must use PKCE (S256)')
    }
    expect((await server.ask(id, without)).status).to.equal(200)
    const linked = await confidential(server, { software_id: 'registry://home' })
    for (const resource of [BASE, `${BASE}/mcp`]) {
      const answer = await server.ask(linked.id, { resource })
      expect(answer.text, resource).to.equal(`<p>${UNKNOWN}`)
    }
    expect((await server.ask(linked.id)).status).to.equal(200)
  })

  it('is the interface for a client with a secret while no resource is open to those without', async () => {
    const server = await resourceServer({ resources: [PHOTOS] })
    const { id, secret } = await confidential(server)
    const tokens = await server.connect(id, { resource: BASE }, secret)
    expect(claimsOf(tokens.access_token)['aud']).to.equal('access')
  })

  it('splits rules, drops words of OpenID, and refuses what is too wide or reserved', async () => {
    const server = await resourceServer()
    const open = await server.publicClient()
    const all = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`permission-${i}`, 'on']))
    const scopeOf = async (scope: string | undefined) => {
      const tokens = await server.connect(open, { scope, choice: '1', ...all })
      return tokens.scope
    }
    expect(
      await scopeOf('openid io.svc.notes:POST,GET offline_access io.svc.notes:GET:x'),
    ).to.equal('io.svc.notes:GET io.svc.notes:POST io.svc.notes:GET:x')
    expect(await scopeOf('io.svc.contacts')).to.equal(
      'io.svc.contacts:GET io.svc.contacts:POST io.svc.contacts:PUT io.svc.contacts:PATCH io.svc.contacts:DELETE',
    )
    expect(await scopeOf(undefined)).to.equal(MCP.scopes.join(' '))
    expect(await scopeOf('openid profile')).to.equal(MCP.scopes.join(' '))
    for (const scope of [
      '*',
      'io.svc.notes.sub.*:GET',
      'io.svc.notes:GET:x:dir_id',
      'io.svc.notes:GET io.svc.settings:GET',
      'io.svc.accounts.soft_deleted:GET',
      'io.svc.account_types:GET',
      'io.svc.authentication:GET',
      'io.svc.sessions.logins:GET',
      'io.svc.apps:GET',
      'secrets:GET',
      Array.from({ length: 13 }, (_, i) => `io.svc.t${i}`).join(' '),
    ]) {
      const answer = await server.ask(open, { scope })
      expect(errorOf(answer), scope).to.equal('invalid_scope')
    }
    const { id } = await confidential(server)
    const absent = await server.ask(id, { scope: undefined, resource: `${BASE}/mcp` })
    expect(absent.text).to.equal('<p>The scope parameter is mandatory')
  })

  it('allows what only reads for a day to a form without any choice, and nothing without an end', async () => {
    const server = await resourceServer()
    server.clock.stop()
    const open = await server.publicClient()
    const scope = 'io.svc.notes:POST io.svc.contacts:GET,DELETE'
    const tokens = await server.connect(open, { scope })
    expect(tokens.scope).to.equal('io.svc.contacts:GET')
    expect(tokens.expires_in).to.equal(3600)
    const [grant] = await server.oauth.clients.access(server.instance, open as ClientId)
    expect((grant?.endsAt ?? 0) / 1000).to.equal(Math.floor(server.clock.now() / 1000) + DAY_S)
    for (const duration of ['until_revoked', '2d', '']) {
      expect((await server.allow(open, { scope, duration })).status, duration).to.equal(400)
    }
    const hour = await server.connect(open, { scope, duration: '1h' })
    server.clock.advance(3_600_000)
    expect((await server.refresh(open, hour.refresh_token)).status).to.equal(400)
    expect((await server.allow(open, { scope: 'io.svc.notes:POST' })).status).to.equal(400)
  })

  it('needs no state of a client without a secret, unless the operator wants it', async () => {
    const server = await resourceServer()
    const open = await server.publicClient()
    const answer = await server.allow(open, { state: undefined })
    expect(new URL(String(answer.headers['location'])).searchParams.has('state')).to.equal(false)
    const { id } = await confidential(server)
    const text = '<p>The state parameter is mandatory'
    const resource = `${BASE}/mcp`
    expect((await server.ask(id, { state: undefined, resource })).text).to.equal(text)
    expect((await server.ask('nobody', { state: undefined })).text).to.equal(text)
    const strict = await resourceServer({ assistants: { requireState: true } })
    const client = await strict.publicClient()
    expect((await strict.ask(client, { state: undefined })).text).to.equal(
      '<p>This app did not send a state, which this server needs',
    )
    const ofDocument = { client_id: 'https://assistant.example/c', state: undefined }
    const named = await resourceServer({
      assistants: { requireState: true },
      pages: {
        async error(ctx, { words }) {
          ctx.body = words
        },
      },
    })
    expect((await named.ask(client, ofDocument)).body).to.deep.equal({
      key: 'state-needed',
      values: { host: 'assistant.example' },
    })
  })

  it('forgives a client without a secret the port of its own machine, and nothing else', async () => {
    const server = await resourceServer()
    const redirect_uris = ['http://127.0.0.1:7777/cb?x=1', 'http://localhost', 'assistant://cb']
    const open = await server.publicClient({ redirect_uris })
    const { id } = await confidential(server, { redirect_uris })
    for (const [redirect_uri, isFine] of [
      ['http://127.0.0.1:50123/cb?x=1', true],
      ['http://127.0.0.1/cb?x=1', true],
      ['http://localhost:1', true],
      ['http://localhost/', false],
      ['http://localhost:99999', false],
      ['http://127.0.0.1:50123/cb', false],
      ['http://[::1]:50123/cb?x=1', false],
      ['https://127.0.0.1:50123/cb?x=1', false],
      ['http://127.0.0.1:1@evil.example/cb?x=1', false],
      ['assistant://cb', true],
    ] as const) {
      const status = isFine ? 302 : 400
      expect((await server.allow(open, { redirect_uri })).status, redirect_uri).to.equal(status)
      const isRegistered = redirect_uris.includes(redirect_uri)
      const other = isRegistered ? 302 : 400
      expect((await server.allow(id, { redirect_uri })).status, redirect_uri).to.equal(other)
    }
    const redirect_uri = 'http://127.0.0.1:50123/cb?x=1'
    const code = codeOf(await server.allow(open, { redirect_uri }))
    const moved = { redirect_uri: 'http://127.0.0.1:50124/cb?x=1' }
    expect((await server.exchange(open, code, moved)).status).to.equal(400)
    expect((await server.exchange(open, code, { redirect_uri })).status).to.equal(200)
  })
})

describe('resource at the token endpoint', () => {
  it('is the one of the grant, or refused with nothing used up', async () => {
    const server = await resourceServer()
    const open = await server.publicClient()
    const code = codeOf(await server.allow(open))
    const wrong = [`${BASE}/photos/mcp`, 'https://bob.example.com/mcp', 'x']
    for (const resource of wrong) {
      const answer = await server.exchange(open, code, { resource })
      expect([answer.status, answer.body['error']]).to.deep.equal([400, 'invalid_target'])
    }
    const tokens = tokensOf(await server.exchange(open, code, { resource: `${BASE}/mcp` }))
    for (const resource of wrong) {
      const answer = await server.refresh(open, tokens.refresh_token, { resource })
      expect([answer.status, answer.body['error']]).to.deep.equal([400, 'invalid_target'])
    }
    const again = tokensOf(await server.refresh(open, tokens.refresh_token, { resource: BASE }))
    expect(claimsOf(again.access_token)['aud']).to.equal(`${BASE}/mcp`)

    const { id, secret } = await confidential(server)
    const whole = await server.connect(id, { resource: BASE }, { ...secret, resource: BASE })
    for (const resource of [BASE, `${BASE}/mcp`]) {
      const form = { ...secret, resource }
      expect((await server.refresh(id, whole.refresh_token, form)).status).to.equal(200)
    }
    // Before D94 the bare origin was the interface: grants of then go on.
    const plain = await server.connect(id, {}, secret)
    const send = (resource: string) =>
      server.refresh(id, plain.refresh_token, { ...secret, resource })
    expect((await send(BASE)).status).to.equal(200)
    expect((await send(`${BASE}/mcp`)).body['error']).to.equal('invalid_target')
    const twice = await server.send('POST', '/auth/access_token', {
      body: new URLSearchParams([
        ['client_id', open],
        ['resource', BASE],
        ['resource', BASE],
      ]).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(twice.status).to.equal(400)
  })

  it('makes tokens of one hour and of that resource, and keeps the refresh token of a client with a secret', async () => {
    const server = await resourceServer()
    const { id, secret } = await confidential(server)
    const tokens = await server.connect(id, { resource: `${BASE}/mcp` }, secret)
    const claims = claimsOf(tokens.access_token)
    expect(claims).to.include({ aud: `${BASE}/mcp`, iss: 'alice.example.com', sub: id })
    expect(Object.keys(claims).sort()).to.deep.equal(
      ['aud', 'exp', 'gid', 'iat', 'iss', 'jti', 'scope', 'sub'].sort(),
    )
    const [header = ''] = tokens.access_token.split('.')
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).to.include({ typ: 'at+jwt' })
    expect(tokens.expires_in).to.equal(3600)
    const again = tokensOf(await server.refresh(id, tokens.refresh_token, secret))
    expect(again.refresh_token).to.equal(tokens.refresh_token)
    server.clock.advance(DAY_S * 1000 - 1_800_000)
    const last = tokensOf(await server.refresh(id, tokens.refresh_token, secret))
    expect(last.expires_in).to.be.within(1798, 1800)
  })

  it('wants the verifier, and leaves the code unharmed', async () => {
    const server = await resourceServer()
    const open = await server.publicClient()
    const code = codeOf(await server.allow(open))
    for (const code_verifier of [undefined, 'w'.repeat(43)]) {
      const answer = await server.exchange(open, code, { code_verifier })
      expect([answer.status, answer.body['error']]).to.deep.equal([400, 'invalid_grant'])
    }
    expect((await server.exchange(open, code)).status).to.equal(200)
  })

  it('takes a client without a secret by its id alone', async () => {
    const server = await resourceServer()
    const open = await server.publicClient()
    const { refresh_token } = await server.connect(open)
    const form = { grant_type: 'refresh_token', refresh_token }
    const shown = await server.token(open, { ...form, client_secret: 'x' })
    expect([shown.status, shown.body['error']]).to.deep.equal([401, 'invalid_client'])
    const basic = (password: string) =>
      server.send('POST', '/auth/access_token', {
        form,
        headers: {
          authorization: `Basic ${Buffer.from(`${open}:${password}`).toString('base64')}`,
        },
      })
    expect((await basic('x')).status).to.equal(401)
    expect((await basic('')).status).to.equal(200)
    const { id } = await confidential(server)
    const silent = await server.token(id, form)
    expect([silent.status, silent.body['error']]).to.deep.equal([401, 'invalid_client'])
  })
})

describe('the guard of a resource', () => {
  const METADATA_URL = `resource_metadata="${BASE}/.well-known/oauth-protected-resource/mcp"`
  const SCOPE = `scope="${MCP.scopes.join(' ')}"`

  const call = (server: OAuthServer, path: string, bearer?: string, method = 'GET') =>
    server.send(method, path, {
      headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
    })

  it('challenges as RFC 9728 says', async () => {
    const server = await resourceServer()
    const open = await server.publicClient()
    const tokens = await server.connect(open)
    const missing = await call(server, '/mcp')
    expect([missing.status, missing.headers['www-authenticate'], missing.text]).to.deep.equal([
      401,
      `Bearer ${METADATA_URL}, ${SCOPE}`,
      '{"error":"missing_token"}',
    ])
    const wrong = await call(server, '/mcp', 'x.y.z')
    expect([wrong.status, wrong.headers['www-authenticate'], wrong.text]).to.deep.equal([
      401,
      `Bearer error="invalid_token", ${METADATA_URL}, ${SCOPE}`,
      '{"error":"invalid_token"}',
    ])
    const fine = await call(server, '/mcp', tokens.access_token)
    expect(fine.body).to.deep.equal({
      resource: '/mcp',
      permissions: [{ type: 'io.svc.contacts', verbs: ['GET'] }],
    })
    server.clock.advance(3_600_000)
    const expired = await call(server, '/mcp', tokens.access_token)
    expect(expired.headers['www-authenticate']).to.equal(
      `Bearer error="invalid_token", ${METADATA_URL}, ${SCOPE}, error_description="The access token expired"`,
    )
  })

  it('takes its own tokens and no others, whichever was shown where before', async () => {
    const server = await resourceServer()
    const { id, secret } = await confidential(server)
    const shown = {
      '/contacts': await server.connect(id, {}, secret),
      '/mcp': await server.connect(id, { resource: `${BASE}/mcp` }, secret),
      '/photos/mcp': await server.connect(id, { resource: `${BASE}/photos/mcp` }, secret),
    }
    for (const path of [...Object.keys(shown), ...Object.keys(shown)]) {
      for (const [of, { access_token }] of Object.entries(shown)) {
        const answer = await call(server, path, access_token)
        expect(answer.status, `${of} at ${path}`).to.equal(of === path ? 200 : 401)
      }
    }
    const app = await server.appHeaders('home')
    expect((await server.send('GET', '/mcp', { headers: app })).status).to.equal(401)
  })

  it('refuses a token of our own key whose grant is another', async () => {
    const server = await resourceServer()
    const { id, secret } = await confidential(server)
    const key = await server.oauth.keyring.current(server.instance, 'access')
    const ofMcp = await server.connect(id, { resource: `${BASE}/mcp` }, secret)
    const ofAll = await server.connect(id, {}, secret)
    const forged = (token_: string, aud: string) =>
      signJwt(key, { ...(claimsOf(token_) as unknown as JwtClaims), aud })
    expect((await call(server, '/contacts', forged(ofMcp.access_token, 'access'))).status).to.equal(
      401,
    )
    const other = forged(ofAll.access_token, `${BASE}/mcp`)
    expect((await call(server, '/mcp', other)).status).to.equal(401)
    expect((await call(server, '/mcp', forged(ofMcp.access_token, 'resource'))).status).to.equal(
      401,
    )
  })

  it('asks for what is missing, five times an hour', async () => {
    const server = await resourceServer()
    const open = await server.publicClient()
    const { access_token } = await server.connect(open, { scope: 'io.svc.notes:GET' })
    const expected = `Bearer error="insufficient_scope", scope="io.svc.notes:GET io.svc.contacts:POST", ${METADATA_URL}, error_description="permission needed: io.svc.contacts:POST"`
    for (let i = 0; i < 5; i += 1) {
      const answer = await call(server, '/mcp', access_token, 'POST')
      expect([answer.status, answer.headers['www-authenticate']]).to.deep.equal([403, expected])
    }
    const sixth = await call(server, '/mcp', access_token, 'POST')
    expect(sixth.status).to.equal(403)
    expect(sixth.headers).not.to.have.property('www-authenticate')
  })

  it('ends with the grant', async () => {
    const server = await resourceServer()
    const open = await server.publicClient()
    const tokens = await server.connect(open)
    expect((await call(server, '/mcp', tokens.access_token)).status).to.equal(200)
    for (const which of [tokens.access_token, 'unknown']) {
      const form = { client_id: open, token: which }
      const revoked = await server.send('POST', '/auth/revoke', { form })
      expect([revoked.status, revoked.text]).to.deep.equal([200, ''])
    }
    expect((await call(server, '/mcp', tokens.access_token)).status).to.equal(401)
    expect((await server.refresh(open, tokens.refresh_token)).body['error']).to.equal(
      'invalid_grant',
    )
    const next = await server.connect(open)
    await server.send('POST', '/auth/revoke', {
      form: { client_id: open, token: next.refresh_token },
    })
    expect((await call(server, '/mcp', next.access_token)).status).to.equal(401)
  })
})

describe('a client without a secret', () => {
  it('gets nothing of the interface', async () => {
    // Its registration token certifies nothing: routes.test.ts.
    const server = await resourceServer()
    const id = await server.publicClient()
    const { clients } = server.oauth
    expect(await clients.setFlagship(server.instance, id, true)).to.include({ flagship: false })
    const rules = 'io.svc.contacts:GET'
    const refused = await clients.issueTokens(server.instance, id, rules).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(refused).to.include({ code: 'invalid_scope' })
    expect(await clients.verifySecret(server.instance, id, '')).to.include({ isRight: false })
    const sharing = new URLSearchParams(authorizeFields(id, { scope: 'io.svc.files:GET:x' }))
    const answer = await server.send('GET', `/auth/authorize/sharing?${sharing.toString()}`, {
      headers: { cookie: 'session=owner' },
    })
    expect(answer.status).to.equal(400)
  })
})
