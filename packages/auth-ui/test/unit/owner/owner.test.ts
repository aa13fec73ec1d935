import { expect } from 'chai'
import {
  acceptsRegisterToken,
  newRegisterToken,
  newSecurityStamp,
  type Owner,
  withRegisterToken,
} from '../../../src/owner/owner.ts'

const owner: Owner = {
  salt: 'me@alice.example.com',
  kdf: 0,
  iterations: 650_000,
  registerTokens: [],
  securityStamp: 'stamp',
  createdAt: 0,
  updatedAt: 0,
}

describe('register tokens', () => {
  it('are 32 hexadecimal characters, stored as hashes', () => {
    const token = newRegisterToken()
    expect(token).to.match(/^[0-9a-f]{32}$/)
    const kept = withRegisterToken(owner, token)
    expect(JSON.stringify(kept)).not.to.include(token)
    expect(acceptsRegisterToken(kept, token)).to.equal(true)
  })

  it('leave the three latest valid', () => {
    const tokens = Array.from({ length: 4 }, newRegisterToken)
    const kept = tokens.reduce(withRegisterToken, owner)
    expect(tokens.map((token) => acceptsRegisterToken(kept, token))).to.deep.equal([
      false,
      true,
      true,
      true,
    ])
  })

  it('open nothing once somebody chose a passphrase', () => {
    const token = newRegisterToken()
    const kept = { ...withRegisterToken(owner, token), onboardedAt: 1 }
    expect(acceptsRegisterToken(kept, token)).to.equal(false)
  })

  for (const token of ['', 'x', 'A'.repeat(32), '\ud800', '0'.repeat(32), '0'.repeat(31)]) {
    it(`do not match ${JSON.stringify(token)}`, () => {
      const kept = withRegisterToken(owner, newRegisterToken())
      expect(acceptsRegisterToken(kept, token)).to.equal(false)
    })
  }
})

describe('newSecurityStamp', () => {
  it('is a UUID of version 7 with the time in front', () => {
    const now = Date.UTC(2026, 0, 1)
    const stamp = newSecurityStamp(now)
    expect(stamp).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Number.parseInt(stamp.replaceAll('-', '').slice(0, 12), 16)).to.equal(now)
    expect(newSecurityStamp(now)).not.to.equal(stamp)
  })
})
