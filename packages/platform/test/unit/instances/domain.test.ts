import { expect } from 'chai'
import { isHostSyntax, normalizeDomain, withoutDefaultPort } from '../../../src/instances/domain.ts'

const isHttps = (domain: string): boolean => !domain.endsWith('localhost')

describe('normalizeDomain', () => {
  const nested = { subdomains: 'nested', isHttps } as const
  const flat = { subdomains: 'flat', isHttps } as const

  const accepted: readonly (readonly [text: string, domain: string])[] = [
    ['alice.example.com', 'alice.example.com'],
    ['Alice.EXAMPLE.com', 'alice.example.com'],
    ['alice-b.example.com', 'alice-b.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
    ['alice.localhost:8080', 'alice.localhost:8080'],
    ['alice.example.com:8443', 'alice.example.com:8443'],
    ['alice.example.com:443', 'alice.example.com'],
    ['alice.localhost:80', 'alice.localhost'],
    ['alice.localhost:443', 'alice.localhost:443'],
    ['alice.example.com:0080', 'alice.example.com:80'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ]
  for (const [text, domain] of accepted) {
    it(`makes ${domain.slice(0, 30)} of ${text.slice(0, 30)}`, () => {
      expect(normalizeDomain(text, nested)).to.equal(domain)
    })
  }

  const refused = [
    '',
    '.',
    'alice.example.com.',
    '.example.com',
    'alice..example.com',
    '-alice.example.com',
    'alice-.example.com',
    'alice_b.example.com',
    'al ice.example.com',
    'alice.example.com/path',
    'https://alice.example.com',
    'user@alice.example.com',
    'alice.example.com:',
    'alice.example.com:0',
    'alice.example.com:65536',
    'alice.example.com:80:80',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '[::1]',
    '::1',
    '*.example.com',
    'alice%2eexample.com',
    'alice\u0000.example.com',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}example`,
    'x'.repeat(100_000),
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(() => normalizeDomain(text, nested)).to.throw(TypeError)
    })
  }

  it('wants a dot, and no "-" before it, of flat domains', () => {
    expect(normalizeDomain('alice.my-example.com', flat)).to.equal('alice.my-example.com')
    for (const text of ['alice-b.example.com', 'localhost']) {
      expect(() => normalizeDomain(text, flat), text).to.throw(TypeError, 'flat')
    }
  })
})

describe('a Host header', () => {
  it('may be any name or address with a port', () => {
    for (const host of ['a', 'a.b', 'a:1', '127.0.0.1', '[::1]', '[::1]:80', 'A_b.c', 'a.']) {
      expect(isHostSyntax(host), host).to.equal(true)
    }
  })

  it('is nothing else', () => {
    for (const host of [
      '',
      'a b',
      'a@b',
      'a/b',
      'a?b',
      'a#b',
      'a:',
      'a:b',
      'a:123456',
      '::1',
      '[::1',
      'é',
    ]) {
      expect(isHostSyntax(host), host).to.equal(false)
    }
    expect(isHostSyntax('a'.repeat(300))).to.equal(false)
  })

  it('names the scheme by its default port', () => {
    expect(withoutDefaultPort('a:443', true)).to.equal('a')
    expect(withoutDefaultPort('a:443', false)).to.equal('a:443')
    expect(withoutDefaultPort('a:80', false)).to.equal('a')
    expect(withoutDefaultPort('a:8443', true)).to.equal('a:8443')
  })
})
