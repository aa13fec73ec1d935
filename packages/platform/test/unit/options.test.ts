import { expect } from 'chai'
import { cidrs, counts, defineOptions, lifetimes, rateLimits } from '../../src/options.ts'

const DEFAULTS = {
  token: { limit: 5, windowMs: 60_000 },
  attestation: { limit: 9, windowMs: 1000 },
} as const

const DEFINITION = defineOptions({
  limits: rateLimits(DEFAULTS),
  trustedNetworks: cidrs().or([]),
})

describe('rateLimits', () => {
  it('replaces the limits of single buckets', () => {
    const token = { limit: 1, windowMs: 1000 }
    expect(DEFINITION.settle({ limits: { token } }).limits).to.deep.equal({ ...DEFAULTS, token })
    expect(DEFINITION.settle({}).limits).to.deep.equal(DEFAULTS)
  })

  it('allows none only where a bucket may be closed', () => {
    const limits = { token: { limit: 0, windowMs: 1000 } }
    expect(() => DEFINITION.settle({ limits })).to.throw(
      'options.limits.token.limit: must be a whole number from 1 to 1000000000',
    )
    const closing = defineOptions({ limits: rateLimits(DEFAULTS, 0) })
    expect(closing.settle({ limits }).limits.token.limit).to.equal(0)
  })

  it('refuses buckets and members that there are not', () => {
    expect(() =>
      DEFINITION.settle({ limits: { tokens: 1, token: { limit: 1, windowMs: 1000, max: 1 } } }),
    ).to.throw(
      'options.limits.tokens: unknown, did you mean token?\noptions.limits.token.max: unknown',
    )
  })
})

describe('cidrs', () => {
  it('take networks', () => {
    const trustedNetworks = ['10.0.0.0/8', '192.168.1.1/32', '::1/128', 'fd00::/8']
    expect(DEFINITION.settle({ trustedNetworks }).trustedNetworks).to.deep.equal(trustedNetworks)
  })

  for (const cidr of [
    '10/8',
    '10.0.0.0',
    '10.0.0.0/33',
    '::1/129',
    '::/129',
    'localhost/8',
    '1.2.3.4/-1',
    'fe80::1%eth0/64',
    '1.1.1.1/1/1',
    '',
    8,
  ]) {
    it(`refuse ${cidr} and name its place`, () => {
      expect(() => DEFINITION.settle({ trustedNetworks: ['10.0.0.0/8', cidr] })).to.throw(
        'options.trustedNetworks[1]: must be a CIDR',
      )
    })
  }
})

describe('lifetimes and counts', () => {
  const definition = defineOptions({
    lifetimes: lifetimes(
      { lock: 30, call: 5000 },
      { least: 1, most: 1000 },
      { call: { least: 1000, most: 9000, step: 1000 } },
    ),
    limits: counts({ waiting: 5 }, { least: 0, most: 10 }),
  })

  it('replace single defaults', () => {
    const given = { lifetimes: { call: 6000 }, limits: { waiting: 0 } }
    expect(definition.settle(given)).to.deep.equal({
      lifetimes: { lock: 30, call: 6000 },
      limits: { waiting: 0 },
    })
  })

  it('say what is out of their range, and what they do not know', () => {
    const given = { lifetimes: { lock: 0, call: 1500, cal: 1 }, limits: { waiting: 11 } }
    expect(() => definition.settle(given)).to.throw(
      [
        'options.lifetimes.cal: unknown, did you mean call?',
        'options.lifetimes.lock: must be a whole number of milliseconds from 1 to 1000',
        'options.lifetimes.call: must be a whole number of milliseconds from 1000 to 9000, in steps of 1000',
        'options.limits.waiting: must be a whole number from 0 to 10',
      ].join('\n'),
    )
  })
})
