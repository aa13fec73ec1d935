import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import * as jose from 'jose'
import type { SigningKey } from '@svc/platform'
import { type JwtClaims, openJwt, parseJwt, signJwt } from '../../../src/tokens/jwt.ts'
import { newKey } from './keys.ts'

const key = newKey()
const claims: JwtClaims = {
  iss: 'alice.example.com',
  aud: 'access',
  sub: 'client-1',
  iat: 1_800_000_000,
  exp: 1_800_086_400,
  jti: 'one',
  scope: 'io.svc.contacts',
  gid: 'grant-1',
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function token(header: unknown, payload: unknown = claims): string {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${createHmac('sha512', key.secret).update(input).digest('base64url')}`
}

function open(text: string, by: SigningKey = key): JwtClaims | undefined {
  const parsed = parseJwt(text)
  return parsed === undefined ? undefined : openJwt(parsed, by)
}

describe('the signer of tokens', () => {
  it('makes what an independent library verifies', async () => {
    const verified = await jose.jwtVerify(signJwt(key, claims), key.secret, {
      algorithms: ['HS512'],
      audience: 'access',
      issuer: 'alice.example.com',
      currentDate: new Date(1_800_000_001_000),
    })
    expect(verified.payload).to.deep.equal(claims)
    expect(verified.protectedHeader).to.deep.equal({ alg: 'HS512', typ: 'JWT', kid: 'access.1' })
  })

  it('opens what it and an independent library made', async () => {
    expect(open(signJwt(key, claims))).to.deep.equal(claims)
    const made = await new jose.SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'HS512', typ: 'at+jwt', kid: 'access.1' })
      .sign(key.secret)
    expect(open(made)).to.deep.equal(claims)
  })

  const header = { alg: 'HS512', typ: 'JWT', kid: 'access.1' }
  const valid = token(header)
  const [head = '', body = '', mac = ''] = valid.split('.')
  const strayBits = `${mac.slice(0, -1)}${String.fromCharCode(mac.charCodeAt(mac.length - 1) + 1)}`
  const refused: readonly (readonly [string, string])[] = [
    ['an empty text', ''],
    ['two parts', `${head}.${body}`],
    ['four parts', `${valid}.x`],
    ['an empty signature', `${head}.${body}.`],
    ['more than 8 KiB', token(header, { ...claims, scope: 'a'.repeat(7000) })],
    ['padding', `${head}.${body}.${mac}==`],
    ['a second spelling of the signature', `${head}.${body}.${strayBits}`],
    ['the base64 alphabet', `${head}.${body}.${mac.slice(0, -1)}+`],
    ['a short signature', `${head}.${body}.${mac.slice(0, 20)}`],
    ['a changed payload', `${head}.${encode({ ...claims, sub: 'other' })}.${mac}`],
    ['a header that is no JSON', `${Buffer.from('x').toString('base64url')}.${body}.${mac}`],
    ['alg none', token({ ...header, alg: 'none' })],
    ['alg HS256', token({ ...header, alg: 'HS256' })],
    ['alg RS256', token({ ...header, alg: 'RS256' })],
    ['alg in lower case', token({ ...header, alg: 'hs512' })],
    ['no kid', token({ alg: 'HS512', typ: 'JWT' })],
    ['a kid of no kind', token({ ...header, kid: 'other.1' })],
    ['a kid without a number', token({ ...header, kid: 'access' })],
    ['a kid that is a list', token({ ...header, kid: ['access.1'] })],
    ['another typ', token({ ...header, typ: 'dpop+jwt' })],
    ['crit', token({ ...header, crit: ['exp'] })],
    ['jku', token({ ...header, jku: 'https://evil.example/keys' })],
    ['jwk', token({ ...header, jwk: { kty: 'oct' } })],
    ['x5u', token({ ...header, x5u: 'https://evil.example/x' })],
    ['x5c', token({ ...header, x5c: [] })],
    ['b64', token({ ...header, b64: false })],
    ['a payload that is a list', token(header, [claims])],
    ['a payload that is no JSON object', token(header, 'text')],
    ['no subject', token(header, { ...claims, sub: undefined })],
    ['several audiences', token(header, { ...claims, aud: ['access', 'app'] })],
    ['a fractional date', token(header, { ...claims, exp: 1.5 })],
    ['a date as text', token(header, { ...claims, iat: '1' })],
    ['no expiry', token(header, { ...claims, exp: undefined })],
    ['a scope that is a list', token(header, { ...claims, scope: ['*'] })],
  ]
  for (const [what, text] of refused) {
    it(`refuses ${what}`, () => {
      expect(open(text)).to.equal(undefined)
    })
  }

  it('refuses another key', () => {
    expect(open(valid)).to.deep.equal(claims)
    expect(open(valid, newKey())).to.equal(undefined)
  })
})
