import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { activationCode } from '../../../src/factors/activation-codes.ts'

/** RFC 4226 by hand, with SHA-256 as login.md 3.4 has it. */
function byHand(key: Uint8Array, address: string, timeS: number): string {
  const derived = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), address, 32))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(timeS / 60)))
  const mac = createHmac('sha256', derived).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0x0f
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

describe('the activation code', () => {
  it('is the TOTP (SHA-256, 60 s) of a key derived for the address', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 66, maxLength: 66 }),
        fc.emailAddress(),
        fc.nat(4_000_000_000),
        (key, address, timeS) => {
          const code = activationCode(createSecretKey(key), address, timeS)
          expect(code).to.equal(byHand(key, address, timeS))
        },
      ),
      { numRuns: 50 },
    )
  })

  it('depends on key, address and minute', () => {
    const key = createSecretKey(Buffer.alloc(66, 1))
    const other = createSecretKey(Buffer.alloc(66, 2))
    const code = activationCode(key, 'alice@example.com', 1_700_000_000)
    expect(code).to.match(/^\d{6}$/)
    expect(activationCode(other, 'alice@example.com', 1_700_000_000)).not.to.equal(code)
    expect(activationCode(key, 'bob@example.com', 1_700_000_000)).not.to.equal(code)
    expect(activationCode(key, 'alice@example.com', 1_700_000_060)).not.to.equal(code)
  })
})
