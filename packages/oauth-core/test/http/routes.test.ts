import { type AttestationPlatforms, makePlatforms, makeSafetyNet } from '@svc/testkit/attestation'
import { expect } from 'chai'
import { copyClients } from '../copy-clients.ts'
import { SAMPLE_SHARINGS, sharingCases } from '../sharing-cases.ts'
import { authorizeFields, REDIRECT_URI } from '../client-steps.ts'
import { MCP } from '../sample-resources.ts'
import { everywhereDocuments } from './document-servers.ts'
import { METADATA, oauthServer, type OAuthServer, type Send } from '../oauth-server.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }
const HUGE = 'x'.repeat(70_000)

const HOUR = { windowMs: 3_600_000 }
/** As many as the cases use up before those of 429. */
const NARROW = {
  attestation: { limit: 1, ...HOUR },
  'confirm-flagship': { limit: 2, ...HOUR },
  'oauth-client': { limit: 27, ...HOUR },
  refresh: { limit: 1, ...HOUR },
  assistant: { limit: 1, ...HOUR },
}

interface Case {
  readonly row: string
  readonly status: number
  readonly request: Send
  /** @defaultValue the row's path */
  readonly target?: string
}

/** A request for every answer that a row declares. */
async function cases(
  server: OAuthServer,
  platforms: AttestationPlatforms,
): Promise<readonly Case[]> {
  // As long as there is no resource.
  await server.send('GET', '/.well-known/oauth-protected-resource')
  server.oauth.resources.add(MCP)
  const open = await server.publicClient()
  const { refresh_token } = await server.connect(open)
  await server.refresh(open, refresh_token)
  await server.allow('https://one.example/c')
  const two = authorizeFields('https://two.example/c')
  const denied = new URLSearchParams(authorizeFields('https://denied.example/c')).toString()
  const client = await server.register()
  const doomed = await server.register()
  const redirect_uri = METADATA.redirect_uris[0]
  const oob = await server.register({ redirect_uris: ['urn:ietf:wg:oauth:2.0:oob'] })
  const settings = await server.appHeaders('settings')
  const bearer = server.bearer(client.token)
  const owner = { cookie: 'session=owner' }
  const authorize = {
    client_id: client.id,
    redirect_uri,
    state: 's',
    response_type: 'code',
    scope: 'io.svc.files:GET',
  }
  const query = (form: Readonly<Record<string, string>>) =>
    `?${new URLSearchParams(form).toString()}`
  const credentials = { client_id: client.id, client_secret: client.secret }
  const allowed = await server.send('POST', '/auth/authorize', { form: authorize, headers: owner })
  const code = new URL(String(allowed.headers['location'])).searchParams.get('code') ?? ''
  const own = `/auth/register/${client.id}`
  const conflicting = { client_id: client.id, client_kind: 'web' }

  const certify = `/auth/clients/${client.id}`
  const { body } = await server.send('POST', `${certify}/challenge`, { headers: bearer })
  const now = server.clock.now()
  const made = await makeSafetyNet(platforms, { challenge: String(body['nonce']), now })
  const attestation = { platform: 'android', ...made }
  const everything = query({
    ...authorize,
    scope: '*',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  })
  const page = await server.send('GET', `/auth/authorize${everything}`, { headers: owner })
  const typed = {
    token: /name="token" value="([^"]*)"/.exec(page.text)?.[1] ?? '',
    code: server.mailedCodes[0] ?? '',
  }
  const other = everything
    .replace(client.id, oob.id)
    .replace(encodeURIComponent(redirect_uri), encodeURIComponent('urn:ietf:wg:oauth:2.0:oob'))
  const { oauth, instance } = server
  const flagship = await server.register()
  await oauth.clients.setFlagship(instance, flagship.id, true)
  const tokens = await oauth.clients.issueFlagshipTokens(instance, flagship.id)
  const maximal = server.bearer(tokens?.access_token ?? '')
  const bank = '/auth/tokens/konnectors/bank'

  const of = (row: string) => (status: number, request: Send, target?: string) => ({
    row,
    status,
    request,
    ...(target === undefined ? {} : { target }),
  })
  const register = of('POST /auth/register')
  const fromWebApp = of('POST /auth/registerFromWebApp')
  const read = of('GET /auth/register/:clientId')
  const update = of('PUT /auth/register/:clientId')
  const remove = of('DELETE /auth/register/:clientId')
  const ask = of('GET /auth/authorize')
  const allow = of('POST /auth/authorize')
  const token = of('POST /auth/access_token')
  const revoke = of('POST /auth/revoke')
  const metadata = of('GET /.well-known/oauth-authorization-server')
  const resource = of('GET /.well-known/oauth-protected-resource')
  const resourceOf = of('GET /.well-known/oauth-protected-resource/*path')
  const wellKnown = '/.well-known/oauth-protected-resource'
  const certifyOpen = `/auth/clients/${open}`
  const challenge = of('POST /auth/clients/:clientId/challenge')
  const attest = of('POST /auth/clients/:clientId/attestation')
  const confirm = of('POST /auth/clients/:clientId/flagship')
  const konnector = of('POST /auth/tokens/konnectors/:slug')
  const zipped = { 'content-encoding': 'gzip' }
  return [
    register(201, { json: METADATA }),
    register(400, { json: {} }),
    register(413, { json: { HUGE } }),
    register(415, { json: {}, headers: zipped }),
    fromWebApp(201, { json: METADATA, headers: settings }),
    fromWebApp(400, { json: {}, headers: settings }),
    fromWebApp(403, { json: METADATA }),
    fromWebApp(413, { json: { HUGE }, headers: settings }),
    fromWebApp(415, { json: {}, headers: { ...settings, ...zipped } }),
    read(201, { headers: bearer }, own),
    read(400, {}, `${own}?%zz`),
    read(401, {}, own),
    read(404, {}),
    update(200, { json: { client_id: client.id }, headers: bearer }, own),
    update(400, { json: {}, headers: bearer }, own),
    update(401, { json: {} }, own),
    update(404, { json: {} }),
    update(409, { json: conflicting, headers: bearer }, own),
    update(413, { json: { HUGE }, headers: bearer }, own),
    update(415, { json: {}, headers: { ...bearer, ...zipped } }, own),
    remove(204, { headers: server.bearer(doomed.token) }, `/auth/register/${doomed.id}`),
    remove(400, {}, `${own}?%zz`),
    remove(401, {}, own),
    ask(200, { headers: owner }, `/auth/authorize${query(authorize)}`),
    ask(302, {}, `/auth/authorize${query(authorize)}`),
    ask(400, { headers: owner }),
    allow(200, {
      form: { ...authorize, client_id: oob.id, redirect_uri: 'urn:ietf:wg:oauth:2.0:oob' },
      headers: owner,
    }),
    ask(403, { headers: owner }, `/auth/authorize?${denied}`),
    allow(429, { form: two, headers: owner }),
    allow(302, { form: authorize, headers: owner }),
    allow(400, { form: {}, headers: owner }),
    allow(401, { form: authorize }),
    allow(403, { form: authorize, headers: { ...owner, 'x-test-csrf': 'wrong' } }),
    allow(413, { body: HUGE, headers: FORM_TYPE }),
    allow(415, { json: authorize, headers: owner }),
    ...sharingCases(owner, authorize, {
      client_id: oob.id,
      redirect_uri: 'urn:ietf:wg:oauth:2.0:oob',
    }),
    token(200, { form: { ...credentials, grant_type: 'authorization_code', code } }),
    token(400, { form: { ...credentials, grant_type: 'password' } }),
    token(401, { form: { ...credentials, client_secret: 'wrong', grant_type: 'refresh_token' } }),
    token(429, { form: { client_id: open, grant_type: 'refresh_token', refresh_token } }),
    token(413, { body: HUGE, headers: FORM_TYPE }),
    token(415, { form: credentials, headers: zipped }),
    revoke(200, { form: { ...credentials, token: 'unknown' } }),
    revoke(400, { form: credentials }),
    revoke(401, { form: { ...credentials, client_secret: 'wrong', token: 'x' } }),
    revoke(413, { body: HUGE, headers: FORM_TYPE }),
    revoke(415, { form: credentials, headers: zipped }),
    metadata(200, {}),
    metadata(400, {}, '/.well-known/oauth-authorization-server?%zz'),
    resource(200, {}),
    resource(400, {}, `${wellKnown}?%zz`),
    resourceOf(200, {}, `${wellKnown}/mcp`),
    resourceOf(400, {}, `${wellKnown}/mcp?%zz`),
    resourceOf(404, {}, `${wellKnown}/nothing`),
    challenge(403, {}, `${certifyOpen}/challenge`),
    attest(403, { json: {} }, `${certifyOpen}/attestation`),
    confirm(403, { form: typed }, `${certifyOpen}/flagship`),
    challenge(201, { headers: bearer }, `${certify}/challenge`),
    challenge(400, { headers: bearer }, `${certify}/challenge?%zz`),
    challenge(401, {}, `${certify}/challenge`),
    challenge(404, {}),
    challenge(413, { body: HUGE, headers: { ...bearer, ...JSON_TYPE } }, `${certify}/challenge`),
    challenge(415, { json: {}, headers: { ...bearer, ...zipped } }, `${certify}/challenge`),
    attest(400, { json: {} }, `${certify}/attestation`),
    attest(401, { json: {}, headers: server.bearer('x') }, `${certify}/attestation`),
    attest(204, { json: attestation }, `${certify}/attestation`),
    attest(404, { json: {} }),
    attest(413, { json: { HUGE } }, `${certify}/attestation`),
    attest(415, { form: {} }, `${certify}/attestation`),
    attest(429, { json: {} }, `${certify}/attestation`),
    confirm(401, { form: { ...typed, token: 'x' } }, `${certify}/flagship`),
    confirm(204, { form: typed }, `${certify}/flagship`),
    confirm(400, { form: typed }, `${certify}/flagship?%zz`),
    confirm(404, { form: typed }),
    confirm(413, { body: HUGE, headers: FORM_TYPE }, `${certify}/flagship`),
    confirm(415, { json: {} }, `${certify}/flagship`),
    confirm(429, { form: typed }, `${certify}/flagship`),
    ask(429, { headers: owner }, `/auth/authorize${other}`),
    konnector(201, { headers: maximal }, bank),
    konnector(400, { headers: maximal }, `${bank}?%zz`),
    konnector(401, {}, bank),
    konnector(403, { headers: settings }, bank),
    konnector(404, { headers: maximal }, '/auth/tokens/konnectors/other'),
    konnector(413, { json: { HUGE }, headers: maximal }, bank),
    konnector(415, { json: {}, headers: { ...maximal, ...zipped } }, bank),
    // At the end of what one hour allows.
    register(429, { json: METADATA }),
    fromWebApp(429, { json: METADATA, headers: settings }),
    update(429, { body: '', headers: JSON_TYPE }, own),
    challenge(429, { headers: bearer }, `${certify}/challenge`),
  ]
}

