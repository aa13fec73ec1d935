import { expect } from 'chai'
import { hasVerb, longSentences, wordFaults } from '../../src/words.ts'

describe('wordFaults', () => {
  const faulty: readonly [locale: string, text: string][] = [
    ['en', 'Sign in to your space.'],
    ['en', 'We mailed you a code.'],
    ['en', 'Codes by mail'],
    ['en', 'Stored as io.svc.notes.'],
    ['fr', 'Consultez vos mails'],
    ['fr', 'Code du mail'],
    ['fr', 'Ajouter une passkey'],
    ['fr', 'Garde ton code.'],
    ['de', 'Zu Ihrem Space'],
    ['de', 'Passphrase zeigen'],
    ['de', 'Merkhilfe (freiwillig)'],
    ['de', 'Wer Zugang hat'],
    ['de', 'Melde dich an.'],
    ['es', 'Recibir un enlace de acceso'],
    ['es', 'Revise su e-mail'],
    ['es', 'Escriba tu código'],
  ]
  for (const [locale, text] of faulty) {
    it(`finds one in "${text}"`, () => {
      expect(wordFaults(locale, text)).to.have.lengthOf(1)
    })
  }

  const right: readonly [locale: string, text: string][] = [
    ['en', 'Look for our email in your mailbox, then log in.'],
    ['fr', 'Votre espace envoie un e-mail en quatre étapes.'],
    ['de', 'Diese E-Mail zeigt Ihnen, wie Sie sich anmelden. Code anzeigen'],
    ['es', 'Su espacio tiene su correo.'],
  ]
  for (const [locale, text] of right) {
    it(`finds none in "${text}"`, () => {
      expect(wordFaults(locale, text)).to.deep.equal([])
    })
  }
})

describe('longSentences', () => {
  const twenty = Array.from({ length: 20 }, (_, at) => `w${at}`).join(' ')

  it('counts the words of each sentence by itself', () => {
    expect(longSentences(`${twenty}. ${twenty}.`)).to.deep.equal([])
  })

  it('finds a sentence of twenty-one words', () => {
    expect(longSentences(`Short. ${twenty} more.`)).to.deep.equal([`${twenty} more.`])
  })
})

describe('hasVerb', () => {
  const buttons: readonly [locale: string, text: string, has: boolean][] = [
    ['en', 'Don’t allow', true],
    ['en', 'Email me a login link', true],
    ['en', 'My link', false],
    ['fr', 'Ne pas autoriser', true],
    ['fr', 'M’envoyer le lien', true],
    ['fr', 'Déconnexion', false],
    ['de', 'Für 30 Tage zulassen', true],
    ['de', 'Zu Ihrem Bereich', false],
    ['es', 'Enviarme el enlace', true],
    ['es', 'Nuevo enlace', false],
  ]
  for (const [locale, text, has] of buttons) {
    it(`answers ${String(has)} for "${text}"`, () => {
      expect(hasVerb(locale, text)).to.equal(has)
    })
  }
})
