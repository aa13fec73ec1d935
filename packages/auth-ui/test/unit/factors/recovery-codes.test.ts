import { expect } from 'chai'
import fc from 'fast-check'
import { newRecoveryCodes, spendRecoveryCode } from '../../../src/factors/recovery-codes.ts'
import { sampleInstance } from '../../support/sample-instance.ts'

const alice = sampleInstance()

describe('newRecoveryCodes', () => {
  it('makes ten codes without look-alikes and keeps only their hashes', () => {
    const { codes, recovery } = newRecoveryCodes(alice, 7)
    expect(new Set(codes).size).to.equal(10)
    for (const code of codes) {
      expect(code).to.match(/^[a-hjkmnp-z2-9]{5}-[a-hjkmnp-z2-9]{5}$/)
    }
    expect(recovery.createdAt).to.equal(7)
    expect(recovery.hashes).to.have.lengthOf(10)
    for (const hash of recovery.hashes) expect(hash).to.match(/^[0-9a-f]{64}$/)
  })

  it('uses every letter of the alphabet about as often', () => {
    const counts = new Map<string, number>()
    for (let at = 0; at < 100; at += 1) {
      for (const letter of newRecoveryCodes(alice, 0).codes.join('').replaceAll('-', '')) {
        counts.set(letter, (counts.get(letter) ?? 0) + 1)
      }
    }
    expect(counts.size).to.equal(31)
    // 10 000 letters: 323 of each, with a standard deviation of 18.
    for (const count of counts.values()) expect(count).to.be.within(223, 423)
  })
})

describe('spendRecoveryCode', () => {
  const { codes, recovery } = newRecoveryCodes(alice, 0)
  const code = codes[3] ?? ''

  it('takes each code once, in any order', () => {
    let left = recovery
    for (const each of codes.toReversed()) {
      const after = spendRecoveryCode(alice, left, each)
      if (after === undefined) throw new Error('refused')
      expect(after.hashes).to.have.lengthOf(left.hashes.length - 1)
      expect(spendRecoveryCode(alice, after, each)).to.equal(undefined)
      left = after
    }
    expect(left.hashes).to.deep.equal([])
  })

  const ways: readonly [what: string, typed: string][] = [
    ['in capitals', code.toUpperCase()],
    ['without the dash', code.replace('-', '')],
    ['with spaces', ` ${code.split('').join(' ')}\n`],
    ['with another dash', code.replace('-', '–')],
  ]
  for (const [what, typed] of ways) {
    it(`takes a code typed ${what}`, () => {
      expect(spendRecoveryCode(alice, recovery, typed)?.hashes).to.have.lengthOf(9)
    })
  }

  const refused: readonly [what: string, typed: string][] = [
    ['nothing', ''],
    ['a dash', '-'],
    ['half a code', code.slice(0, 5)],
    ['two codes', codes.slice(0, 2).join('')],
    ['six digits', '234567'],
    ['a stored hash', recovery.hashes[0] ?? ''],
    ['a very long text', code + ' '.repeat(100_000)],
    ['another code', 'aaaaa-aaaaa'],
  ]
  for (const [what, typed] of refused) {
    it(`refuses ${what}`, () => {
      expect(spendRecoveryCode(alice, recovery, typed)).to.equal(undefined)
    })
  }

  it('refuses a code of another instance', () => {
    const bob = sampleInstance({ id: 'other' as typeof alice.id })
    expect(spendRecoveryCode(bob, recovery, code)).to.equal(undefined)
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (typed) => {
        expect(spendRecoveryCode(alice, recovery, typed)).to.equal(undefined)
      }),
    )
  })
})
