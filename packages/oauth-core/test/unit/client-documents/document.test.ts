import { generateKeyPairSync } from 'node:crypto'
import type { Instance } from '@svc/platform'
import { expect } from 'chai'
import type { ClientDocument } from '../../../src/clients/client-document.ts'
import { readDocument } from '../../../src/client-documents/document.ts'
import {
  hasCommonKey,
  readKeySet,
  thumbprintOf,
} from '../../../src/client-documents/keys/key-set.ts'
import { parseStrictJson } from '../../../src/client-documents/fetching/strict-json.ts'

const URL_ = 'https://client.example/c'
const instance = {
  domain: 'alice.example.org',
  aliases: [],
  isHttps: true,
  subdomains: 'nested',
} as unknown as Instance
const MINIMAL = {
  client_id: URL_,
  client_name: 'Client',
  redirect_uris: ['https://client.example/back'],
}

function publicKey(type: 'ec' | 'ed25519' | 'rsa', more: object = {}): Record<string, unknown> {
  const { publicKey: key } =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ed25519')
  return { ...key.export({ format: 'jwk' }), ...more }
}

function read(members: unknown): ClientDocument | { readonly fault: string } {
  return readDocument(Buffer.from(JSON.stringify(members)), URL_, instance)
}

describe('what a document says (assistants.md 2.4)', () => {
  it('takes the least there may be, as a public client that refreshes', () => {
    expect(read(MINIMAL)).to.deep.equal({
      clientId: URL_,
      name: 'Client',
      redirectUris: ['https://client.example/back'],
      authentication: 'none',
      isRefreshing: true,
    })
  })

  it('takes everything it knows and ignores the rest', () => {
    const document = read({
      ...MINIMAL,
      client_name: ' \u202eClient\u2069 ',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'urn:other'],
      response_types: ['code', 'token'],
      client_uri: 'https://client.example/',
      policy_uri: 'http://client.example/policy',
      tos_uri: 'javascript:alert(1)',
      logo_uri: 'https://client.example/logo.png',
      scope: '*',
      application_type: 'web',
      software_id: 'registry://notes',
      extra: { a: [1] },
    })
    expect(document).to.deep.equal({
      clientId: URL_,
      name: 'Client',
      redirectUris: ['https://client.example/back'],
      authentication: 'none',
      isRefreshing: false,
      clientUri: 'https://client.example/',
      logoUri: 'https://client.example/logo.png',
    })
  })

  it('drops the return addresses that break a rule, and demands that one is left', () => {
    const given = [
      'https://client.example/back',
      'http://127.0.0.1/back',
      'http://client.example/back',
      'urn:ietf:wg:oauth:2.0:oob',
      'https://alice.example.org/back',
      'javascript:alert(1)',
      'com.example.app:/back',
      7,
    ]
    const document = read({ ...MINIMAL, redirect_uris: given })
    expect((document as ClientDocument).redirectUris).to.deep.equal([
      'https://client.example/back',
      'http://127.0.0.1/back',
      'com.example.app:/back',
    ])
    expect(read({ ...MINIMAL, redirect_uris: given.slice(2, 6) })).to.deep.equal({
      fault: 'redirect_uris',
    })
  })

  const faults: readonly (readonly [string, object])[] = [
    ['client_id', { client_id: `${URL_}/` }],
    ['client_id', { client_id: 'https://CLIENT.example/c' }],
    ['client_id', { client_id: 'https://client.example:443/c' }],
    ['client_id', { client_id: undefined }],
    ['client_name', { client_name: undefined }],
    ['client_name', { client_name: ' \u200e ' }],
    ['client_name', { client_name: '\u2800' }],
    ['client_name', { client_name: '\u17b4\u0301' }],
    ['client_name', { client_name: 7 }],
    ['client_name', { client_name: 'x'.repeat(101) }],
    ['client_name', { client_name: 'a\nb' }],
    ['client_name', { client_name: 'a\u200bb' }],
    ['client_name', { client_name: 'a\u{e0041}b' }],
    ['redirect_uris', { redirect_uris: undefined }],
    ['redirect_uris', { redirect_uris: [] }],
    ['redirect_uris', { redirect_uris: 'https://client.example/back' }],
    ['redirect_uris', { redirect_uris: Array.from({ length: 21 }, () => 'https://c.example/') }],
    ['client_secret', { client_secret: 'x' }],
    ['client_secret', { client_secret: null }],
    ['client_secret_expires_at', { client_secret_expires_at: 0 }],
    ['token_endpoint_auth_method', { token_endpoint_auth_method: 'client_secret_post' }],
    ['token_endpoint_auth_method', { token_endpoint_auth_method: 'client_secret_jwt' }],
    ['token_endpoint_auth_method', { token_endpoint_auth_method: 'tls_client_auth' }],
    ['grant_types', { grant_types: ['refresh_token'] }],
    ['grant_types', { grant_types: 'authorization_code' }],
    ['response_types', { response_types: ['token'] }],
  ]
  for (const [fault, members] of faults) {
    it(`refuses ${JSON.stringify(members).slice(0, 60)}`, () => {
      expect(read({ ...MINIMAL, ...members })).to.deep.equal({ fault })
    })
  }

  it('lets a client go without its keys that lists `none` beside them', () => {
    const jwks = { keys: [publicKey('ec')] }
    const keyed = { ...MINIMAL, token_endpoint_auth_method: 'private_key_jwt', jwks }
    const list = 'token_endpoint_auth_methods_supported'
    expect(read({ ...keyed, [list]: ['private_key_jwt', 'none'] })).to.include({
      authentication: 'private_key_jwt',
      isKeyOptional: true,
    })
    for (const methods of [undefined, ['private_key_jwt'], [], 'none', { none: 1 }, null]) {
      expect(read({ ...keyed, [list]: methods }), JSON.stringify(methods))
        .to.include({ authentication: 'private_key_jwt' })
        .and.not.to.have.property('isKeyOptional')
    }
    expect(read({ ...keyed, jwks: undefined, [list]: ['none'] })).to.deep.equal({ fault: 'jwks' })
    const listed = { ...MINIMAL, [list]: ['none'] }
    expect(read({ ...listed, token_endpoint_auth_method: 'tls_client_auth' })).to.include({
      authentication: 'none',
    })
    expect(read({ ...listed, token_endpoint_auth_method: 'client_secret_post' })).to.deep.equal({
      fault: 'token_endpoint_auth_method',
    })
  })

  it('takes keys on this machine in development alone', () => {
    const members = { ...MINIMAL, token_endpoint_auth_method: 'private_key_jwt' }
    const read_ = (jwks_uri: string, domain: string, isHttps: boolean) =>
      readDocument(Buffer.from(JSON.stringify({ ...members, jwks_uri })), URL_, {
        ...instance,
        domain,
        isHttps,
      })
    for (const keysUri of ['http://localhost:8081/k', 'http://127.0.0.1:8081/k']) {
      expect(read_(keysUri, 'alice.localhost:8080', false)).to.include({ keysUri })
      expect(read_(keysUri, 'alice.example.org', true)).to.deep.equal({ fault: 'jwks_uri' })
      expect(read_(keysUri, 'alice.localhost', true)).to.deep.equal({ fault: 'jwks_uri' })
      expect(read_(keysUri, 'alice.example.org', false)).to.deep.equal({ fault: 'jwks_uri' })
    }
    expect(read_('http://10.0.0.1:8081/k', 'alice.localhost:8080', false)).to.deep.equal({
      fault: 'jwks_uri',
    })
  })

  it('takes a name of 100 characters', () => {
    expect(read({ ...MINIMAL, client_name: '\u{1f600}'.repeat(100) })).to.have.property('name')
  })
})

