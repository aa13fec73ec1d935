import type { Instance } from '@svc/platform'
import { expect } from 'chai'
import { isUrlClientId } from '../../../src/clients/client-document.ts'
import {
  findIdentifierFault,
  type IdentifierFault,
  isOwnIdentifier,
} from '../../../src/client-documents/identifier.ts'

const BASE = 'https://alice.example.org'

describe('the text of an identifier (assistants.md 2.1)', () => {
  for (const text of [
    'https://client.example/metadata.json',
    'https://client.example/a/b-c_d~e/',
    'https://sub.client.example:8443/client',
    'https://xn--bcher-kva.example/c',
    `https://client.example/${'x'.repeat(489)}`,
  ]) {
    it(`takes ${text.slice(0, 60)}`, () => {
      expect(isUrlClientId(text)).to.equal(true)
      expect(findIdentifierFault(text, BASE)).to.equal(undefined)
    })
  }

  const refused: readonly (readonly [string, IdentifierFault])[] = [
    [`https://client.example/${'x'.repeat(490)}`, 'length'],
    ['https://client.example/a b', 'characters'],
    ['https://client.example/a\tb', 'characters'],
    ['https://client.example/\u0000', 'characters'],
    ['https://bücher.example/c', 'characters'],
    ['https://client.example\\c', 'characters'],
    ['https://', 'url'],
    ['https://client.example:99999/c', 'url'],
    ['https://127.0.0.1/c', 'host'],
    ['https://0x7f.1/c', 'host'],
    ['https://2130706433/c', 'host'],
    ['https://[::1]/c', 'host'],
    ['https://[2606:4700::1111]/c', 'host'],
    ['https://client/c', 'host'],
    ['https://localhost/c', 'host'],
    ['https://client.example./c', 'host'],
    ['https://client..example/c', 'host'],
    ['https://client.example', 'path'],
    ['https://client.example/', 'path'],
    ['https://client.example/a/../b', 'path'],
    ['https://client.example/a/./b', 'path'],
    ['https://client.example/a/%2e%2E/b', 'path'],
    ['https://client.example/a/.%2e', 'path'],
    ['https://client.example/..', 'path'],
    ['https://client.example/c#x', 'fragment'],
    ['https://client.example/c#', 'fragment'],
    ['https://user@client.example/c', 'userinfo'],
    ['https://user:secret@client.example/c', 'userinfo'],
    ['https://@client.example/c', 'userinfo'],
    ['https://client.example/c?x=1', 'query'],
    ['https://client.example/c?', 'query'],
    ['https://client.example:80/c', 'port'],
    ['https://client.example:22/c', 'port'],
    ['https://client.example:1023/c', 'port'],
    ['https://client.example:3306/c', 'port'],
    ['https://client.example:5432/c', 'port'],
    ['https://client.example:6379/c', 'port'],
    ['https://client.example:443/c', 'spelling'],
    ['https://client.example:08443/c', 'spelling'],
    ['https://Client.example/c', 'spelling'],
    ['https://%63lient.example/c', 'spelling'],
    ['https:///client.example/c', 'spelling'],
    ['https://client.example/"c', 'spelling'],
  ]
  for (const [text, fault] of refused) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))} for its ${fault}`, () => {
      expect(findIdentifierFault(text, BASE)).to.equal(fault)
    })
  }

  it('is no address for what the server makes, or for another scheme', () => {
    for (const text of ['a3f0', 'HTTPS://client.example/c', 'ftp://client.example/c', 'https:c']) {
      expect(isUrlClientId(text), text).to.equal(false)
    }
  })
})

describe('identifiers of this machine (assistants.md 2.13)', () => {
  const OWN = ['http://localhost:6274/c', 'http://127.0.0.1:6274/c', 'http://[::1]:6274/c']

  for (const base of ['http://localhost:8080', 'http://alice.localhost:8080']) {
    it(`are taken while the instance is at ${base}`, () => {
      for (const text of OWN) expect(findIdentifierFault(text, base), text).to.equal(undefined)
    })
  }

  for (const base of ['https://alice.localhost', 'http://alice.example.org', BASE]) {
    it(`are refused while the instance is at ${base}`, () => {
      for (const text of OWN) expect(findIdentifierFault(text, base), text).to.equal('loopback')
    })
  }

  for (const [text, fault] of [
    ['http://client.example:6274/c', 'loopback'],
    ['http://a.localhost:6274/c', 'loopback'],
    ['http://127.0.0.2:6274/c', 'loopback'],
    ['http://10.0.0.1:6274/c', 'loopback'],
    ['http://localhost/c', 'port'],
    ['http://localhost:22/c', 'port'],
    ['http://127.1:6274/c', 'spelling'],
  ] as const) {
    it(`refuses ${text} for its ${fault}`, () => {
      expect(findIdentifierFault(text, 'http://localhost:8080')).to.equal(fault)
    })
  }
})

describe('identifiers of this server (assistants.md 2.1)', () => {
  const instance = {
    domain: 'alice.example.org',
    aliases: ['me.example.net'],
    subdomains: 'nested',
  } as unknown as Instance
  const instances = {
    byHost: async (host: string) => (host === 'bob.example.org' ? instance : undefined),
  }

  for (const [text, isOwn] of [
    ['https://alice.example.org/c', true],
    ['https://alice.example.org:8443/c', true],
    ['https://me.example.net/c', true],
    ['https://notes.alice.example.org/c', true],
    ['https://bob.example.org/c', true],
    ['https://notes.bob.example.org/c', true],
    ['https://client.example.org/c', false],
    ['https://example.org/c', false],
    ['https://notalice.example.org/c', false],
    ['http://localhost:6274/c', false],
  ] as const) {
    it(`${isOwn ? 'finds' : 'does not find'} ${text}`, async () => {
      expect(await isOwnIdentifier(text, instance, instances)).to.equal(isOwn)
    })
  }
})
