import { scaledLimit, cpuMs } from '@svc/testkit'
import { expect } from 'chai'
import fc from 'fast-check'
import { isRedirectUri } from '../../../src/registration/redirect-uri.ts'
import { testInstance } from '../../../../platform/test/support/test-instance.ts'

const DOMAIN = 'alice.example.com'
const nested = testInstance(DOMAIN, { aliases: ['alias.example.net'] })
const flat = testInstance(DOMAIN, { subdomains: 'flat' })
const local = testInstance('alice.localhost:8080', {
  origin: 'http://alice.localhost:8080',
  isHttps: false,
})

describe('a redirect URI', () => {
  const accepted: readonly (readonly [rule: string, uri: string])[] = [
    ['3 https', 'https://client.example'],
    ['3 https with path and query', 'https://client.example/cb/?a=b&c=%20'],
    ['3 https with a port', 'https://client.example:8443/cb'],
    ['3 https with the default port', 'https://client.example:443/cb'],
    ['3 https on localhost', 'https://localhost/cb'],
    ['3 https in capitals', 'HTTPS://Client.Example/cb'],
    ['3 https on an IPv6 address', 'https://[2001:db8::1]/cb'],
    ['3 http on localhost', 'http://localhost/cb'],
    ['3 http on localhost, any port', 'http://localhost:8080/cb'],
    ['3 http on 127.0.0.1', 'http://127.0.0.1:3000'],
    ['3 http on [::1]', 'http://[::1]:3000/cb'],
    ['4 a custom scheme without a dot', 'cozy://flagship'],
    ['4 a custom scheme with a dot', 'com.example.app:/oauth'],
    ['4 a custom scheme and a path', 'app:/cb'],
    ['4 a scheme with digits and signs', 'app+v2.x-1://cb'],
    ['4 an extension', 'chrome-extension://abcdefgh/cb.html'],
    ['5 out of band', 'urn:ietf:wg:oauth:2.0:oob'],
    ['5 out of band, automatic', 'urn:ietf:wg:oauth:2.0:oob:auto'],
    ['6 a query of its own', 'https://client.example/cb?tenant=1&codes=2&estate=3'],
    ['1 exactly 2048 characters', `https://client.example/${'a'.repeat(2025)}`],
    ['2 a sibling of the domain', 'https://bob.example.com/cb'],
    ['2 a host that ends alike', 'https://malice.example.com/cb'],
    ['2 the domain inside another', 'https://alice.example.com.evil.example/cb'],
    ['* a wildcard in the path', 'https://client.example/*'],
  ]
  for (const [rule, uri] of accepted) {
    it(`may be ${rule}: ${uri.slice(0, 60)}`, () => {
      expect(isRedirectUri(uri, nested)).to.equal(true)
    })
  }

  const refused: readonly (readonly [rule: string, uri: string])[] = [
    ['1 empty', ''],
    ['1 relative', '/callback'],
    ['1 without a scheme', 'client.example/cb'],
    ['1 protocol-relative', '//client.example/cb'],
    ['1 unparsable', 'https://client.example:99999/'],
    ['1 a space', 'https://client.example/a b'],
    ['1 a leading space', ' https://client.example/'],
    ['1 a tab', 'https://client.example/a\tb'],
    ['1 a line break', 'https://client.example/\r\nSet-Cookie: a=b'],
    ['1 NUL', 'https://client.example/\u0000'],
    ['1 not ASCII', 'https://client.example/é'],
    ['1 a host that is not ASCII', 'https://clïent.example/'],
    ['1 a backslash', 'https://client.example\\@evil.example/'],
    ['1 a backslash in a custom scheme', 'app:\\\\host'],
    ['1 a user', 'https://user@client.example/'],
    ['1 a user and a password', 'https://user:secret@client.example/'],
    ['1 an empty user', 'https://@client.example/'],
    ['1 a user in a custom scheme', 'app://user@host/'],
    ['1 a fragment', 'https://client.example/#part'],
    ['1 an empty fragment', 'https://client.example/#'],
    ['1 a fragment in a custom scheme', 'app://cb#'],
    ['1 2049 characters', `https://client.example/${'a'.repeat(2026)}`],
    ['2 the own domain', 'https://alice.example.com/cb'],
    ['2 the own domain, default port', 'https://alice.example.com:443/cb'],
    ['2 the own domain, another port', 'https://alice.example.com:8443/cb'],
    ['2 an app host, another port', 'https://drive.alice.example.com:8443/cb'],
    ['2 the own domain with a port under another scheme', 'app://alice.example.com:8443/cb'],
    ['2 the own domain in capitals', 'https://ALICE.example.com/cb'],
    ['2 the own domain with a dot', 'https://alice.example.com./cb'],
    ['2 an alias', 'https://alias.example.net/cb'],
    ['2 an app host', 'https://drive.alice.example.com/cb'],
    ['2 a host below an app host', 'https://a.drive.alice.example.com/cb'],
    ['2 an app host of an alias', 'https://drive.alias.example.net/cb'],
    ['2 the own domain under another scheme', 'app://alice.example.com/cb'],
    ['3 http elsewhere', 'http://client.example/cb'],
    ['3 http below localhost', 'http://localhost.evil.org/'],
    ['3 http on a name for 127.0.0.1', 'http://127.0.0.1.nip.io/'],
    ['3 http on 0.0.0.0', 'http://0.0.0.0/'],
    ['3 http on a short address', 'http://127.1/'],
    ['3 http on a number', 'http://2130706433/'],
    ['3 http on a hexadecimal address', 'http://0x7f.0.0.1/'],
    ['3 http on localhost with a dot', 'http://localhost./'],
    ['3 http on an encoded localhost', 'http://%6cocalhost/'],
    ['3 http on an IPv6 mapped address', 'http://[::ffff:127.0.0.1]/'],
    ['3 https without slashes', 'https:client.example'],
    ['3 https with one slash', 'https:/client.example'],
    ['3 https with three slashes', 'https:///client.example'],
    ['3 https without a host', 'https://'],
    ['3 https with an encoded host', 'https://%63lient.example/'],
    ...[
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'javascript://client.example/%0aalert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'blob:https://client.example/x',
      'about:blank',
      'ws://client.example/',
      'wss://client.example/',
      'ftp://client.example/',
      'mailto:a@client.example',
      'tel:123',
      'sms:123',
      'view-source:https://client.example/',
      'filesystem:https://client.example/x',
      'chrome://settings',
      'intent://x#Intent;end',
      'intent:x',
    ].map((uri) => ['4 a refused scheme', uri] as const),
    ['4 a scheme that begins with a digit', '1app://cb'],
    ['4 a scheme with an underscore', 'my_app://cb'],
    ['4 a scheme and nothing', 'app:'],
    ['4 a scheme and slashes', 'app://'],
    ['5 another urn', 'urn:ietf:wg:oauth:2.0:oob:other'],
    ['5 a urn in capitals', 'URN:ietf:wg:oauth:2.0:oob'],
    ...['code', 'access_code', 'state', 'error', 'fallback', 'iss'].map(
      (name) => [`6 ${name}`, `https://client.example/cb?a=b&${name}=1`] as const,
    ),
    ['6 an encoded code', 'https://client.example/cb?%63ode=1'],
    ['6 a code without value', 'app://cb?code'],
    ['* a wildcard host', 'https://*.client.example/cb'],
    ['* an encoded wildcard host', 'https://%2a.client.example/cb'],
    ['* a wildcard in a custom scheme', 'app://*/cb'],
  ]
  for (const [rule, uri] of refused) {
    it(`must not be ${rule}: ${JSON.stringify(uri.slice(0, 60))}`, () => {
      expect(isRedirectUri(uri, nested)).to.equal(false)
    })
  }

  it('must not be a flat app host', () => {
    expect(isRedirectUri('https://alice-drive.example.com/cb', flat)).to.equal(false)
    expect(isRedirectUri('https://alice-drive.example.com:8443/cb', flat)).to.equal(false)
    expect(isRedirectUri('https://alicedrive.example.com/cb', flat)).to.equal(true)
  })

  it('must not be the own domain with its port, but may be another port of localhost', () => {
    const root = testInstance('localhost:8080', {
      origin: 'http://localhost:8080',
      isHttps: false,
    })
    expect(isRedirectUri('http://localhost:8080/cb', root)).to.equal(false)
    expect(isRedirectUri('http://localhost:3000/cb', root)).to.equal(true)
    expect(isRedirectUri('http://localhost:3000/cb', local)).to.equal(true)
  })

  it('is judged without throwing, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()), (text) => {
        expect(isRedirectUri(text, nested)).to.be.a('boolean')
      }),
    )
  })

  it('is judged in linear time', async () => {
    for (const part of ['a', '?', '/', ':', '@', '%', '.', '=']) {
      const spent = await cpuMs(() => {
        isRedirectUri(`https://${part.repeat(50_000)}`, nested)
        isRedirectUri(`https://client.example/${part.repeat(2000)}`, nested)
      })
      expect(spent, part).to.be.below(scaledLimit(50))
    }
  })
})
