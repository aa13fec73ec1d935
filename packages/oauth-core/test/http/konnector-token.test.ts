import { expect } from 'chai'
import type { KonnectorManifest } from '../../src/index.ts'
import { guardedRoutes } from '../guarded-routes.ts'
import { signJwt } from '../../src/tokens/jwt.ts'
import { claimsOf } from '../client-steps.ts'
import { type OAuthServer, oauthServer, testApp } from '../oauth-server.ts'

const BANK: KonnectorManifest = {
  slug: 'bank',
  permissions: { bills: { type: 'io.svc.bills', verbs: ['GET', 'POST'] } },
}
const INVALID = { error: 'invalid_token' }
const BILLS = { verb: 'GET', type: 'io.svc.bills' } as const
const mountBills = guardedRoutes({
  'GET /bills': BILLS,
  'DELETE /bills': { ...BILLS, verb: 'DELETE' },
})

/** A server with a konnector, and the tokens of a certified client. */
async function konnectorServer() {
  const installed = new Map([['bank', BANK]])
  const konnectors = { installed: async (_: unknown, slug: string) => installed.get(slug) }
  const server = await oauthServer({ konnectors, mount: mountBills })
  const client = await server.register()
  await server.oauth.clients.setFlagship(server.instance, client.id, true)
  const tokens = await server.oauth.clients.issueFlagshipTokens(server.instance, client.id)
  return { server, installed, client, token: tokens?.access_token ?? '' }
}

const post = (server: OAuthServer, token: string | undefined, slug = 'bank', request = {}) =>
  server.send('POST', `/auth/tokens/konnectors/${slug}`, {
    headers: token === undefined ? {} : server.bearer(token),
    ...request,
  })

describe('POST /auth/tokens/konnectors/:slug', () => {
  it('answers 201 with the token as a JSON string', async () => {
    const { server, token } = await konnectorServer()
    const answer = await post(server, token)
    expect(answer.status).to.equal(201)
    expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8')
    expect(answer.headers['cache-control']).to.equal('no-store')
    expect(answer.text).to.match(/^"[\w-]+\.[\w-]+\.[\w-]+"$/)
    const { iat, exp, ...claims } = claimsOf(JSON.parse(answer.text) as string)
    expect(claims).to.deep.equal({ iss: 'alice.example.com', aud: 'konn', sub: 'bank' })
    expect(Number(exp) - Number(iat)).to.equal(1800)
  })

  it('needs no body, and takes any', async () => {
    const { server, token } = await konnectorServer()
    for (const request of [{ json: null }, { json: {} }, { form: {} }, { body: '' }]) {
      expect((await post(server, token, 'bank', request)).status).to.equal(201)
    }
  })

  it('answers 403 to whoever does not hold everything', async () => {
    const { server } = await konnectorServer()
    server.apps.set(
      'home',
      testApp('home', { permissions: { all: { type: 'io.svc.konnectors' } } }),
    )
    const konnector = (await server.oauth.konnectorTokens.issue(server.instance, 'bank')) ?? ''
    for (const headers of [await server.appHeaders('home'), server.bearer(konnector)]) {
      const answer = await post(server, undefined, 'bank', { headers })
      expect([answer.status, answer.body]).to.deep.equal([403, { error: 'insufficient_scope' }])
    }
  })

  it('answers 404 for what is not installed', async () => {
    const { server, token } = await konnectorServer()
    for (const slug of ['other', 'BANK', 'x'.repeat(300), '__proto__']) {
      const answer = await post(server, token, slug)
      expect([answer.status, answer.body], slug).to.deep.equal([404, { error: 'not found' }])
    }
  })

  it('answers 404 for every slug where there are no konnectors', async () => {
    const server = await oauthServer()
    const client = await server.register()
    await server.oauth.clients.setFlagship(server.instance, client.id, true)
    const tokens = await server.oauth.clients.issueFlagshipTokens(server.instance, client.id)
    expect((await post(server, tokens?.access_token)).status).to.equal(404)
  })
})

describe('a konnector token', () => {
  const bills = (server: OAuthServer, method: string, token: string) =>
    server.send(method, '/bills', { headers: server.bearer(token) })

  async function issued() {
    const made = await konnectorServer()
    const konn = await made.server.oauth.konnectorTokens.issue(made.server.instance, 'bank')
    return { ...made, konn: konn ?? '' }
  }

  it('lets its konnector do what the manifest says', async () => {
    const { server, konn } = await issued()
    const answer = await bills(server, 'GET', konn)
    expect(answer.status).to.equal(200)
    expect(answer.body).to.deep.equal({ kind: 'konnector', owner: 'io.svc.konnectors/bank' })
    const refused = await bills(server, 'DELETE', konn)
    expect([refused.status, refused.body]).to.deep.equal([403, { error: 'insufficient_scope' }])
  })

  it('dies after 30 minutes, whatever its claims say', async () => {
    const { server, konn } = await issued()
    const key = await server.oauth.keyring.current(server.instance, 'session')
    const iat = Number(claimsOf(konn)['iat'])
    const base = { iss: 'alice.example.com', aud: 'konn', sub: 'bank', iat }
    const tokens = [konn, signJwt(key, { ...base, exp: iat + 86_400 })]
    server.clock.advance(29 * 60_000)
    for (const token of tokens) expect((await bills(server, 'GET', token)).status).to.equal(200)
    server.clock.advance(60_000)
    for (const token of tokens) {
      const answer = await bills(server, 'GET', token)
      expect([answer.status, answer.body]).to.deep.equal([401, INVALID])
      expect(answer.headers['www-authenticate']).to.include('The access token expired')
    }
  })

  it('dies with its konnector, and with the keys of the sessions', async () => {
    const { server, installed, konn } = await issued()
    installed.delete('bank')
    expect((await bills(server, 'GET', konn)).status).to.equal(401)
    installed.set('bank', BANK)
    expect((await bills(server, 'GET', konn)).status).to.equal(200)
    await server.store.write(await server.oauth.keyring.replaceSessionKey(server.instance))
    await server.oauth.keyring.replaced(server.instance)
    expect((await bills(server, 'GET', konn)).status).to.equal(401)
  })

  it('is no other token: key, audience and instance have to fit', async () => {
    const { server, konn } = await issued()
    const { oauth, instance } = server
    const bob = await oauth.instances.create({ domain: 'bob.example.com' })
    const own = claimsOf(konn) as unknown as Parameters<typeof signJwt>[1]
    const [access, session] = [
      await oauth.keyring.current(instance, 'access'),
      await oauth.keyring.current(instance, 'session'),
    ]
    const cases = {
      'the access key': signJwt(access, own),
      'another audience': signJwt(session, { ...own, aud: 'konnector' }),
      'an app': signJwt(session, { ...own, aud: 'app' }),
      'a client': signJwt(session, { ...own, aud: 'access' }),
      'another instance': signJwt(await oauth.keyring.current(bob, 'session'), own),
      'another issuer': signJwt(session, { ...own, iss: 'bob.example.com' }),
    }
    for (const [name, token] of Object.entries(cases)) {
      expect((await bills(server, 'GET', token)).status, name).to.equal(401)
    }
  })

  it('is no reason to revoke anything', async () => {
    const { server, client, konn } = await issued()
    const form = { client_id: client.id, client_secret: client.secret, token: konn }
    const answer = await server.send('POST', '/auth/revoke', { form })
    expect([answer.status, answer.text]).to.deep.equal([200, ''])
    expect((await bills(server, 'GET', konn)).status).to.equal(200)
  })
})
