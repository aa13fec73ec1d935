import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseScope } from '@svc/oauth-core'
import { frenchFaults } from '@svc/testkit'
import { expect } from 'chai'
import { consentSentence } from '../../../src/consent/sentence.ts'
import { createMessages } from '../../../src/messages.ts'
import { generatedScopes } from './generated-scopes.ts'

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
      for (const other of others) expect(other.length, other).to.be.at.most(200)
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

  const WORST: readonly (readonly [RegExp, RegExp])[] = [
    [/(?:^| )[a-z._*]+(?:$| |:[A-Z,]*DELETE)/u, /delete/u],
    [/PUT|PATCH/u, /change|delete/u],
    [/POST/u, /add|change|delete/u],
  ]
  it('names the worst right that is asked', () => {
    for (const { scope, sentences } of said) {
      const worst = WORST.find(([asked]) => asked.test(scope))
      expect(sentences[0], scope).to.match(worst?.[1] ?? /look|read/u)
    }
  })

  const CASES: readonly (readonly [scope: string, english: string])[] = [
    [
      'io.svc.files io.svc.photos.albums:GET,PUT io.svc.contacts:GET io.svc.bank.*:GET',
      'It could read, change and delete your files; read and change your photo albums; only read your contacts and your bank data.',
    ],
    ['io.svc.contacts:GET', 'It could only look: your contacts. It could not change anything.'],
    [
      'io.svc.contacts:GET:a,b',
      'It could only look: some of your contacts. It could not change anything.',
    ],
    ['io.svc.files:POST', 'It could add to your files.'],
    [
      'io.svc.files:DELETE io.svc.notes:GET',
      'It could delete your files and only read your notes.',
    ],
    ['*', 'It could do everything you can, except change how you log in.'],
    [
      'com.example.a:GET,PUT com.example.b:GET,PUT',
      'It could read and change 2 kinds of data without a name here.',
    ],
    [
      'io.svc.geojson:GET,PUT io.svc.timeseries.geojson:GET,PUT',
      'It could read and change your trips and places.',
    ],
    [
      'io.svc.files:GET io.svc.files:GET:a',
      'It could only look: your files. It could not change anything.',
    ],
    [
      'io.svc.files:GET io.svc.files:DELETE:a',
      'It could delete some of your files and only read your files.',
    ],
  ]
  for (const [scope, english] of CASES) {
    it(`says ${scope}`, () => expect(say('en', scope)).to.equal(english))
  }

  it('says what is new of a known client, and when nothing is', () => {
    const asked = parseScope('io.svc.contacts:GET') ?? []
    const options = {
      namespace: 'io.svc',
      messages: messages.forLocale('en'),
      findText: () => undefined,
    }
    const known = { isKnown: true, allowedOn: '2 November 2026' }
    expect(consentSentence({ ...known, permissions: asked }, options)).to.equal(
      'New: it could also read your contacts.',
    )
    expect(consentSentence({ ...known, permissions: [] }, options)).to.equal(
      'Nothing new: it keeps what you allowed on 2 November 2026.',
    )
  })

  it('takes the name that the host gives a kind', () => {
    const options = { namespace: 'io.svc', messages: messages.forLocale('en') }
    const words = consentSentence(
      { permissions: parseScope('com.example.recipes:GET,PUT') ?? [], isKnown: false },
      { ...options, findText: () => ({ name: 'Recipes' }) },
    )
    expect(words).to.equal('It could read and change “Recipes”.')
  })
})
