import { type ScriptedAnswer, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import type { AccountType } from '../../../src/account-types/account-type.ts'
import { createSecret } from '../../../src/account-types/secrets.ts'
import { openTokenClient, type TokenClientSetup } from '../../support/token-client-setup.ts'

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
