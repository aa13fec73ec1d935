import { sqliteStore } from '@svc/store/sqlite'
import { openMailbox, parsePage, type ReceivedMail, textOf } from '@svc/testkit'
import { expect } from 'chai'
import { createMailChannel } from '../../src/channels/mail-channel.ts'
import { smtpTransport } from '../../src/mail/smtp-transport.ts'
import { type IntakeServer, startIntake } from '../support/intake-server.ts'
import { lineEnds, openMailBench } from '../support/mail-bench.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { renderServices } from '../support/render-services.ts'
import { sampleNotification } from '../support/sample-notification.ts'

const ORIGIN = 'https://alice.example.com'
const TITLE = 'Confirm the passphrase of alice.example.com'
const FORGED =
  '<html><head><style>table{display:none}</style></head><body><h1>Your space</h1><p><a href="https://evil.example/confirm">Confirm</a> <a href="https://client.example/x">Ours</a> <a href="https://home.example/">Home</a></p></body></html>'

/** Mails a client's notification, as the engine does. */
async function mailOf(
  server: IntakeServer,
  clientId: string,
  changes: Parameters<typeof sampleNotification>[0],
): Promise<ReceivedMail> {
  const mailbox = await openMailbox()
  try {
    const { log } = recordedLog()
    const transport = smtpTransport({ host: '127.0.0.1', port: mailbox.port, disableTls: true })
    const services = renderServices(server.oauth, log)
    const channel = createMailChannel(
      { ...services, mailSender: { options: { transport } } },
      () => ({}),
    )
    const record = sampleNotification({
      originator: 'oauth',
      owner: clientId,
      slug: undefined,
      clientId,
      title: TITLE,
      ...changes,
    })
    const instance = { ...server.instance, email: 'alice@mail.example' }
    const { signal } = new AbortController()
    expect((await channel.attempt({ instance, record, signal })).class).to.equal('sent')
    return await mailbox.waitForMail()
  } finally {
    await mailbox.close()
  }
}

// D98
describe('the frame of a mail that a client posted', () => {
  let server: IntakeServer
  let clientId: string
  beforeEach(async () => {
    server = await startIntake({ store: async () => sqliteStore({ file: ':memory:' }) })
    const { id } = await server.client('io.svc.notifications:POST', {
      client_name: 'alice.example.com',
      client_uri: 'https://home.example/about',
      redirect_uris: ['https://client.example/callback', 'http://127.0.0.1/callback'],
    })
    clientId = id
  })

  const bodies: readonly (readonly [what: string, changes: object])[] = [
    ['content_html', { contentHtml: FORGED }],
    ['content', { content: 'Confirm at https://evil.example/confirm' }],
    ['content beside content_html', { contentHtml: FORGED, content: 'Confirm' }],
    ['a message', { message: 'Confirm' }],
    ['nothing but its title', {}],
  ]
  for (const [what, changes] of bodies) {
    it(`says which app it is from, above all of ${what}`, async () => {
      const mail = await mailOf(server, clientId, changes)
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
    const { html = '' } = await mailOf(server, clientId, { contentHtml: FORGED })
    expect(html).to.match(/>Confirm<\/a> <span [^>]*>\(evil\.example\)<\/span>/)
    expect(html).to.match(/>Ours<\/a> <a href="https:\/\/home\.example\/">Home<\/a><\/p>/)
  })
})

describe('the frame of a mail that an app posted', () => {
  it('cannot be left by cells without a table', async () => {
    const bench = await openMailBench()
    try {
      const contentHtml =
        '<td>one</td><tr><td>two</td></tr><table></table><td>three</td><table><div><table></table></div></table><td>four</td>'
      const { html = '' } = await bench.mail({ contentHtml })
      const page = parsePage(html, ORIGIN)
      const frames = page
        .elements('div')
        .filter(({ attrs }) => attrs.some(({ value }) => value.includes('overflow:hidden;border')))
      const inside = textOf(frames)
      for (const word of ['one', 'two', 'three', 'four']) expect(inside).to.include(word)
      expect(inside).to.not.include('an app in your space')
    } finally {
      await bench.close()
    }
  })

  it('leaves links to the app alone, and shows the hosts of others', async () => {
    const bench = await openMailBench()
    try {
      const link = (host: string): string => `<a href="https://${host}/">x</a>`
      const contentHtml = `${link('bank.alice.example.com')}${link('alice.example.com')}`
      const { html = '' } = await bench.mail({ contentHtml })
      expect(html).to.match(
        /bank\.alice\.example\.com\/">x<\/a><a href="https:\/\/alice\.example\.com\/">x<\/a> <span [^>]*>\(alice\.example\.com\)/,
      )
    } finally {
      await bench.close()
    }
  })

  it('stands around the plain text when the mark-up takes too much', async () => {
    const bench = await openMailBench()
    try {
      const contentHtml = '<a href=http:e>x'.repeat(18_000)
      const mail = await bench.mail({ contentHtml, content: 'In words' })
      expect(mail.html).to.include('>In words</p>').and.to.include('an app in your space')
      expect(mail.text).to.include('In words')
      expect(bench.logged.join()).to.include('notification.text_failed')
    } finally {
      await bench.close()
    }
  })
})
