import { createHmac } from 'node:crypto'
import { fakeClock, openProvider } from '@svc/testkit'
import { expect } from 'chai'
import type { AccountType } from '../../../src/account-types/account-type.ts'
import { openTokenClient, type TokenClientSetup } from '../../support/token-client-setup.ts'

const NOW_S = (): number => Math.floor(Date.now() / 1000)

describe('the subject of an id token (connectors.md 6.3, rule 10)', () => {
  let setup: TokenClientSetup
  let type: AccountType
  beforeEach(async () => {
    setup = await openTokenClient()
    type = setup.type({ issuer: setup.provider.origin })
  })
  afterEach(() => setup.close())

  function warnings(): number {
    return setup.log.of('provider.id_token_refused').length
  }

  it('is that of a token that holds, its nonce included', async () => {
    const token = await setup.provider.idToken({ nonce: 'n-1' })
    expect(await setup.client.subjectOf(type, token, 'n-1')).to.equal('subject-1')
    expect(warnings()).to.equal(0)
  })

  it('needs no nonce where none was sent, as at a refresh', async () => {
    const token = await setup.provider.idToken({})
    expect(await setup.client.subjectOf(type, token, undefined)).to.equal('subject-1')
  })

  it('is read with keys that are fetched once', async () => {
    for (let i = 0; i < 3; i += 1) {
      await setup.client.subjectOf(type, await setup.provider.idToken({}), undefined)
    }
    expect(setup.provider.requestsOf('jwks')).to.have.length(1)
    expect(setup.provider.requestsOf('metadata')).to.have.length(1)
  })

  const claims: readonly (readonly [string, object])[] = [
    ['of another issuer', { iss: 'https://other.example' }],
    ['for another client', { aud: 'client-2' }],
    ['for several clients, none of them this one', { aud: ['client-2', 'client-3'] }],
    ['that is over', { iat: NOW_S() - 7200, exp: NOW_S() - 3600 }],
    ['without an end', { exp: undefined }],
    ['that begins later', { nbf: NOW_S() + 3600 }],
    ['with another nonce', { nonce: 'n-2' }],
    ['without a nonce', { nonce: undefined }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a subject of 256 characters', { sub: 's'.repeat(256) }],
    ['with a subject that is a number', { sub: 7 }],
  ]
  for (const [what, wrong] of claims) {
    it(`is unknown, with a warning, of a token ${what}`, async () => {
      const token = await setup.provider.idToken({ nonce: 'n-1', ...wrong })
      expect(await setup.client.subjectOf(type, token, 'n-1')).to.equal(undefined)
      expect(warnings()).to.equal(1)
      expect(JSON.stringify(setup.log.lines)).to.not.include(token)
    })
  }

  it('is unknown of a token that somebody else signed', async () => {
    const other = await openProvider()
    const forged = await other.idToken({ iss: setup.provider.origin })
    await other.close()
    const claims = { iss: setup.provider.origin, aud: 'client-1', sub: 's', iat: NOW_S() }
    const mac = (input: string): string =>
      createHmac('sha256', 'secret-1').update(input).digest('base64url')
    const byHand = (alg: string, sign: (input: string) => string): string => {
      const input = `${base64({ alg, kid: '1' })}.${base64({ ...claims, exp: NOW_S() + 60 })}`
      return `${input}.${sign(input)}`
    }
    for (const token of [forged, byHand('HS256', mac), byHand('none', () => '')]) {
      expect(await setup.client.subjectOf(type, token, undefined)).to.equal(undefined)
    }
    expect(warnings()).to.equal(3)
  })

  for (const junk of ['', 'junk', 'a.b.c', 'e30.e30.', '....', 'é.ü.ö']) {
    it(`is unknown of "${junk}"`, async () => {
      expect(await setup.client.subjectOf(type, junk, undefined)).to.equal(undefined)
      expect(warnings()).to.equal(1)
    })
  }

  it('is unknown when the keys cannot be had', async () => {
    setup.provider.script('jwks', { status: 500 })
    const token = await setup.provider.idToken({})
    expect(await setup.client.subjectOf(type, token, undefined)).to.equal(undefined)
    expect(warnings()).to.equal(1)
    expect(await setup.client.subjectOf(type, token, undefined)).to.equal('subject-1')
  })

  it('is unknown when the issuer says nothing of itself', async () => {
    setup.provider.script('metadata', { status: 404 }, { status: 404 })
    const token = await setup.provider.idToken({})
    expect(await setup.client.subjectOf(type, token, undefined)).to.equal(undefined)
    expect(warnings()).to.equal(1)
  })

  it('is unknown, and nobody is warned, of a type without issuer', async () => {
    const token = await setup.provider.idToken({})
    expect(await setup.client.subjectOf(setup.type(), token, undefined)).to.equal(undefined)
    expect(warnings()).to.equal(0)
    expect(setup.provider.requests).to.have.length(0)
  })

  it('goes by the clock of the host', async () => {
    const clock = fakeClock()
    const later = await openTokenClient({ clock })
    const token = await later.provider.idToken({})
    clock.advance(7_200_000)
    const issued = later.type({ issuer: later.provider.origin })
    expect(await later.client.subjectOf(issued, token, undefined)).to.equal(undefined)
    const fresh = await later.provider.idToken({})
    expect(await later.client.subjectOf(issued, fresh, undefined)).to.equal('subject-1')
    await later.close()
  })
})

function base64(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
