import { createHmac, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { macOf, MAX_MESSAGE } from '../../../src/tokens/token-mac.ts'
import { newKey } from './keys.ts'

describe('macOf', () => {
  for (const bytes of [1, 63, 64, 127, 128, 129, 300]) {
    it(`is the HMAC-SHA-512 of Node for a secret of ${bytes} bytes`, () => {
      const secret = randomBytes(bytes)
      const key = newKey('access.1', secret)
      for (const length of [0, 1, 127, 128, 129, 400, MAX_MESSAGE]) {
        const message = randomBytes(length)
          .toString('latin1')
          .replaceAll(/[^ -~]/g, 'x')
        const expected = createHmac('sha512', secret).update(message).digest('hex')
        expect(macOf(key, message).toString('hex')).to.equal(expected)
      }
    })
  }

  it('keeps keys apart that are used in turns', () => {
    const keys = [newKey(), newKey()]
    for (const key of [...keys, ...keys]) {
      const expected = createHmac('sha512', key.secret).update('text').digest('hex')
      expect(macOf(key, 'text').toString('hex')).to.equal(expected)
    }
  })

  it('takes nothing that is longer than a token', () => {
    const tooLong = 'x'.repeat(MAX_MESSAGE + 1)
    expect(() => macOf(newKey(), tooLong)).to.throw(RangeError)
  })
})
