import { parseScope, type Permission } from '@svc/oauth-core'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { groupsOf, type PermissionItem } from '../../src/consent/permission-items.ts'
import {
  findPermissionText,
  isSensitiveText,
  type PermissionTexts,
} from '../../src/consent/permission-texts.ts'
import { permissionSentence } from '../../src/consent/permission-words.ts'
import { createMessages } from '../../src/messages.ts'

const source = createMessages()
const TEXTS: PermissionTexts = {
  'com.example.recipes': {
    en: { name: 'Recipes', read: 'See what you cook', delete: 'Throw recipes away' },
    fr: { name: 'Recettes' },
  },
  'io.svc.contacts': { en: { name: 'Everybody you know' } },
}
const findText = findPermissionText(TEXTS)

function permissionOf(rule: string): Permission {
  const [permission] = parseScope(rule) ?? []
  if (permission === undefined) throw new TypeError(`not a rule: ${rule}`)
  return permission
}

function itemOf(rule: string, locale = 'en'): PermissionItem {
  const messages = source.forLocale(locale)
  const placed = [{ permission: permissionOf(rule), place: 0, isTicked: true }]
  const [group] = groupsOf(placed, { namespace: 'io.svc', messages, findText })
  const [item] = group?.items ?? []
  if (item === undefined) throw new TypeError('no item')
  return item
}

describe('findPermissionText', () => {
  const cases: readonly [locale: string, type: string, name: string | undefined][] = [
    ['en', 'com.example.recipes', 'Recipes'],
    ['fr-CA', 'com.example.recipes', 'Recettes'],
    ['de', 'com.example.recipes', 'Recipes'],
    ['fr', 'com.example.recipes.*', 'Recettes'],
    ['en', 'com.example.other', undefined],
    ['en', 'constructor', undefined],
    ['constructor', 'com.example.recipes', 'Recipes'],
  ]
  for (const [locale, type, name] of cases) {
    it(`answers ${name} for ${type} in ${locale}`, () => {
      expect(findText(locale, type)?.name).to.equal(name)
    })
  }
})

describe('isSensitiveText', () => {
  it('takes the word of the host for a kind, and for a wildcard on it', () => {
    const isSensitive = isSensitiveText({
      'com.example.recipes': { sensitive: true, en: { name: 'Recipes' } },
      'com.example.notes': { en: { name: 'Notes' } },
    })
    expect(isSensitive('com.example.recipes')).to.equal(true)
    expect(isSensitive('com.example.recipes.*')).to.equal(true)
    expect(isSensitive('com.example.notes')).to.equal(false)
    expect(isSensitive('constructor')).to.equal(false)
  })
})

describe('words of the host', () => {
  it('say what each access means, and leave the rest to the package', () => {
    const { name, access, note, raw } = itemOf('com.example.recipes')
    expect({ name, note }).to.deep.equal({ name: 'Recipes', note: undefined })
    expect(access.map(({ key, text }) => text ?? key)).to.deep.equal([
      'See what you cook',
      'add',
      'change',
      'Throw recipes away',
    ])
    expect(raw).to.equal('com.example.recipes')
  })

  it('come before those of the package', () => {
    expect(itemOf('io.svc.contacts:GET').name).to.equal('Everybody you know')
  })

  it('are not made up: without them the raw name is shown, and said to be one', () => {
    const { name, kind, note } = itemOf('com.example.other:GET')
    expect(name).to.equal(undefined)
    expect(note?.[0]).to.equal('consent.unknown')
    expect(source.forLocale('en').text(...kind)).to.include('com.example.other')
  })

  it('stand in lists of access too', () => {
    const permission = permissionOf('com.example.recipes:GET')
    const say = (locale: string): string =>
      permissionSentence(source.forLocale(locale), permission, 'io.svc', findText)
    expect(say('en')).to.equal('Recipes: read only')
    expect(say('fr')).to.equal('Recettes\u00a0: lire seulement')
  })
})
