import { HOUR_MS } from '@svc/platform'
import { fakeClock, type ProviderOptions, type ScriptedAnswer } from '@svc/testkit'
import { expect } from 'chai'
import type { AccountType } from '../../../src/account-types/account-type.ts'
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