describe('the routes', () => {
  it('answer every status they declare, and no other', async () => {
    const platforms = await makePlatforms()
    const server = await oauthServer({
      limits: NARROW,
      assistants: { clientHostsDenied: ['denied.example'] },
      outbound: everywhereDocuments(REDIRECT_URI),
      flagship: platforms.flagship,
      sharings: SAMPLE_SHARINGS,
      konnectors: {
        installed: async (_, slug) => (slug === 'bank' ? { slug, permissions: {} } : undefined),
      },
    })
    const { store, statuses, oauth } = server
    const { write } = store
    for (const { row, status, request, target } of await cases(server, platforms)) {
      const [method = '', path = ''] = row.split(' ')
      // A writer that comes first: what the client was read as is no longer there.
      if (status === 409) store.write = async () => ({ written: false, failed: '' as never })
      const answer = await server.send(method, target ?? path.replace(':clientId', 'x'), request)
      store.write = write
      expect(answer.status, `${row} ${answer.text.slice(0, 200)}`).to.equal(status)
    }
    server.clock.advance(HOUR.windowMs)
    await copyClients(server, 1000, ['clients'])
    const full = await server.send('POST', '/auth/register', { json: METADATA })
    expect(full.status, full.text.slice(0, 200)).to.equal(403)
    expect(statuses.undeclared()).to.deep.equal([])
    expect(statuses.missing(oauth.rows)).to.deep.equal([])
  })

  it('answer 405 to every other method, naming their own', async () => {
    const { oauth, send } = await oauthServer()
    for (const path of new Set(oauth.rows.map((row) => row.path))) {
      const own = oauth.rows.filter((row) => row.path === path)
      const methods: string[] = own.map(({ method }) => method)
      if (methods.includes('GET')) methods.push('HEAD')
      if (own.some(({ cors = 'none' }) => !['none', 'public-clients'].includes(cors)))
        methods.push('OPTIONS')
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (methods.includes(method)) continue
        const { status, headers } = await send(method, path.replace(/[:*]\w+/, 'x'))
        expect(status, `${method} ${path}`).to.equal(405)
        const allowed = methods.filter((name) => name !== 'OPTIONS').toSorted()
        expect(headers['allow'], `${method} ${path}`).to.equal(allowed.join(', '))
      }
    }
  })

  it('declare the 400 of a query that is malformed or doubled', async () => {
    const { oauth, send, statuses } = await oauthServer()
    for (const { method, path } of oauth.rows) {
      for (const query of ['%zz', 'a=1&a=2']) {
        await send(method, `${path.replace(/:\w+/, 'x')}?${query}`, {})
      }
    }
    expect(statuses.undeclared()).to.deep.equal([])
  })

  it('declare each method and path once, with sorted statuses', async () => {
    const { oauth } = await oauthServer()
    const names = oauth.rows.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(names).size).to.equal(names.length)
    for (const { method, path, statuses } of oauth.rows) {
      const sorted = [...statuses].sort((a, b) => a - b)
      expect(statuses, `${method} ${path}`).to.deep.equal(sorted)
    }
  })

  it('refuse whoever shows none of the tokens that they name, before a body is read', async () => {
    const { oauth, send, register } = await oauthServer()
    const { id } = await register()
    const asked: string[] = []
    for (const { method, path, auth, statuses } of oauth.rows) {
      if (typeof auth !== 'function' || !auth.callers.every((who) => who.endsWith('token')))
        continue
      const target = path.replace(':clientId', id).replace(':slug', 'bank')
      const answer = await send(method, target, { body: HUGE, headers: JSON_TYPE })
      expect(answer.status, `${method} ${path}`).to.be.oneOf([401, 403])
      expect(statuses, `${method} ${path}`).to.include(answer.status)
      asked.push(`${method} ${path}`)
    }
    expect(asked).to.have.lengthOf(6)
  })

  it('answer that a client is unknown before a body is read', async () => {
    const { oauth, send } = await oauthServer()
    const asked = oauth.rows.filter(({ path }) => path.includes(':clientId'))
    for (const { method, path } of asked) {
      const target = path.replace(':clientId', 'unknown')
      const answer = await send(method, target, { body: HUGE, headers: JSON_TYPE })
      const row = `${method} ${path}`
      if (method === 'DELETE') expect(answer.status, row).to.equal(204)
      else
        expect([answer.status, answer.body], row).to.deep.equal([
          404,
          { error: 'Client not found' },
        ])
    }
    expect(asked).to.have.lengthOf(6)
  })

  it('answer 429 over the limit of requests, whatever is sent', async () => {
    const limits = { 'oauth-client': { limit: 1, ...HOUR } }
    const server = await oauthServer({ limits })
    const { id } = await server.register()
    const settings = await server.appHeaders('settings')
    const asked: string[] = []
    for (const { method, path, limit } of server.oauth.rows) {
      if (typeof limit !== 'object' || !limit.some(({ bucket }) => bucket === 'oauth-client'))
        continue
      const target = path.replace(':clientId', id)
      const answer = await server.send(method, target, { body: HUGE, headers: settings })
      expect(answer.status, `${method} ${path}`).to.equal(429)
      expect(answer.headers['retry-after'], `${method} ${path}`).to.match(/^[1-9]/)
      asked.push(`${method} ${path}`)
    }
    expect(asked).to.have.lengthOf(4)
  })

  it('leave everything else of the engine unreachable', async () => {
    const { send } = await oauthServer()
    for (const path of [
      '/jwks',
      '/auth/jwks',
      '/me',
      '/auth/me',
      '/token',
      '/request',
      '/session/end',
      '/token/introspection',
      '/token/revocation',
      '/reg',
      '/device',
      '/backchannel',
      '/.well-known/openid-configuration',
      '/.well-known/jwks.json',
      '/auth/authorize/some-uid',
      '/auth/clients/share-by-link/password',
    ]) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        expect((await send(method, path)).status, `${method} ${path}`).to.equal(404)
      }
    }
  })
})
