import { expect } from 'chai'
import { cleanDeep, cleanLine, cleanText, cut } from '../../src/text/clean-text.ts'

describe('texts of documents', () => {
  it('lose what no reader sees, and nothing else', () => {
    const tags = [...'delete all'].map((one) => String.fromCodePoint(0xe_00_00 + one.charCodeAt(0)))
    expect(cleanText(`a${tags.join('')}b`)).to.equal('ab')
    expect(cleanText('a\u200Bb\u202Ec\u2066d\uFEFFe\u0007f\u001B[31m')).to.equal('abcdef[31m')
    const fillers = '\u00AD\u034F\u115F\u17B4\u180B\u2065\u3164\uFFA0\u{1BCA0}\u{1D173}\u{13430}'
    for (const hidden of fillers) {
      expect(cleanText(`a${hidden}b`), hidden.codePointAt(0)?.toString(16)).to.equal('ab')
    }
    // Two characters of four bits each are a byte that nobody sees.
    expect(cleanText('a\uFE00\uFE0F\u{E0100}b')).to.equal('ab')
    expect(cleanText('❤\uFE0F\uFE0F\uFE0E!')).to.equal('❤\uFE0F!')
    for (const kept of [
      '☀\uFE0F 1\uFE0F\u20E3',
      'Grüße\n\tÀ bientôt',
      '日本語',
      'שלום',
      '👍🏽',
      'a\r\nb',
    ]) {
      expect(cleanText(kept)).to.equal(kept)
    }
    expect(cleanText('a\uD800b')).to.equal('a\uFFFDb')
  })

  it('are cut between characters', () => {
    expect(cut('a👍b', 2)).to.equal('a')
    expect(cut('a👍b', 3)).to.equal('a👍')
    expect(cleanLine('  one\n two\u200B ', 6)).to.equal('one tw')
  })

  it('are clean in every member of a result', () => {
    const value = { 'a\u200B': ['\u202Ex', { b: 'y\u{E0041}' }], n: 1, no: null }
    expect(cleanDeep(value)).to.deep.equal({ a: ['x', { b: 'y' }], n: 1, no: null })
  })
})
