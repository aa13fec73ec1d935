import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createRateLimits, type InstanceId, MINUTE_MS } from '@svc/platform'
import type { Store } from '@svc/store'
import { type FakeClock, eachStore, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { type JWTPayload, SignJWT } from 'jose'
import { tooManyLookUps } from '../../src/client-documents/document-limits.ts'
import {
  type ProvedAssertion,
  useAssertion,
  verifyAssertion,
} from '../../src/client-documents/keys/client-assertion.ts'
import { ClientKeys } from '../../src/client-documents/keys/client-keys.ts'
import { type ClientKey, readKeySet } from '../../src/client-documents/keys/key-set.ts'
import { type DocumentServer, documentServer, limitsOf, testInstance } from './document-servers.ts'

const URL_ = 'https://client.example/c'
const ISSUER = 'https://alice.example.org'
const TOKEN = `${ISSUER}/auth/access_token`
const alice = testInstance('alice.example.org')

interface Pair {
  readonly alg: string
  readonly privateKey: KeyObject
  readonly key: ClientKey
}

function pair(alg: string, kid?: string): Pair {
  const { privateKey, publicKey } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : alg === 'EdDSA'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), ...(kid !== undefined && { kid }) }
  const [key] = readKeySet({ keys: [jwk] }) ?? []
  if (key === undefined) throw new Error('the key is not taken')
  return { alg, privateKey, key }
}

