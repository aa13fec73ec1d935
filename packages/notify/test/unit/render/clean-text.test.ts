import { cpuMs, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { collapseBlanks, toBody, toTitle } from '../../../src/mail/clean-text.ts'

describe('control characters (10)', () => {
  const titles: readonly (readonly [given: string, title: string])[] = [
    ['a\r\nBcc: x', 'a Bcc: x'],
    ['a\tb\u0000c\u001fd\u007fe', 'a b c d e'],
    ['a\u2028b\u2029c', 'a b c'],
    ['  a  ', 'a'],
    ['é ☃ 👍🏽', 'é ☃ 👍🏽'],
    ['x\ud800', 'x\ufffd'],
  ]
  for (const [given, title] of titles) {
    it(`become one space in the title ${JSON.stringify(given)}`, () => {
      expect(toTitle(given)).to.equal(title)
    })
  }

  it('cut no title that was accepted', () => {
    for (const title of ['x'.repeat(512), '👍'.repeat(512)]) expect(toTitle(title)).to.equal(title)
  })

  it('are removed from texts, but for line feeds and tabs', () => {
    expect(toBody('a\r\nb\tc\u0000\u0007\u001b[1m\u007f\u0085\u2028\u2029d\ud800')).to.equal(
      'a\nb\tc[1md\ufffd',
    )
  })

  it('are not what blanks of templates are: those collapse, lines stay (10.1)', () => {
    expect(collapseBlanks('  a \t b\u00a0 c \n\n   d  \n e\n')).to.equal('a b c\n\nd\ne')
  })

  it('are looked for in a time that grows with the text only', async () => {
    const long = `${' '.repeat(200_000)}x${'\n \t'.repeat(100_000)}x`
    expect(await cpuMs(() => void collapseBlanks(toBody(long)))).to.be.lessThan(scaledLimit(500))
  })
})
