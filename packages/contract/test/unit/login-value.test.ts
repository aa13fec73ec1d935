import { expect } from 'chai'
import { loginValue } from '../../src/pages/login-value.ts'

const SALT = 'me@alice.example.com'

describe('what a passphrase field carries', () => {
  const vectors: [string, number, string][] = [
    ['correct horse battery staple', 650_000, 'uv5OA7us+O5w4DxqyQR0gN1ROKIbRruaqbuumkNzNGY='],
    ['correct horse battery staple', 50_000, 'I2XwfBpy0jmy1ZaG2NiejXnYAE5szlgYZubouBnUoU0='],
    ['pâssphräse €', 50_000, 'qIur5oawOIdz5iregy5asL2HkuJ8PgmShK9yhpNOHQs='],
  ]
  for (const [passphrase, iterations, value] of vectors) {
    it(`is the published value for "${passphrase}" with ${iterations} iterations`, async () => {
      expect(await loginValue(passphrase, SALT, iterations)).to.equal(value)
    })
  }
})
