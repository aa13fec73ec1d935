import { createHmac } from 'node:crypto'
import { HOUR_MS } from '@svc/platform'
import {
  fakeClock,
  openProvider,
  type ProviderOptions,
  type ScriptedAnswer,
  timeBudget,
} from '@svc/testkit'
import { expect } from 'chai'
import type { AccountType } from '../../../src/account-types/account-type.ts'
import { createSecret } from '../../../src/account-types/secrets.ts'
import { openTokenClient, type TokenClientSetup } from '../../support/token-client-setup.ts'

describe('discovery (connectors.md 5.3, rule 4)', () => {
  const setups: TokenClientSetup[] = []
  const clock = fakeClock()
  afterEach(async () => {
    await Promise.all(setups.splice(0).map((setup) => setup.close()))
  })

  async function open(
    provider: ProviderOptions = {},
    fields: Partial<AccountType> = {},
  ): Promise<TokenClientSetup & { readonly issued: AccountType }> {
    const setup = await openTokenClient({ provider, clock, lifetimes: { call: 400, connect: 300 } })
    setups.push(setup)
    const issued = setup.type({
      issuer: setup.provider.origin,
      tokenEndpoint: undefined,
      ...fields,
    })
    return { ...setup, issued }
  }

  function asked(setup: TokenClientSetup): readonly string[] {
    return setup.provider.requestsOf('metadata').map(({ path }) => path)
  }

  it('reads the document of RFC 8414, once for everybody', async () => {
    const setup = await open({ sendsIssuer: true })
    const { client, provider, issued } = setup
    const found = await Promise.all(Array.from({ length: 5 }, () => client.discover(issued)))
    expect(found).to.deep.equal(
      Array(5).fill({
        authorizationEndpoint: `${provider.origin}/authorize`,
        tokenEndpoint: `${provider.origin}/token`,
        revocationEndpoint: `${provider.origin}/revoke`,
        jwksUri: `${provider.origin}/jwks`,
        supportsS256: true,
        sendsIssuer: true,
      }),
    )
    expect(asked(setup)).to.deep.equal(['/.well-known/oauth-authorization-server'])
  })

  it('reads that of OpenID Connect where there is no other', async () => {
    const setup = await open({ metadata: { code_challenge_methods_supported: ['plain'] } })
    setup.provider.script('metadata', { status: 404 })
    expect(await setup.client.discover(setup.issued)).to.include({
      tokenEndpoint: `${setup.provider.origin}/token`,
      supportsS256: false,
      sendsIssuer: false,
    })
    expect(asked(setup)).to.deep.equal([
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
    ])
  })

  it('uses what was found for 24 hours', async () => {
    const setup = await open()
    await setup.client.discover(setup.issued)
    clock.advance(23 * HOUR_MS)
    await setup.client.discover(setup.issued)
    expect(asked(setup)).to.have.length(1)
    clock.advance(2 * HOUR_MS)
    await setup.client.discover(setup.issued)
    expect(asked(setup)).to.have.length(2)
  })

  it('asks again for what was not found after 5 minutes, not before', async () => {
    const setup = await open()
    setup.provider.script('metadata', { status: 404 }, { status: 500 })
    expect(await setup.client.discover(setup.issued)).to.equal(undefined)
    expect(await setup.client.discover(setup.issued)).to.equal(undefined)
    expect(asked(setup)).to.have.length(2)
    clock.advance(301_000)
    expect(await setup.client.discover(setup.issued)).to.include({ supportsS256: true })
  })

  it('asks nobody for a type without issuer', async () => {
    const setup = await open()
    expect(await setup.client.discover(setup.type())).to.equal(undefined)
    expect(setup.provider.requests).to.have.length(0)
  })

  const useless: readonly (readonly [string, ScriptedAnswer])[] = [
    ['is about another issuer', { body: { issuer: 'https://other.example' } }],
    ['names no issuer', { body: { token_endpoint: 'https://other.example' } }],
    ['is no JSON', { headers: { 'content-type': 'application/json' }, body: '{' }],
    ['is a page', { headers: { 'content-type': 'text/html' }, body: '<html>' }],
    ['is elsewhere', { status: 302, headers: { location: '/else' } }],
    ['is too large', { body: { issuer: 'x'.repeat(1_100_000) } }],
    ['breaks off', (_request, response) => void response.destroy()],
    ['never comes', () => {}],
  ]
  for (const [what, answer] of useless) {
    it(`finds nothing in a document that ${what}, and goes on without`, async () => {
      const setup = await open()
      setup.provider.script('metadata', answer, answer)
      expect(await setup.client.discover(setup.issued)).to.equal(undefined)
      const [call] = [...setup.log.of('provider.called'), ...setup.log.of('provider.failed')]
      expect(call).to.include({ kind: 'metadata' })
    })
  }

  it('leaves out endpoints that an entry could not name', async () => {
    const setup = await open({
      metadata: {
        authorization_endpoint: 'javascript:alert(1)',
        token_endpoint: 'https://user:pass@provider.example/token',
        revocation_endpoint: 7,
        jwks_uri: `https://provider.example/${'x'.repeat(3000)}`,
      },
    })
    expect(await setup.client.discover(setup.issued)).to.deep.equal({
      supportsS256: true,
      sendsIssuer: false,
    })
  })

  it('finds nothing where the guard refuses', async () => {
    const setup = await open({}, { isTrustedNetwork: false })
    expect(await setup.client.discover(setup.issued)).to.equal(undefined)
    expect(setup.provider.requests).to.have.length(0)
  })

  it('gives the token endpoint of a type that names none', async () => {
    const setup = await open()
    const { refreshToken } = setup.provider.grants.issue('client-1', 'files')
    expect(await setup.client.refresh(setup.issued, refreshToken)).to.include({ ok: true })
  })
})

