import { expect } from 'chai'
import type { Owner } from '../../../src/owner/owner.ts'
import {
  acceptsResetToken,
  hasLiveReset,
  newResetToken,
  withoutResetToken,
  withResetToken,
} from '../../../src/passphrase/reset-token.ts'

const NOW = 1_700_000_000_000
const OWNER: Owner = {
  salt: 'me@alice.example.com',
  kdf: 0,
  iterations: 650_000,
  registerTokens: [],
  securityStamp: 'stamp',
  createdAt: NOW,
  updatedAt: NOW,
}

describe('the token of a reset', () => {
  const token = newResetToken()
  const pending = withResetToken(OWNER, token, NOW + 1000)

  it('is 128 random bits, kept as a hash', () => {
    expect(token).to.match(/^[0-9a-f]{32}$/)
    expect(newResetToken()).not.to.equal(token)
    expect(JSON.stringify(pending)).not.to.include(token)
  })

  it('is good until its end, and for nothing but itself', () => {
    expect(acceptsResetToken(pending, token, NOW + 999)).to.equal(true)
    expect(acceptsResetToken(pending, token, NOW + 1000)).to.equal(false)
    expect(hasLiveReset(pending, NOW + 999)).to.equal(true)
    expect(hasLiveReset(pending, NOW + 1000)).to.equal(false)
    for (const wrong of ['', newResetToken(), token.toUpperCase() + '0', `${token}\0`]) {
      expect(acceptsResetToken(pending, wrong, NOW), JSON.stringify(wrong)).to.equal(false)
    }
    expect(acceptsResetToken(OWNER, token, NOW)).to.equal(false)
    expect(acceptsResetToken(OWNER, '', NOW)).to.equal(false)
    expect(acceptsResetToken(undefined, token, NOW)).to.equal(false)
  })

  it('is taken back only while it is the one', () => {
    expect(withoutResetToken(pending, token)).to.deep.equal(OWNER)
    expect(withoutResetToken(pending, newResetToken())).to.equal(undefined)
    expect(withoutResetToken(OWNER, token)).to.equal(undefined)
  })
})
