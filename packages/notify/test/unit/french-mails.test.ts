import { frenchFaults } from '@svc/testkit'
import { expect } from 'chai'
import type { AppMail } from '../../src/mail/app-mails.ts'
import { sampleMails } from '../../src/mail/sample-mails.ts'
import type { SystemMail } from '../../src/mail/system-mails.ts'
import { createTemplates } from '../../src/mail/templates.ts'
import { sampleInstance } from '../sample-instance.ts'

const TIME = Date.UTC(2026, 1, 3, 4, 5, 6)
const FRENCH = sampleInstance({ locale: 'fr', publicName: 'Hélène' })
const LINKS = {
  settings: 'https://settings.alice.example.com/?section=notifications',
  unsubscribe: `${FRENCH.origin}/notifications/unsubscribe?t=0123456789abcdef`,
}
const ITEM = { sender: 'Banque', title: 'Solde bas', message: 'Il reste 84 €.', time: TIME }
const APP_MAILS: readonly (readonly [string, AppMail])[] = [
  ['notification', { template: 'notification', variables: { ...ITEM, links: LINKS } }],
  ['digest', { template: 'digest', variables: { items: [ITEM, ITEM], links: LINKS } }],
]
const MAILS: ReadonlyMap<string, SystemMail | AppMail> = new Map<string, SystemMail | AppMail>([
  ...sampleMails(FRENCH, TIME),
  ...APP_MAILS,
])

/** What is read of a mail, with its spaces as they are. */
function wordsOf(html: string): string {
  return html.slice(html.indexOf('<body')).replaceAll(/<[^>]*>/g, '\n')
}

describe('mails in French', () => {
  const templates = createTemplates({ takesReplies: ({ context }) => context === 'read' })

  for (const [name, mail] of MAILS) {
    for (const context of ['read', 'unread']) {
      it(`${name} has the spaces of French typography as text and as HTML, ${context} or not`, () => {
        const instance = { ...FRENCH, context }
        const { html, subject, text } = templates.render(instance, mail, LINKS)
        expect(frenchFaults(subject)).to.deep.equal([])
        expect(frenchFaults(text)).to.deep.equal([])
        expect(frenchFaults(wordsOf(html))).to.deep.equal([])
        expect(text).to.include(`Réglages des notifications\u00a0: ${LINKS.settings}`)
      })
    }
  }
})
