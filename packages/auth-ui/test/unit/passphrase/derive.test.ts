import { expect } from 'chai'
import { deriveLoginValue, saltOf } from '../../../src/passphrase/derive.ts'

describe('deriveLoginValue', () => {
  const salt = 'me@alice.example.com'
  const vectors: readonly [passphrase: string, iterations: number, loginValue: string][] = [
    ['correct horse battery staple', 650_000, 'uv5OA7us+O5w4DxqyQR0gN1ROKIbRruaqbuumkNzNGY='],
    ['correct horse battery staple', 50_000, 'I2XwfBpy0jmy1ZaG2NiejXnYAE5szlgYZubouBnUoU0='],
    ['pâssphräse €', 50_000, 'qIur5oawOIdz5iregy5asL2HkuJ8PgmShK9yhpNOHQs='],
  ]
  for (const [passphrase, iterations, loginValue] of vectors) {
    it(`derives ${passphrase} with ${iterations} iterations as login.md 3.1`, async () => {
      expect(await deriveLoginValue(passphrase, salt, iterations)).to.equal(loginValue)
    })
  }
})

describe('saltOf', () => {
  it('leaves the port out', () => {
    expect(saltOf('alice.localhost:8080')).to.equal('me@alice.localhost')
    expect(saltOf('alice.example.com')).to.equal('me@alice.example.com')
  })
})