describe('assertions of clients (assistants.md 2.12)', () => {
  const NOW = 1_800_000_000_000
  const own = pair('ES256', 'one')
  const claims = (): JWTPayload => ({
    iss: URL_,
    sub: URL_,
    aud: ISSUER,
    jti: 'x',
    exp: NOW / 1000 + 60,
  })

  function sign(
    payload: JWTPayload,
    { alg, privateKey, key }: Pair = own,
    kid = key['kid'],
  ): Promise<string> {
    return new SignJWT(payload)
      .setProtectedHeader({ alg, ...(kid !== undefined && { kid }) })
      .sign(privateKey)
  }

  function verify(
    text: string,
    keys: readonly ClientKey[] = [own.key],
  ): Promise<ProvedAssertion | undefined> {
    const keysOf = async (): Promise<readonly ClientKey[]> => keys
    return verifyAssertion(text, { url: URL_, issuer: ISSUER, now: NOW, keysOf })
  }

  for (const alg of ['ES256', 'EdDSA', 'PS256', 'RS256']) {
    it(`prove a client by ${alg}, with the name of the key and without`, async () => {
      const signer = pair(alg, 'k')
      const expected = { jti: 'x', expiresAt: NOW + 60_000 }
      const keys = [own.key, pair('RS256').key, signer.key]
      expect(await verify(await sign(claims(), signer), keys)).to.deep.equal(expected)
      const nameless = await sign({ ...claims(), aud: [ISSUER] }, { ...signer, key: {} })
      expect(await verify(nameless, keys)).to.deep.equal(expected)
    })
  }

  it('prove a client with the type of client assertions', async () => {
    const typed = await new SignJWT(claims())
      .setProtectedHeader({ alg: own.alg, typ: 'client-authentication+jwt' })
      .sign(own.privateKey)
    expect(await verify(typed)).to.include({ jti: 'x' })
  })

  const without = (name: string): JWTPayload => {
    const { [name]: _, ...rest } = claims()
    return rest
  }
  const payloads: readonly (readonly [string, JWTPayload])[] = [
    ['another issuer', { ...claims(), iss: `${URL_}/` }],
    ['no issuer', without('iss')],
    ['another subject', { ...claims(), sub: 'https://other.example/c' }],
    ['no subject', without('sub')],
    ['another audience', { ...claims(), aud: 'https://bob.example.org' }],
    ['the token endpoint as audience', { ...claims(), aud: TOKEN }],
    ['the token endpoint in a list', { ...claims(), aud: [TOKEN] }],
    ['two audiences', { ...claims(), aud: [ISSUER, TOKEN] }],
    ['the same audience twice', { ...claims(), aud: [ISSUER, ISSUER] }],
    ['an empty list of audiences', { ...claims(), aud: [] }],
    ['the issuer with a slash as audience', { ...claims(), aud: `${ISSUER}/` }],
    ['no audience', without('aud')],
    ['no end', without('exp')],
    ['an end in the past', { ...claims(), exp: NOW / 1000 - 61 }],
    ['an end that is far', { ...claims(), exp: NOW / 1000 + 361 }],
    ['no identifier', without('jti')],
    ['an empty identifier', { ...claims(), jti: '' }],
    ['a long identifier', { ...claims(), jti: 'x'.repeat(257) }],
    ['a beginning in the future', { ...claims(), nbf: NOW / 1000 + 120 }],
  ]
  for (const [what, payload] of payloads) {
    it(`prove nothing with ${what}`, async () => {
      expect(await verify(await sign(payload))).to.equal(undefined)
    })
  }

  it('prove nothing without the signature of a key of the client', async () => {
    const text = await sign(claims())
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${text.split('.')[1]}.`
    const shared = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(JSON.stringify(own.key)))
    const other = await sign(claims(), pair('ES256', 'one'))
    for (const each of [none, shared, other, '', 'a.b.c', 'x'.repeat(9000), `${text}x`]) {
      expect(await verify(each), each.slice(0, 30)).to.equal(undefined)
    }
    expect(await verify(text, [])).to.equal(undefined)
    expect(await verify(await sign(claims(), own, 'two'))).to.equal(undefined)
    const bound = { ...own.key, alg: 'EdDSA' }
    expect(await verify(text, [bound])).to.equal(undefined)
  })

  eachStore((open) => {
    it('are good once, over all processes', async () => {
      const store = await open()
      const proved = { jti: 'x', expiresAt: Date.now() + 60_000 }
      const id = 'alice' as InstanceId
      const uses = await Promise.all(
        Array.from({ length: 20 }, () => useAssertion(store, id, URL_, proved)),
      )
      expect(uses.filter(Boolean)).to.have.length(1)
      expect(await useAssertion(store, id, `${URL_}2`, proved)).to.equal(true)
      expect(await useAssertion(store, 'bob' as InstanceId, URL_, proved)).to.equal(true)
    })
  })
})

eachStore((open) => {
  describe('keys at an address (assistants.md 2.12)', () => {
    const server = documentServer()
    let clock: FakeClock
    beforeEach(() => {
      clock = fakeClock()
      clock.stop()
    })

    const serve = (target: DocumentServer, keys: readonly ClientKey[]): void => {
      target.answer = (_request, response) => {
        response.setHeader('Content-Type', 'application/jwk-set+json')
        response.end(JSON.stringify({ keys }))
      }
    }

    function keysOf(store: Store): ClientKeys {
      return new ClientKeys({
        store,
        clock,
        outbound: server().outbound,
        limits: limitsOf(store, clock, 20),
        again: createRateLimits({
          store,
          clock,
          limits: { 'cimd-keys': { limit: 1, windowMs: 5 * MINUTE_MS } },
          tooMany: (bucket, retryAfterS) => tooManyLookUps(bucket, retryAfterS),
        }),
      })
    }

    it('are kept for an hour, for everybody', async () => {
      const store = await open({ clock })
      const one = pair('ES256', 'one')
      serve(server(), [one.key])
      const at = { url: URL_, keysUri: server().url('/keys') }
      expect(await keysOf(store).find(alice, at, 'one')).to.deep.equal([one.key])
      clock.advance(59 * MINUTE_MS)
      expect(await keysOf(store).find(alice, at, 'one')).to.deep.equal([one.key])
      expect(server().connections()).to.equal(1)
      clock.advance(2 * MINUTE_MS)
      await Promise.all([1, 2, 3].map(() => keysOf(store).find(alice, at, 'one')))
      expect(server().connections()).to.be.within(2, 4)
    })

    it('are asked for again when one is missing, once in 5 minutes', async () => {
      const store = await open({ clock })
      const [one, two] = [pair('ES256', 'one'), pair('EdDSA', 'two')]
      serve(server(), [one.key])
      const at = { url: URL_, keysUri: server().url('/keys') }
      const keys = keysOf(store)
      await keys.find(alice, at, 'one')
      serve(server(), [two.key])
      expect(await keys.find(alice, at, 'two')).to.deep.equal([one.key])
      clock.advance(5 * MINUTE_MS)
      expect(await keys.find(alice, at, 'two')).to.deep.equal([two.key])
      clock.advance(MINUTE_MS)
      for (const kid of ['three', 'four', 'five']) await keys.find(alice, at, kid)
      expect(server().connections()).to.equal(2)
    })

    it('are not taken from what is no key set, or is too long', async () => {
      const store = await open({ clock })
      for (const body of ['{}', '{"keys":[]}', '[]', ' '.repeat(65_537)]) {
        server().answer = (_request, response) => {
          response.setHeader('Content-Type', 'application/json')
          response.end(body)
        }
        const at = { url: URL_, keysUri: server().url('/keys') }
        const error = await keysOf(store)
          .find(alice, at, 'one')
          .catch((thrown: Error) => thrown)
        expect(error, body.slice(0, 20)).to.have.property('name', 'DocumentError')
      }
    })
  })
})