describe('revocation at the provider (connectors.md 4.9; RFC 7009)', () => {
  let setup: TokenClientSetup
  beforeEach(async () => {
    setup = await openTokenClient()
  })
  afterEach(() => setup.close())

  function type(fields: Partial<AccountType> = {}): AccountType {
    return setup.type({ revocationEndpoint: `${setup.provider.origin}/revoke`, ...fields })
  }

  for (const tokenMode of ['form', 'basic', 'get'] as const) {
    it(`ends the grant (${tokenMode})`, async () => {
      const { accessToken, refreshToken } = setup.provider.grants.issue('client-1', 'files')
      await setup.client.revoke(type({ tokenMode }), refreshToken, 'refresh_token')
      expect(setup.provider.grants.isLive(accessToken)).to.equal(false)
      const [request] = setup.provider.requestsOf('revoke')
      expect(request).to.include({ method: 'POST' })
      expect(request?.parameters).to.include({
        token: refreshToken,
        token_type_hint: 'refresh_token',
      })
      expect(request?.client.via).to.equal(tokenMode === 'basic' ? 'basic' : 'body')
    })
  }

  it('finds the endpoint by the issuer', async () => {
    const { accessToken } = setup.provider.grants.issue('client-1', 'files')
    const issued = setup.type({ issuer: setup.provider.origin })
    await setup.client.revoke(issued, accessToken, 'access_token')
    expect(setup.provider.grants.isLive(accessToken)).to.equal(false)
  })

  it('asks nobody where there is no endpoint', async () => {
    await setup.client.revoke(setup.type(), 'token', 'access_token')
    expect(setup.provider.requests).to.have.length(0)
    expect(setup.log.lines).to.have.length(0)
  })

  const failures: readonly (readonly [string, ScriptedAnswer, string])[] = [
    ['a refusal', { status: 400, body: { error: 'unsupported_token_type' } }, 'error'],
    ['a redirect', { status: 302, headers: { location: '/' } }, 'error'],
    ['503', { status: 503, headers: { 'retry-after': '0' } }, 'error'],
    ['a connection that breaks', (_request, response) => void response.destroy(), 'unavailable'],
  ]
  for (const [what, answer, expected] of failures) {
    it(`does not reject after ${what}, and asks once`, async () => {
      setup.provider.script('revoke', answer)
      await setup.client.revoke(type(), 'refresh-token-1', 'refresh_token')
      expect(setup.provider.requests).to.have.length(1)
      expect(setup.log.of('provider.failed')).to.have.length(1)
      expect(setup.log.of('provider.failed')[0]).to.include({ kind: 'revoke', class: expected })
      expect(JSON.stringify(setup.log.lines)).to.not.include('refresh-token-1')
    })
  }

  it('does not reject where the guard refuses', async () => {
    await setup.client.revoke(type({ isTrustedNetwork: false }), 'token-1', 'access_token')
    expect(setup.provider.requests).to.have.length(0)
    expect(setup.log.of('provider.failed')[0]).to.include({ class: 'error', reason: 'refused' })
  })

  it('does not reject whatever the type holds', async () => {
    const odd = type({ clientId: '\u0000', clientSecret: createSecret('\uD800') })
    await setup.client.revoke(odd, '\r\n', 'access_token')
    await setup.client.revoke(type({ revocationEndpoint: 'nonsense' }), 'x', 'access_token')
    expect(setup.log.of('provider.failed')).to.have.length(2)
  })

  it('waits 5 s at most', async function () {
    this.timeout(15_000)
    const silent = (): void => {}
    setup.provider.script('revoke', silent)
    const startedAt = performance.now()
    await setup.client.revoke(type(), 'refresh-token-1', 'refresh_token')
    expect(performance.now() - startedAt).to.be.within(4900, 5000 + timeBudget(3000))
    expect(setup.log.of('provider.failed')[0]).to.include({ class: 'timeout' })
  })
})

const NOW_S = (): number => Math.floor(Date.now() / 1000)

