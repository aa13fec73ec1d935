import { parsePage, type ReceivedMail, textOf } from '@svc/testkit'
import { expect } from 'chai'
import { lineEnds, openMailBench } from '../support/mail-bench.ts'
import { registerClient } from '../support/manage-client.ts'
import type { NotificationChanges } from '../support/sample-notification.ts'

const ORIGIN = 'https://alice.example.com'
const TITLE = 'Confirm the passphrase of alice.example.com'
const FORGED =
  '<html><head><style>table{display:none}</style></head><body><h1>Your space</h1><p><a href="https://evil.example/confirm">Confirm</a> <a href="https://client.example/x">Ours</a> <a href="https://home.example/">Home</a></p></body></html>'

// D98
describe('the frame of a mail that a client posted', () => {
  /** Mails a client's notification, as the engine does. */
  async function mailOf(changes: NotificationChanges): Promise<ReceivedMail> {
    const { alice, mail, oauth } = await openMailBench()
    const clientId = await registerClient(oauth, alice, {
      client_name: 'alice.example.com',
      client_uri: 'https://home.example/about',
      redirect_uris: ['https://client.example/callback', 'http://127.0.0.1/callback'],
    })
    const posted = { originator: 'oauth', owner: clientId, clientId, slug: undefined } as const
    return mail({ ...posted, title: TITLE, ...changes })
  }

  const bodies: readonly (readonly [what: string, changes: object])[] = [
    ['content_html', { contentHtml: FORGED }],
    ['content', { content: 'Confirm at https://evil.example/confirm' }],
    ['content beside content_html', { contentHtml: FORGED, content: 'Confirm' }],
    ['a message', { message: 'Confirm' }],
    ['nothing but its title', {}],
  ]
  for (const [what, changes] of bodies) {
    it(`says which app it is from, above all of ${what}`, async () => {
      const mail = await mailOf(changes)
      expect(mail.from?.name).to.match(
        /^App “alice\.\u2060example\.\u2060com” · alice\.example\.com$/,
      )
      const page = parsePage(mail.html ?? '', ORIGIN)
      const shown = textOf(page.elements('body')).replaceAll('\u2060', '')
      for (const text of [shown, lineEnds(mail.text).replaceAll('\u2060', '')]) {
        const at = text.indexOf('“alice.example.com”, an app in your space alice.example.com')
        expect(at).to.be.greaterThan(0)
        // Beside what is hidden for lists of mails.
        expect(text.lastIndexOf('Confirm')).to.be.greaterThan(at)
      }
    })
  }

  it('shows the host of links that lead elsewhere than to the client', async () => {
    const { html = '' } = await mailOf({ contentHtml: FORGED })
    expect(html).to.match(/>Confirm<\/a> <span [^>]*>\(evil\.example\)<\/span>/)
    expect(html).to.match(/>Ours<\/a> <a href="https:\/\/home\.example\/">Home<\/a><\/p>/)
  })
})

describe('the frame of a mail that an app posted', () => {
  it('leaves links to the app alone, and shows the hosts of others', async () => {
    const bench = await openMailBench()
    const link = (host: string): string => `<a href="https://${host}/">x</a>`
    const contentHtml = `${link('bank.alice.example.com')}${link('alice.example.com')}`
    const { html } = await bench.mail({ contentHtml })
    expect(html).to.match(
      /bank\.alice\.example\.com\/">x<\/a><a [^>]*>x<\/a> <span [^>]*>\(alice\./,
    )
  })

  it('stands around the plain text when the mark-up takes too much', async () => {
    const bench = await openMailBench()
    const contentHtml = '<a href=http:e>x'.repeat(18_000)
    const mail = await bench.mail({ contentHtml, content: 'In words' })
    expect(mail.html).to.include('>In words</p>').and.to.include('an app in your space')
    expect(mail.text).to.include('In words')
    expect(bench.logged.join()).to.include('notification.text_failed')
  })
})
