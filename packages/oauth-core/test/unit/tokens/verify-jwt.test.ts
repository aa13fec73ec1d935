import { expect } from 'chai'
import type { Keyring } from '@svc/platform'
import { type JwtClaims, signJwt, verifyJwt } from '../../../src/tokens/jwt.ts'
import { newKey } from './keys.ts'
import { testInstance } from '../../../../platform/test/support/test-instance.ts'

const instance = testInstance()
const NOW_S = 1_800_000_000
const DAY_S = 86_400

const accessKey = newKey('access.3')
const sessionKey = newKey('session.1')
const keyring: Pick<Keyring, 'find'> = {
  find: async (_instance, kind, kid) =>
    [accessKey, sessionKey].find((key) => key.kid === kid && kid.startsWith(kind)),
}

const claims: JwtClaims = {
  iss: 'alice.example.com',
  aud: 'access',
  sub: 'client-1',
  iat: NOW_S,
  exp: NOW_S + DAY_S,
}

function check(token: string, nowMs = NOW_S * 1000) {
  return verifyJwt(token, instance, keyring as Keyring, nowMs)
}

describe('verifyJwt', () => {
  it('opens access and app tokens, each under its own kind of key', async () => {
    expect(await check(signJwt(accessKey, claims))).to.deep.include({ claims, kind: 'access' })
    const app = { ...claims, aud: 'app', sub: 'home' }
    expect(await check(signJwt(sessionKey, app))).to.deep.include({ claims: app, kind: 'app' })
  })

  const invalid: readonly (readonly [string, string])[] = [
    ['no token', 'x'],
    ['an access token under the session key', signJwt(sessionKey, claims)],
    ['an app token under the access key', signJwt(accessKey, { ...claims, aud: 'app' })],
    ['an unknown audience', signJwt(accessKey, { ...claims, aud: 'refresh' })],
    ['an inherited audience', signJwt(accessKey, { ...claims, aud: 'constructor' })],
    ['another instance', signJwt(accessKey, { ...claims, iss: 'bob.example.com' })],
    ['a URL as issuer', signJwt(accessKey, { ...claims, iss: 'https://alice.example.com' })],
    ['a key that is gone', signJwt(newKey('access.1'), claims)],
    ['a key of ours with another secret', signJwt(newKey('access.3'), claims)],
    ['an iat more than 60 s ahead', signJwt(accessKey, { ...claims, iat: NOW_S + 61 })],
    ['an exp before its iat', signJwt(accessKey, { ...claims, exp: NOW_S - 1 })],
  ]
  for (const [what, token] of invalid) {
    it(`calls ${what} invalid`, async () => {
      expect(await check(token)).to.equal('invalid')
    })
  }

  const instants: readonly (readonly [string, number, boolean])[] = [
    ['60 s before its iat', -60, true],
    ['1 s before its exp', DAY_S - 1, true],
    ['at its exp', DAY_S, false],
    ['15 s after its exp', DAY_S + 15, false],
  ]
  for (const [when, offsetS, isLive] of instants) {
    it(`calls a token ${isLive ? 'live' : 'expired'} ${when}`, async () => {
      const answer = await check(signJwt(accessKey, claims), (NOW_S + offsetS) * 1000)
      const key = { kid: accessKey.kid, kind: 'access' }
      expect(answer).to.deep.equal(isLive ? { claims, kind: 'access', key } : 'expired')
    })
  }

  it('lets no exp outlive 24 hours', async () => {
    const token = signJwt(accessKey, { ...claims, exp: NOW_S + 10 * DAY_S })
    expect(await check(token, (NOW_S + DAY_S) * 1000)).to.equal('expired')
  })

  it('ends with a shorter exp', async () => {
    const token = signJwt(accessKey, { ...claims, exp: NOW_S + 2 })
    expect(await check(token, (NOW_S + 2) * 1000)).to.equal('expired')
  })
})
