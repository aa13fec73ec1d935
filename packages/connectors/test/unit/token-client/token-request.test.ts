import { expect } from 'chai'
import { createSecret } from '../../../src/account-types/secrets.ts'
import {
  exchangeRequest,
  type ProviderRequest,
  refreshRequest,
  revocationRequest,
} from '../../../src/token-client/token-request.ts'
import { sampleType } from '../../support/sample-type.ts'

const ENDPOINT = 'https://provider.example/token'
const INPUT = {
  code: 'code 1/&',
  redirectUri: 'https://alice.example/accounts/bank/redirect',
  state: 'state-1',
  nonce: 'nonce-1',
  codeVerifier: 'verifier-1',
}
const EXCHANGE = {
  grant_type: 'authorization_code',
  code: INPUT.code,
  redirect_uri: INPUT.redirectUri,
  state: 'state-1',
  code_verifier: 'verifier-1',
}
const CLIENT = { client_id: 'client-1', client_secret: 'secret-1' }

function form({ body = '' }: ProviderRequest): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body))
}

describe('requests to a token endpoint (connectors.md 6.2)', () => {
  it('sends an exchange as a form with id and secret, and asks for JSON', () => {
    const request = exchangeRequest(sampleType(), ENDPOINT, INPUT)
    expect(request.method).to.equal('POST')
    expect(request.url).to.equal(ENDPOINT)
    expect(request.headers).to.deep.equal({
      'user-agent': 'svc-connectors',
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(form(request)).to.deep.equal({ ...EXCHANGE, ...CLIENT })
  })

  it('sends a refresh with nothing of an exchange', () => {
    const type = sampleType({ sendsNonceOnToken: true, tokenParams: { action: 'requesttoken' } })
    expect(form(refreshRequest(type, ENDPOINT, 'rt-1'))).to.deep.equal({
      grant_type: 'refresh_token',
      refresh_token: 'rt-1',
      ...CLIENT,
    })
  })

  it('leaves the state out when the type says so', () => {
    const request = exchangeRequest(sampleType({ skipsStateOnToken: true }), ENDPOINT, INPUT)
    expect(form(request)).to.not.have.property('state')
  })

  it('sends the nonce only when the type says so', () => {
    const request = exchangeRequest(sampleType({ sendsNonceOnToken: true }), ENDPOINT, INPUT)
    expect(form(request)).to.have.property('nonce', 'nonce-1')
    const { nonce: _, ...without } = INPUT
    const none = exchangeRequest(sampleType({ sendsNonceOnToken: true }), ENDPOINT, without)
    expect(form(none)).to.not.have.property('nonce')
  })

  it('sends a verifier only when there is one', () => {
    const { codeVerifier: _, ...without } = INPUT
    expect(form(exchangeRequest(sampleType(), ENDPOINT, without))).to.not.have.property(
      'code_verifier',
    )
  })

  it('adds constant parameters, which replace none of its own', () => {
    const type = sampleType({
      tokenParams: { action: 'requesttoken', grant_type: 'password', client_id: 'x' },
      refreshParams: { action: 'refreshtoken', refresh_token: 'x' },
    })
    expect(form(exchangeRequest(type, ENDPOINT, INPUT))).to.deep.equal({
      action: 'requesttoken',
      ...EXCHANGE,
      ...CLIENT,
    })
    expect(form(refreshRequest(type, ENDPOINT, 'rt-1'))).to.deep.equal({
      action: 'refreshtoken',
      grant_type: 'refresh_token',
      refresh_token: 'rt-1',
      ...CLIENT,
    })
  })

  it('sends Basic as id:secret in base64, and neither in the body', () => {
    const type = sampleType({ tokenMode: 'basic', clientSecret: createSecret('s:e/c rét') })
    const request = exchangeRequest(type, ENDPOINT, INPUT)
    const expected = Buffer.from('client-1:s:e/c rét').toString('base64')
    expect(request.headers['authorization']).to.equal(`Basic ${expected}`)
    expect(form(request)).to.deep.equal(EXCHANGE)
  })

  it('encodes both parts of Basic first where RFC 6749 is followed', () => {
    const type = sampleType({
      tokenMode: 'basic',
      tokenBasicEncoding: 'rfc6749',
      clientId: 'a:b',
      clientSecret: createSecret("s e/c~r*é'"),
    })
    const { authorization = '' } = refreshRequest(type, ENDPOINT, 'rt-1').headers
    const decoded = Buffer.from(authorization.slice(6), 'base64').toString()
    expect(decoded).to.equal('a%3Ab:s+e%2Fc%7Er*%C3%A9%27')
  })

  it('sends JSON where the type wants it, with Basic too', () => {
    const asForm = refreshRequest(sampleType({ tokenBodyFormat: 'json' }), ENDPOINT, 'rt-1')
    expect(asForm.headers['content-type']).to.equal('application/json')
    expect(JSON.parse(asForm.body ?? '')).to.deep.equal({
      grant_type: 'refresh_token',
      refresh_token: 'rt-1',
      ...CLIENT,
    })
    const asBasic = sampleType({ tokenBodyFormat: 'json', tokenMode: 'basic' })
    expect(JSON.parse(refreshRequest(asBasic, ENDPOINT, 'rt-1').body ?? '')).to.deep.equal({
      grant_type: 'refresh_token',
      refresh_token: 'rt-1',
    })
  })

  it('puts everything in the query of a GET, beside that of the endpoint', () => {
    const type = sampleType({ tokenMode: 'get', tokenBodyFormat: 'json' })
    const request = exchangeRequest(type, `${ENDPOINT}?version=2&code=none`, INPUT)
    expect(request.method).to.equal('GET')
    expect(request).to.not.have.property('body')
    expect(request.headers).to.deep.equal({
      'user-agent': 'svc-connectors',
      accept: 'application/json',
    })
    const { origin, pathname, searchParams } = new URL(request.url)
    expect(origin + pathname).to.equal(ENDPOINT)
    expect(Object.fromEntries(searchParams)).to.deep.equal({
      version: '2',
      ...EXCHANGE,
      ...CLIENT,
    })
    expect(searchParams.getAll('code')).to.deep.equal([INPUT.code])
  })

  for (const tokenMode of ['form', 'basic', 'get'] as const) {
    it(`sends only the id of a client without secret (${tokenMode})`, () => {
      const type = sampleType({ tokenMode, clientSecret: undefined })
      const request = refreshRequest(type, ENDPOINT, 'rt-1')
      const sent = { ...form(request), ...Object.fromEntries(new URL(request.url).searchParams) }
      expect(sent).to.deep.equal({
        grant_type: 'refresh_token',
        refresh_token: 'rt-1',
        client_id: 'client-1',
      })
      expect(request.headers).to.not.have.property('authorization')
    })
  }

  it('adds headers of the type, and lets it name itself', () => {
    const type = sampleType({
      tokenHeaders: { 'Notion-Version': '2026-03-11', 'User-Agent': 'web:svc:1 (by /u/x)' },
    })
    expect(refreshRequest(type, ENDPOINT, 'rt-1').headers).to.include({
      'notion-version': '2026-03-11',
      'user-agent': 'web:svc:1 (by /u/x)',
    })
  })

  it('sends no header of a type that is none, or that is not its to set', () => {
    const type = sampleType({
      tokenHeaders: {
        Accept: 'text/html',
        Authorization: 'Basic x',
        Cookie: 'a=b',
        'Content-Type': 'text/plain',
        'X-Split': 'a\r\nX-Injected: b',
        'bad name': 'x',
        'X-Wide': 'é',
      },
    })
    expect(Object.keys(refreshRequest(type, ENDPOINT, 'rt-1').headers).sort()).to.deep.equal([
      'accept',
      'content-type',
      'user-agent',
    ])
    expect(refreshRequest(type, ENDPOINT, 'rt-1').headers).to.include({
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    })
  })

  it('names what no log may show', () => {
    expect(exchangeRequest(sampleType(), ENDPOINT, INPUT).secrets).to.have.members([
      INPUT.code,
      'state-1',
      'nonce-1',
      'verifier-1',
      'secret-1',
    ])
    expect(refreshRequest(sampleType(), ENDPOINT, 'rt-1').secrets).to.have.members([
      'rt-1',
      'secret-1',
    ])
  })

  it('revokes by a form whatever the token endpoint wants (RFC 7009)', () => {
    const parameters = { token: 'rt-1', token_type_hint: 'refresh_token' }
    const get = sampleType({ tokenMode: 'get', tokenBodyFormat: 'json' })
    const request = revocationRequest(
      get,
      'https://provider.example/revoke',
      'rt-1',
      'refresh_token',
    )
    expect(request).to.include({ method: 'POST', url: 'https://provider.example/revoke' })
    expect(form(request)).to.deep.equal({ ...parameters, ...CLIENT })
    const basic = sampleType({ tokenMode: 'basic', tokenBodyFormat: 'json' })
    expect(form(revocationRequest(basic, ENDPOINT, 'rt-1', 'refresh_token'))).to.deep.equal(
      parameters,
    )
  })
})
