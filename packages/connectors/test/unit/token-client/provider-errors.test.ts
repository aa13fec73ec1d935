import { expect } from 'chai'
import { loggable } from '../../../src/token-client/provider-errors.ts'

describe('words of a provider in the log (connectors.md 4.6, 13)', () => {
  it('have at most 200 characters', () => {
    expect(loggable('x'.repeat(500), [])).to.equal('x'.repeat(200))
  })
  it('have no control characters, and nothing that turns text around', () => {
    expect(loggable('a\r\nb\u0000c\u001b[31md\u202ee\u2028f', [])).to.equal('abc[31mde\u2028f')
  })
  it('show nothing that was sent, as it was or percent-encoded', () => {
    const secrets = ['secret/token+1', 'code-123456']
    expect(loggable('no secret/token+1, no secret%2Ftoken%2B1, no code-123456', secrets)).to.equal(
      'no [redacted], no [redacted], no [redacted]',
    )
  })
  it('show no secret that comes with control characters in it', () => {
    expect(loggable('se\u0000cret-\u200dtoken', ['secret-token'])).to.equal('[redacted]')
  })
  it('show a part of a secret neither when the text is cut in its middle', () => {
    expect(loggable(`${'x'.repeat(195)}secret-token`, ['secret-token'])).to.not.include('secr')
  })
})
