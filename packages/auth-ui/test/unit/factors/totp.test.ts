import { randomBytes } from 'node:crypto'
import { createSealer } from '@svc/platform'
import { fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import fc from 'fast-check'
import { generateSync } from 'otplib'
import { acceptTotp, matchStep, newAuthenticator } from '../../../src/factors/totp.ts'
import { sampleInstance } from '../../support/sample-instance.ts'

/** The secret and the codes of RFC 6238 appendix B: the last six of its eight digits. */
const RFC_SECRET = Buffer.from('12345678901234567890')
const RFC: readonly [timeS: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
]

describe('matchStep', () => {
  for (const [timeS, code] of RFC) {
    it(`takes ${code} at ${timeS} (RFC 6238 appendix B)`, () => {
      const step = Math.floor(timeS / 30)
      expect(matchStep(RFC_SECRET, code, timeS * 1000, 0)).to.equal(step)
    })
  }

  const CODE = '050471'
  const STEP = Math.floor(1_111_111_111 / 30)
  const around: readonly [what: string, secondsOff: number, lastStep: number, taken: boolean][] = [
    ['one step late', 30, 0, true],
    ['one step early', -30, 0, true],
    ['two steps late', 60, 0, false],
    ['two steps early', -60, 0, false],
    ['after the step before was used', 0, STEP - 1, true],
    ['a second time', 0, STEP, false],
    ['after a later one was used', 0, STEP + 1, false],
  ]
  for (const [what, secondsOff, lastStep, isTaken] of around) {
    it(`${isTaken ? 'takes' : 'refuses'} a code ${what}`, () => {
      const now = (1_111_111_111 + secondsOff) * 1000
      const step = matchStep(RFC_SECRET, CODE, now, lastStep)
      expect(step).to.equal(isTaken ? STEP : undefined)
    })
  }

  it('takes spaces, and nothing but six digits', () => {
    const at = (typed: string): number | undefined =>
      matchStep(RFC_SECRET, typed, 1_111_111_111_000, 0)
    expect(at(' 050 471')).to.equal(STEP)
    for (const typed of ['', '50471', '0050471', '05047I', '０５０４７１']) {
      expect(at(typed), typed).to.equal(undefined)
    }
  })
})

describe('an authenticator app', () => {
  const clock = fakeClock()
  const sealer = createSealer([{ kid: 'test', key: randomBytes(32) }])
  const services = { oauth: { sealer }, clock }
  const alice = sampleInstance({ domain: 'alice.localhost:8080', publicName: 'Alice: "A" 🙂' })

  const codeOf = (secret: string): string =>
    generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })

  it('makes a secret of 160 bits, sealed, with an address for authenticator apps', () => {
    const { factor, secret, uri } = newAuthenticator(services, alice)
    expect(secret).to.match(/^[A-Z2-7]{32}$/)
    expect(JSON.stringify(factor)).not.to.include(secret)
    const url = new URL(uri)
    expect(url.protocol).to.equal('otpauth:')
    expect(url.host).to.equal('totp')
    expect(url.searchParams.get('secret')).to.equal(secret)
    expect(url.searchParams.get('issuer')).to.equal('alice.localhost 8080')
    expect(decodeURIComponent(url.pathname)).to.equal('/alice.localhost 8080:Alice  "A" 🙂')
  })

  it('opens a secret for its own instance only', () => {
    const { factor, secret } = newAuthenticator(services, alice)
    const bob = sampleInstance({ ...alice, id: 'other' as typeof alice.id })
    expect(() => acceptTotp(services, bob, factor, codeOf(secret))).to.throw()
  })

  it('never throws for what was typed', () => {
    const { factor } = newAuthenticator(services, alice)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (typed) => {
        expect(acceptTotp(services, alice, factor, typed)).to.equal(undefined)
      }),
    )
  })
})
