import { expect } from 'chai'
import { describe, it } from 'mocha'
import { authorizationUrl } from '../../../src/flow/authorization-url.ts'
import { sampleType } from '../../support/sample-type.ts'

const ENDPOINT = 'https://provider.example/authorize'
const QUESTION = {
  redirectUri: 'https://alice.example.com/accounts/bank/redirect',
  scopes: ['a', 'b'],
  state: 'our-state',
}

function parametersOf(url: string): Readonly<Record<string, string>> {
  return Object.fromEntries(new URL(url).searchParams)
}

/** connectors.md 5.1 */
describe('authorizationUrl', () => {
  it('carries what RFC 6749 asks for, in order, with spaces as %20', () => {
    expect(authorizationUrl(sampleType(), ENDPOINT, QUESTION)).to.equal(
      'https://provider.example/authorize?response_type=code&client_id=client-1' +
        '&redirect_uri=https%3A%2F%2Falice.example.com%2Faccounts%2Fbank%2Fredirect' +
        '&scope=a%20b&state=our-state',
    )
  })

  it('carries the challenge and the nonce when there are some', () => {
    const question = { ...QUESTION, codeChallenge: 'challenge', oidcNonce: 'nonce' }
    const parameters = parametersOf(authorizationUrl(sampleType(), ENDPOINT, question))
    expect(parameters).to.include({
      code_challenge: 'challenge',
      code_challenge_method: 'S256',
      nonce: 'nonce',
    })
  })

  it('keeps the query of the endpoint, but not parameters of ours in it, however they are spelt', () => {
    const endpoint = `${ENDPOINT}?tenant=a%20b&state=theirs&st%61te=theirs&redirect%5furi=evil&x`
    const url = authorizationUrl(sampleType(), endpoint, QUESTION)
    expect(url).to.match(/^https:\/\/provider\.example\/authorize\?tenant=a%20b&x&response_type=/)
    expect(new URL(url).searchParams.getAll('state')).to.deep.equal(['our-state'])
    expect(new URL(url).searchParams.getAll('redirect_uri')).to.deep.equal([QUESTION.redirectUri])
  })

  it('adds extras, but lets none replace a protected name, asked for or not', () => {
    const extras = {
      access_type: 'offline',
      response_type: 'token',
      client_id: 'x',
      redirect_uri: 'https://evil.example',
      scope: 'all',
      state: 'x',
      code_challenge: 'x',
      code_challenge_method: 'plain',
      nonce: 'x',
    }
    const type = sampleType({ extras, skipsRedirectUriOnAuthorize: true })
    const parameters = parametersOf(authorizationUrl(type, ENDPOINT, { ...QUESTION, scopes: [] }))
    expect(parameters).to.deep.equal({
      response_type: 'code',
      client_id: 'client-1',
      state: 'our-state',
      access_type: 'offline',
    })
  })

  it('names no redirect_uri for types that skip it', () => {
    const type = sampleType({ skipsRedirectUriOnAuthorize: true })
    expect(parametersOf(authorizationUrl(type, ENDPOINT, QUESTION))).not.to.have.property(
      'redirect_uri',
    )
  })

  it('joins scopes with the separator of the type, under the name of the type (D38)', () => {
    const type = sampleType({ scopeSeparator: ',', scopeParam: 'user_scope' })
    const parameters = parametersOf(authorizationUrl(type, ENDPOINT, QUESTION))
    expect(parameters).to.include({ user_scope: 'a,b' })
    expect(parameters).not.to.have.property('scope')
  })

  it('sends no scope when none is asked for', () => {
    const parameters = parametersOf(
      authorizationUrl(sampleType(), ENDPOINT, { ...QUESTION, scopes: [] }),
    )
    expect(parameters).not.to.have.property('scope')
  })

  for (const [what, endpoint] of [
    ['no address', 'provider.example'],
    ['a script', 'javascript:alert(1)'],
    ['an address with a password', 'https://a:b@provider.example/'],
    ['an address over 8 KiB', `${ENDPOINT}?x=${'x'.repeat(8192)}`],
  ] as const) {
    it(`refuses ${what} as a fault of the type`, () => {
      expect(() => authorizationUrl(sampleType(), endpoint, QUESTION))
        .to.throw()
        .that.includes({ code: 'account_type_misconfigured', status: 500 })
    })
  }

  it('drops a fragment of the endpoint', () => {
    expect(authorizationUrl(sampleType(), `${ENDPOINT}#x`, QUESTION)).not.to.include('#')
  })
})
