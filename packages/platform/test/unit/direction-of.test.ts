import { expect } from 'chai'
import { directionOf } from '../../src/words/direction-of.ts'

describe('directionOf', () => {
  const cases: readonly [tag: string, direction: 'ltr' | 'rtl'][] = [
    ['ar', 'rtl'],
    ['ar_EG', 'rtl'],
    ['ar-XB', 'rtl'],
    ['he', 'rtl'],
    ['FA-ir', 'rtl'],
    ['en', 'ltr'],
    ['en-XA', 'ltr'],
    ['fr-CA', 'ltr'],
    ['', 'ltr'],
    ['not a tag', 'ltr'],
  ]
  for (const [tag, direction] of cases) {
    it(`is ${direction} for "${tag}"`, () => {
      expect(directionOf(tag)).to.equal(direction)
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
