import { expect } from 'chai'
import type { AuthorizeRequest } from '../../../src/authorize/authorize-request.ts'
import {
  formActionSource,
  grantedLocation,
  refusedLocation,
} from '../../../src/authorize/redirect.ts'
import { testInstance } from '../../../../platform/test/support/test-instance.ts'

function request(redirectUri: string, fields: object = {}): AuthorizeRequest {
  // The members these functions read.
  return { instance: testInstance(), redirectUri, state: 'st', ...fields } as AuthorizeRequest
}

const ISS = 'iss=https%3A%2F%2Falice.example.com'

describe('grantedLocation', () => {
  const ANSWER = `access_code=C&code=C&state=st&${ISS}#`
  it('keeps the bytes of the address', () => {
    for (const [uri, joint] of [
      ['https://client.org', '?'],
      ['https://client.org/cb', '?'],
      ['https://client.org/cb?', ''],
      ['https://client.org/cb?a=%20+b', '&'],
      ['https://client.org/cb?a=1&', ''],
      ['https://Client.ORG:443/%7Ex', '?'],
      ['http://localhost:3000/cb', '?'],
      ['cozydrive://', '?'],
    ] as const) {
      expect(grantedLocation(request(uri), 'C')).to.equal(`${uri}${joint}${ANSWER}`)
    }
  })

  it('names the app of a linked client before iss, for web targets only', () => {
    const app = { app: { slug: 'drive' } }
    expect(grantedLocation(request('https://client.org/cb', app), 'C')).to.equal(
      `https://client.org/cb?access_code=C&code=C&state=st&fallback=https%3A%2F%2Fdrive.alice.example.com%2F&${ISS}#`,
    )
    expect(grantedLocation(request('drive://cb', app), 'C')).not.to.include('fallback')
  })
})

describe('refusedLocation', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['https://client.org/cb', `https://client.org/cb?error=access_denied&state=st&${ISS}`],
    ['https://client.org/cb?a=1', `https://client.org/cb?a=1&error=access_denied&state=st&${ISS}`],
    ['app://cb', `app://cb?state=st&${ISS}&error=access_denied`],
    ['app://cb?a=1', `app://cb?a=1&state=st&${ISS}&error=access_denied`],
    ['urn:ietf:wg:oauth:2.0:oob', '/'],
  ]
  for (const [uri, location] of cases) {
    it(`leads to ${location}`, () => {
      expect(refusedLocation(request(uri))).to.equal(location)
    })
  }
})

describe('formActionSource', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['https://client.org/cb', 'https://client.org'],
    ['https://CLIENT.org:443/cb', 'https://client.org'],
    ['https://client.org:8443/cb', 'https://client.org:8443'],
    ['http://localhost:3000/cb', 'http://localhost:3000'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1'],
    ['http://[::1]:3000/cb', 'http:'],
    ['https://a;script-src/cb', 'https:'],
    ["https://a'b/cb", 'https:'],
    ['https://xn--bcher-kva.example/', 'https://xn--bcher-kva.example'],
    ['app://host;x/cb', 'app:'],
    ['com.example.app:/cb', 'com.example.app:'],
    ['urn:ietf:wg:oauth:2.0:oob', undefined],
    ['urn:ietf:wg:oauth:2.0:oob:auto', undefined],
  ]
  for (const [uri, source] of cases) {
    it(`is ${source} for ${uri}`, () => {
      expect(formActionSource(uri)).to.equal(source)
    })
  }
})
