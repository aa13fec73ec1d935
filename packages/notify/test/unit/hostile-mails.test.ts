import { expect } from 'chai'
import type { SystemMail } from '../../src/mail/system-mails.ts'
import { createTemplates, type RenderedMail } from '../../src/mail/templates.ts'
import { sampleInstance } from '../sample-instance.ts'
import { expectHarmless, HOSTILE } from '../support/mail-words.ts'

const url = 'https://alice.example.com/auth/login'
const time = Date.UTC(2026, 1, 3, 4, 5, 6)
const templates = createTemplates()

/** Every place of a mail that strangers or owners write to. */
const PLACES: readonly (readonly [where: string, write: (text: string) => RenderedMail])[] = [
  ['the name of the owner', (text) => render(hintMail('parrot'), text)],
  ['the reminder', (text) => render(hintMail(text))],
  [
    'the browser and the place',
    (text) =>
      render({
        template: 'new_connection',
        variables: { url, time, address: text, browser: text, os: text, place: text },
      }),
  ],
  [
    'the name of an app',
    (text) =>
      render({
        template: 'oauth_clients_limit',
        variables: { url, clientName: text, limit: 3 },
      }),
  ],
  [
    'a code',
    (text) =>
      render({
        template: 'confirm_flagship',
        variables: { code: text, minutes: 5, time, address: '203.0.113.7' },
      }),
  ],
]

describe('hostile words in mails', () => {
  for (const [where, write] of PLACES) {
    for (const [what, hostile] of HOSTILE) {
      it(`take ${what} as ${where}`, () => {
        const [plain, mail] = [write('plain'), write(hostile)]
        expectHarmless(mail, plain)
        const { subject, text, html } = mail
        expect(subject).to.equal(plain.subject)
        for (const content of [text, html]) {
          expect(content).to.not.match(/[\t\u200e\u200f\u061c\u202a-\u202e\u2066\u2067]/)
        }
        expect(Buffer.byteLength(html)).to.be.lessThan(16_000)
      })
    }
  }

  const unlinked = PLACES.filter(([where]) => !/reminder|code/.test(where))
  for (const [where, write] of unlinked) {
    it(`leave nothing of ${where} that a mail program makes a link of`, () => {
      const linkable = /(?:evil\.test|eve@evil|https?:\/\/evil)/
      const hostile = 'see https://evil.test/now, evil.test/now or eve@evil.test'
      for (const content of [write(hostile).text, write(hostile).html]) {
        expect(content).to.not.match(linkable)
        expect(content.replaceAll('\u2060', '')).to.match(linkable)
      }
    })
  }

  it('keep names apart from the sentence when they are written from right to left', () => {
    expect(render(hintMail('x'), 'עברית').text).to.include('Hello \u2068עברית\u2069,')
    expect(render(hintMail('x'), 'Alice').text).to.include('Hello Alice,')
  })

  it('show every line of a reminder, indented, so that none passes for ours', () => {
    const { text, html } = render(
      hintMail(' first\r\n\r\n-- \nhttps://alice.example.com/\u2028last '),
    )
    expect(text).to.include('\n    first\n    --\n    https://alice.example.com/\n    last\n')
    for (const line of ['first', '--', 'last']) {
      expect(html).to.include(`<p dir="auto" style="margin:0;">${line}</p>`)
    }
  })

  it('cut a reminder that is too long, and say so', () => {
    const { text } = render(hintMail('ab '.repeat(4000)))
    expect(text.match(/ab/g)?.length).to.equal(341)
    expect(text).to.include('\n    …\n')
  })
})

function hintMail(hint: string): SystemMail {
  return { template: 'passphrase_hint', variables: { url, hint } }
}

function render(mail: SystemMail, publicName = 'Alice'): RenderedMail {
  return templates.render(sampleInstance({ publicName }), mail)
}