describe('keys of a document (assistants.md 2.4)', () => {
  const method = { ...MINIMAL, token_endpoint_auth_method: 'private_key_jwt' }
  const key = publicKey('ec', { kid: 'one', use: 'sig', alg: 'ES256', x5t: 'ignored' })

  it('are taken from the document, or their address is', () => {
    const { x5t: _, ...kept } = key
    expect(read({ ...method, jwks: { keys: [key] } })).to.deep.include({
      authentication: 'private_key_jwt',
      keys: [kept],
    })
    expect(read({ ...method, jwks_uri: 'https://keys.example/jwks' })).to.deep.include({
      authentication: 'private_key_jwt',
      keysUri: 'https://keys.example/jwks',
    })
  })

  it('are those that are good for one of our algorithms', () => {
    const keys = [publicKey('ec'), publicKey('rsa'), publicKey('ed25519')]
    expect(readKeySet({ keys })).to.deep.equal(keys)
    const { publicKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    const unfit = [other.export({ format: 'jwk' }), publicKey('ec', { use: 'enc' }), { kty: 'X' }]
    expect(readKeySet({ keys: [...unfit, ...keys] })).to.deep.equal(keys)
    expect(readKeySet({ keys: unfit })).to.equal(undefined)
    expect(readKeySet({ keys: [publicKey('ec', { alg: 'RS256' })] })).to.equal(undefined)
  })

  const secret = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
  for (const [what, fault, members] of [
    ['neither', 'jwks', {}],
    ['both', 'jwks', { jwks: { keys: [key] }, jwks_uri: 'https://keys.example/jwks' }],
    ['no keys', 'jwks', { jwks: { keys: [] } }],
    ['a private key', 'jwks', { jwks: { keys: [key, secret] } }],
    ['a shared secret', 'jwks', { jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }],
    ['a short key', 'jwks', { jwks: { keys: [short.export({ format: 'jwk' })] } }],
    ['eleven keys', 'jwks', { jwks: { keys: Array.from({ length: 11 }, () => key) } }],
    ['plain http', 'jwks_uri', { jwks_uri: 'http://keys.example/jwks' }],
    ['a literal address', 'jwks_uri', { jwks_uri: 'https://10.0.0.1/jwks' }],
    ['a query', 'jwks_uri', { jwks_uri: 'https://keys.example/jwks?x' }],
  ] as const) {
    it(`are refused with ${what}`, () => {
      expect(read({ ...method, ...members })).to.deep.equal({ fault })
    })
  }

  it('are the same whatever they are called', () => {
    const renamed = { ...key, kid: 'two', alg: 'ES256' } as Record<string, string>
    expect(thumbprintOf(renamed)).to.equal(thumbprintOf(key as Record<string, string>))
    const [first] = readKeySet({ keys: [key] }) ?? []
    const others = readKeySet({ keys: [publicKey('ec'), renamed] }) ?? []
    expect(hasCommonKey([first ?? {}], others)).to.equal(true)
    expect(hasCommonKey([first ?? {}], others.slice(0, 1))).to.equal(false)
  })
})

describe('JSON of a document (assistants.md 2.3)', () => {
  for (const [what, bytes, fault] of [
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'encoding'],
    ['a byte order mark', Buffer.from('\ufeff{}'), 'json'],
    ['nothing', Buffer.from(''), 'json'],
    ['no JSON', Buffer.from('<html>'), 'json'],
    ['a second value', Buffer.from('{}{}'), 'json'],
    ['a list', Buffer.from('[]'), 'not_object'],
    ['null', Buffer.from('null'), 'not_object'],
    ['a member twice', Buffer.from('{"a":1,"b":2,"a":3}'), 'member_twice'],
    ['a member twice, once escaped', Buffer.from('{"a":1,"\\u0061":3}'), 'member_twice'],
    ['a member twice inside', Buffer.from('{"a":[{"b":1,"b":2}]}'), 'member_twice'],
    ['depth 5', Buffer.from('{"a":[[[[]]]]}'), 'depth'],
    ['depth 5000', Buffer.from('['.repeat(5000)), 'depth'],
  ] as const) {
    it(`refuses ${what}`, () => expect(parseStrictJson(bytes, 4)).to.deep.equal({ fault }))
  }

  it('takes depth 4, and the same name in different objects', () => {
    const text = '{"a":{"a":[{"a":"{[:a"}]},"b":{"a":"\\"a\\":"}}'
    expect(parseStrictJson(Buffer.from(text), 4)).to.deep.equal({ value: JSON.parse(text) })
  })
})
