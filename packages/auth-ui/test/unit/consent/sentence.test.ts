import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseScope } from '@svc/oauth-core'
import { frenchFaults } from '@svc/testkit'
import { expect } from 'chai'
import { consentSentence } from '../../../src/consent/sentence.ts'
import { createMessages } from '../../../src/messages.ts'
import { generatedScopes } from './generated-scopes.ts'
import { KINDS } from './kinds.ts'

const LANGUAGES = ['en', 'fr', 'de', 'es'] as const
/** Read by eye: a change of it is to be read again. `SVC_WRITE_SNAPSHOT=1` writes it anew. */
const SNAPSHOT = fileURLToPath(new URL('sentences.txt', import.meta.url))

const messages = createMessages()

function say(locale: string, scope: string, isKnown = false): string {
  const options = { namespace: 'io.svc', messages: messages.forLocale(locale) }
  return consentSentence(
    { permissions: parseScope(scope) ?? [], isKnown, allowedOn: '2 November 2026' },
    { ...options, findText: () => undefined },
  )
}

describe('the sentence of the consent page', () => {
  const scopes = generatedScopes(200)
  const said = scopes.map((scope, at) => ({
    scope,
    sentences: LANGUAGES.map((locale) => say(locale, scope, at % 8 === 7)),
  }))

  it('is what was read by eye, for 200 sets of permissions in four languages', () => {
    const blocks = said.map(({ scope, sentences }) => [scope, ...sentences].join('\n'))
    const text = `${blocks.join('\n\n')}\n`
    if (process.env['SVC_WRITE_SNAPSHOT'] === '1') writeFileSync(SNAPSHOT, text)
    expect(text).to.equal(readFileSync(SNAPSHOT, 'utf8'))
  })

  it('keeps its length, and names no type, field or scope', () => {
    for (const { scope, sentences } of said) {
      const [english = '', ...others] = sentences
      expect(english.length, english).to.be.at.most(160)
      for (const other of others) expect(other.length, other).to.be.at.most(220)
      for (const sentence of sentences) {
        expect(sentence, scope).to.not.match(/io\.svc|com\.example|undefined|\bGET\b|[{}]|dir0/u)
        expect(sentence).to.match(/\.$/u)
      }
    }
  })

  it('has the spaces of French', () => {
    const faults = said.flatMap(({ sentences }) => frenchFaults(sentences[1] ?? ''))
    expect(faults).to.deep.equal([])
  })

  it('leaves things out in one place only', () => {
    for (const { sentences } of said)
      expect(sentences[0]?.match(/\bmore\b|\bother data\b/gu) ?? []).to.have.length.at.most(1)
  })

  const WORST: readonly (readonly [RegExp, RegExp])[] = [
    [/(?:^| )[a-z._*]+(?:$| |:[A-Z,]*DELETE)/u, /delete/u],
    [/PUT|PATCH/u, /change|delete/u],
    [/POST/u, /add|change|delete/u],
  ]
  it('names the worst right that is asked', () => {
    for (const { scope, sentences } of said) {
      const worst = WORST.find(([asked]) => asked.test(scope))
      expect(sentences[0], scope).to.match(worst?.[1] ?? /read/u)
    }
  })

  const CASES: readonly (readonly [scope: string, english: string])[] = [
    [
      'io.svc.files io.svc.photos.albums:GET,PUT io.svc.contacts:GET io.svc.bank.*:GET',
      'It can read, change and delete your files; read and change your photo albums; only read your contacts and your bank data.',
    ],
    ['io.svc.contacts:GET', 'It can only read your contacts. It can’t change anything.'],
    [
      'io.svc.contacts:GET:a,b',
      'It can only read some of your contacts. It can’t change anything.',
    ],
    ['io.svc.files:POST', 'It can add to your files.'],
    ['io.svc.files:DELETE io.svc.notes:GET', 'It can delete your files and only read your notes.'],
    ['*', 'It can do everything you can, except change how you log in.'],
    [
      'com.example.a:GET',
      'It can only read one kind of data that this page can’t name. It can’t change anything.',
    ],
    [
      'com.example.a:GET,PUT com.example.b:GET,PUT',
      'It can read and change 2 kinds of data that this page can’t name.',
    ],
    [
      'io.svc.geojson:GET,PUT io.svc.timeseries.geojson:GET,PUT',
      'It can read and change your trips and places.',
    ],
    [
      'io.svc.files:GET io.svc.files:GET:a',
      'It can only read your files. It can’t change anything.',
    ],
    [
      'io.svc.files:GET io.svc.files:DELETE:a',
      'It can delete some of your files and only read your files.',
    ],
  ]
  for (const [scope, english] of CASES) {
    it(`says ${scope}`, () => expect(say('en', scope)).to.equal(english))
  }

  const many = (count: number): string =>
    KINDS.slice(0, count)
      .map((kind, at) => `${kind}${['', ':GET', ':POST'][at % 3] ?? ''}`)
      .join(' ')

  it('counts many kinds, and names the sensitive ones, the worst first', () => {
    expect(say('en', many(7))).to.equal(
      'It asks for 7 kinds of data: it can delete 3 of them, add to 2, and only read 2. Some are sensitive, such as your connected accounts and your bank accounts.',
    )
    expect(LANGUAGES.map((locale) => say(locale, many(12)))).to.deep.equal([
      'It asks for 12 kinds of data: it can delete 4 of them, add to 4, and only read 4. Some are sensitive, such as your connected accounts and your bank accounts.',
      'L’application demande 12 types de données\u00a0: elle pourra supprimer 4 d’entre eux, ajouter des éléments à 4 autres et seulement lire 4 autres. Certains sont sensibles, comme vos comptes connectés et vos comptes bancaires.',
      'Die App fragt 12 Arten von Daten an. Davon kann sie 4 löschen, etwas zu 4 hinzufügen und 4 nur lesen. Das betrifft auch sensible Daten, etwa Ihre verbundenen Konten, Ihre Bankkonten und Ihre Kontobewegungen.',
      'La aplicación pide 12 tipos de datos: podrá eliminar 4 de ellos, añadir elementos a otros 4 y solo leer otros 4. Algunos son sensibles, como sus cuentas conectadas, sus cuentas bancarias y sus movimientos bancarios.',
    ])
    // Two of the forty have the name of another one.
    expect(say('en', many(40))).to.equal(
      'It asks for 38 kinds of data: it can delete 14 of them, add to 13, and only read 11. Some are sensitive, such as your connected accounts and your bank accounts.',
    )
    expect(say('en', many(7), true)).to.match(/^New: 7 kinds of data\. It can delete 3 of them, /u)
  })

  it('counts what is only read, after what it names', () => {
    const scope = KINDS.slice(0, 30)
      .map((kind) => `${kind}:GET`)
      .join(' ')
    expect(say('en', scope)).to.equal(
      'It can only read your connected accounts, your bank data, your bank accounts, and 26 more kinds of data. It can’t change anything.',
    )
  })

  it('says what is new of a known client, and when nothing is', () => {
    const asked = parseScope('io.svc.contacts:GET') ?? []
    const options = {
      namespace: 'io.svc',
      messages: messages.forLocale('en'),
      findText: () => undefined,
    }
    const known = { isKnown: true, allowedOn: '2 November 2026' }
    expect(consentSentence({ ...known, permissions: asked }, options)).to.equal(
      'New: it can also read your contacts.',
    )
    expect(consentSentence({ ...known, permissions: [] }, options)).to.equal(
      'Nothing new. It keeps what you allowed on 2 November 2026.',
    )
  })

  it('takes the name that the host gives a kind', () => {
    const options = { namespace: 'io.svc', messages: messages.forLocale('en') }
    const words = consentSentence(
      { permissions: parseScope('com.example.recipes:GET,PUT') ?? [], isKnown: false },
      { ...options, findText: () => ({ name: 'Recipes' }) },
    )
    expect(words).to.equal('It can read and change “Recipes”.')
  })
})
