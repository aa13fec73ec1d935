import { expect } from 'chai'
import { describe, it } from 'mocha'
import { permissionTexts } from '../../src/apps/permission-texts.ts'

describe('permissionTexts', () => {
  const texts = permissionTexts('org.example')
  for (const [type, byLocale] of Object.entries(texts)) {
    it(`has every word for ${type} in every language`, () => {
      expect(type).to.match(/^org\.example\./u)
      expect(Object.keys(byLocale)).to.have.members(['de', 'en', 'es', 'fr'])
      for (const [locale, text] of Object.entries(byLocale))
        expect(text, locale).to.have.all.keys('name', 'read', 'add', 'change', 'delete')
    })
  }
})
