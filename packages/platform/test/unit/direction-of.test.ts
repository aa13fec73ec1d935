import { expect } from 'chai'
import { directionOf } from '../../src/words/direction-of.ts'

describe('directionOf', () => {
  const cases = { rtl: ['ar', 'ar_EG', 'ar-XB', 'he', 'FA-ir'], ltr: ['en', 'fr-CA', '', 'no tag'] }
  for (const [direction, tags] of Object.entries(cases)) {
    it(`is ${direction} for ${tags.join(', ')}`, () => {
      for (const tag of tags) expect(directionOf(tag), tag).to.equal(direction)
    })
  }

  it('knows the languages by itself where the engine cannot say it', () => {
    const prototype: { getTextInfo?: unknown } = Intl.Locale.prototype
    const known = prototype.getTextInfo
    prototype.getTextInfo = undefined
    try {
      expect(directionOf('ar-EG')).to.equal('rtl')
      expect(directionOf('es')).to.equal('ltr')
    } finally {
      prototype.getTextInfo = known
    }
  })
})
