import { expect } from 'chai'
import { parseTemplatePath, referenceFor } from '../../../src/render/app-templates.ts'

describe('parseTemplatePath (10.3)', () => {
  const accepted: readonly (readonly [reference: string, path: string])[] = [
    ['file:./notifications/x.tpl', 'notifications/x.tpl'],
    ['file:notifications/x.tpl', 'notifications/x.tpl'],
    ['file:./a/./b//c.liquid', 'a/b/c.liquid'],
    ['file:..name', '..name'],
    ['file:a%2f..%2fb', 'a%2f..%2fb'],
  ]
  for (const [reference, path] of accepted) {
    it(`reads ${reference}`, () => {
      expect(parseTemplatePath(reference)).to.equal(path)
    })
  }

  const refused: readonly string[] = [
    'file:/etc/passwd',
    'file:///etc/passwd',
    'file:../other/x.tpl',
    'file:./a/../../x.tpl',
    'file:a/..',
    'file:a\\..\\x.tpl',
    'file:a\u0000.tpl',
    'file:a\n.tpl',
    'file:',
    'file:./',
    'file:a/',
    'http://evil.example/x.tpl',
    'x.tpl',
    `file:${'a'.repeat(2000)}`,
    'file:a\ud800',
  ]
  for (const reference of refused) {
    it(`takes ${JSON.stringify(reference.slice(0, 40))} as missing`, () => {
      expect(parseTemplatePath(reference)).to.equal(undefined)
    })
  }
})

describe('referenceFor (10.3 "locale")', () => {
  const templates = { mail: 'bare', 'mail.fr': 'french', 'mail.pt-BR': 'brazilian', sms: 'text' }
  const cases: readonly (readonly [key: string, locale: string, found: string | undefined])[] = [
    ['mail', 'fr', 'french'],
    ['mail', 'fr-CA', 'french'],
    ['mail', 'FR', 'french'],
    ['mail', 'pt-BR', 'brazilian'],
    ['mail', 'pt', 'bare'],
    ['mail', 'en', 'bare'],
    ['sms', 'fr', 'text'],
    ['mobile', 'fr', undefined],
    ['toString', 'fr', undefined],
  ]
  for (const [key, locale, found] of cases) {
    it(`finds ${found ?? 'nothing'} for ${key} in ${locale}`, () => {
      expect(referenceFor(templates, key, locale)).to.equal(found)
    })
  }
})
