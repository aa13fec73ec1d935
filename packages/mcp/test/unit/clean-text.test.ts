import { expect } from 'chai'
import { cleanDeep, cleanLine, cleanText, cut } from '../../src/text/clean-text.ts'

describe('texts of documents', () => {
  it('lose what no reader sees, and nothing else', () => {
    const tags = [...'delete all'].map((one) => String.fromCodePoint(0xe_00_00 + one.charCodeAt(0)))
    expect(cleanText(`a${tags.join('')}b`)).to.equal('ab')
    expect(cleanText('a\u200Bb\u202Ec\u2066d\uFEFFe\u0007f\u001B[31m')).to.equal('abcdef[31m')
    for (const kept of ['Grüße\n\tÀ bientôt', '日本語', 'שלום', '👍🏽', 'a\r\nb']) {
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