describe('the subject of an id token (connectors.md 6.3, rule 10)', () => {
  let setup: TokenClientSetup
  let type: AccountType
  beforeEach(async () => {
    setup = await openTokenClient()
    type = setup.type({ issuer: setup.provider.origin })
  })
  afterEach(() => setup.close())

  function warnings(): number {
    return setup.log.of('provider.id_token_refused').length
  }

  it('is that of a token that holds, its nonce included', async () => {
    const token = await setup.provider.idToken({ nonce: 'n-1' })
    expect(await setup.client.subjectOf(type, token, 'n-1')).to.equal('subject-1')
    expect(warnings()).to.equal(0)
  })

  it('needs no nonce where none was sent, as at a refresh', async () => {
    const token = await setup.provider.idToken({})
    expect(await setup.client.subjectOf(type, token, undefined)).to.equal('subject-1')
  })

  it('is read with keys that are fetched once', async () => {
    for (let i = 0; i < 3; i += 1) {
      await setup.client.subjectOf(type, await setup.provider.idToken({}), undefined)
    }
    expect(setup.provider.requestsOf('jwks')).to.have.length(1)
    expect(setup.provider.requestsOf('metadata')).to.have.length(1)
  })

  const claims: readonly (readonly [string, object])[] = [
    ['of another issuer', { iss: 'https://other.example' }],
    ['for another client', { aud: 'client-2' }],
    ['for several clients, none of them this one', { aud: ['client-2', 'client-3'] }],
    ['that is over', { iat: NOW_S() - 7200, exp: NOW_S() - 3600 }],
    ['without an end', { exp: undefined }],
    ['that begins later', { nbf: NOW_S() + 3600 }],
    ['with another nonce', { nonce: 'n-2' }],
    ['without a nonce', { nonce: undefined }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a subject of 256 characters', { sub: 's'.repeat(256) }],
    ['with a subject that is a number', { sub: 7 }],
  ]
  for (const [what, wrong] of claims) {
    it(`is unknown, with a warning, of a token ${what}`, async () => {
      const token = await setup.provider.idToken({ nonce: 'n-1', ...wrong })
      expect(await setup.client.subjectOf(type, token, 'n-1')).to.equal(undefined)
      expect(warnings()).to.equal(1)
      expect(JSON.stringify(setup.log.lines)).to.not.include(token)
    })
  }

  it('is unknown of a token that somebody else signed', async () => {
    const other = await openProvider()
    const forged = await other.idToken({ iss: setup.provider.origin })
    await other.close()
    const claims = { iss: setup.provider.origin, aud: 'client-1', sub: 's', iat: NOW_S() }
    const mac = (input: string): string =>
      createHmac('sha256', 'secret-1').update(input).digest('base64url')
    const byHand = (alg: string, sign: (input: string) => string): string => {
      const input = `${base64({ alg, kid: '1' })}.${base64({ ...claims, exp: NOW_S() + 60 })}`
      return `${input}.${sign(input)}`
    }
    for (const token of [forged, byHand('HS256', mac), byHand('none', () => '')]) {
      expect(await setup.client.subjectOf(type, token, undefined)).to.equal(undefined)
    }
    expect(warnings()).to.equal(3)
  })

  for (const junk of ['', 'junk', 'a.b.c', 'e30.e30.', '....', 'é.ü.ö']) {
    it(`is unknown of "${junk}"`, async () => {
      expect(await setup.client.subjectOf(type, junk, undefined)).to.equal(undefined)
      expect(warnings()).to.equal(1)
    })
  }

  it('is unknown when the keys cannot be had', async () => {
    setup.provider.script('jwks', { status: 500 })
    const token = await setup.provider.idToken({})
    expect(await setup.client.subjectOf(type, token, undefined)).to.equal(undefined)
    expect(warnings()).to.equal(1)
    expect(await setup.client.subjectOf(type, token, undefined)).to.equal('subject-1')
  })

  it('is unknown when the issuer says nothing of itself', async () => {
    setup.provider.script('metadata', { status: 404 }, { status: 404 })
    const token = await setup.provider.idToken({})
    expect(await setup.client.subjectOf(type, token, undefined)).to.equal(undefined)
    expect(warnings()).to.equal(1)
  })

  it('is unknown, and nobody is warned, of a type without issuer', async () => {
    const token = await setup.provider.idToken({})
    expect(await setup.client.subjectOf(setup.type(), token, undefined)).to.equal(undefined)
    expect(warnings()).to.equal(0)
    expect(setup.provider.requests).to.have.length(0)
  })

  it('goes by the clock of the host', async () => {
    const clock = fakeClock()
    const later = await openTokenClient({ clock })
    const token = await later.provider.idToken({})
    clock.advance(7_200_000)
    const issued = later.type({ issuer: later.provider.origin })
    expect(await later.client.subjectOf(issued, token, undefined)).to.equal(undefined)
    const fresh = await later.provider.idToken({})
    expect(await later.client.subjectOf(issued, fresh, undefined)).to.equal('subject-1')
    await later.close()
  })
})

function base64(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
