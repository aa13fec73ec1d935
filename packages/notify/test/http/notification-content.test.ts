import { MINUTE_MS } from '@svc/platform'
import { parsePage } from '@svc/testkit'
import { expect } from 'chai'
import { renderDigest } from '../../src/engine/digests.ts'
import { posterOf } from '../../src/render/poster.ts'
import { registerClient } from '../support/manage-client.ts'
import { sampleNotification } from '../support/sample-notification.ts'
import { headerOf, lineEnds, type MailBench, openMailBench } from '../support/mail-bench.ts'

const ORIGIN = 'https://alice.example.com'

describe('what mails of notifications say (10, 10.2)', () => {
  let bench: MailBench

  beforeEach(async () => {
    bench = await openMailBench()
    bench.links = { settings: 'https://settings.alice.example.com/#/notifications' }
  })

  it('is title and message in the default layout, with the name of the app', async () => {
    const {
      html = '',
      text,
      raw,
    } = await bench.mail({
      title: 'Low <balance>',
      message: 'Line one\nline <two>\n\nSecond & last',
    })
    expect(Buffer.byteLength(raw)).to.be.lessThan(20_000)
    const page = parsePage(html, ORIGIN)
    expect(page.elements('h1').length).to.equal(1)
    expect(html).to.include('Low &lt;balance&gt;</h1>')
    expect(html).to.match(/Line one<br ?\/?>\nline &lt;two&gt;<\/p>/)
    expect(html).to.include('>Second &amp; last</p>')
    expect(html).to.include('>Alice</strong>')
    expect(page.text).to.include('“Bank”, an app in your space alice.example.com')
    expect(page.text.indexOf('an app in your space')).to.be.lessThan(page.text.indexOf('Low'))
    expect(lineEnds(text)).to.equal(
      [
        'Alice · alice.example.com\n',
        'Sent by “Bank”, an app in your space alice.example.com.\n',
        'Low <balance>\n\nLine one\nline <two>\n\nSecond & last\n\n-- ',
        'Sent by your space alice.example.com. Replies to this address are not read.',
        'Notification settings: https://settings.alice.example.com/#/notifications',
      ].join('\n'),
    )
  })

  it('is the title alone when there is no message', async () => {
    const { text } = await bench.mail({ title: 'Only this' })
    expect(lineEnds(text)).to.match(
      /an app in your space alice\.example\.com\.\n\nOnly this\n\n-- \n/,
    )
  })

  it('has one button, to an installed app of the instance', async () => {
    const data = { redirectLink: 'drive/#/folder/1?a=b&c' }
    const { html = '', text } = await bench.mail({ data })
    const [button] = parsePage(html, ORIGIN).links
    expect(button).to.deep.include({
      href: 'https://drive.alice.example.com/#/folder/1?a=b&c',
      text: 'Open Drive',
    })
    expect(text).to.include('Open Drive\nhttps://drive.alice.example.com/#/folder/1?a=b&c\n')
  })

  const noLinks: readonly (readonly [what: string, redirectLink: unknown])[] = [
    ['an app that is not installed', 'photos/#/x'],
    ['another site', 'https://evil.example/'],
    ['a host by slashes', '//evil.example/#/'],
    ['a host by user', 'drive@evil.example/#/'],
    ['a script', 'javascript:alert(1)'],
    ['a plain scheme', 'http://drive.alice.example.com/'],
    ['a host after the slug', 'drive.evil.example/#/'],
    ['a port after the slug', 'drive:8080/#/'],
    ['backslashes', 'drive\\@evil.example/#/'],
    ['a line end', 'drive/#/x\r\nhttps://evil.example/'],
    ['a number', 42],
    ['a list', ['drive/#/']],
    ['too long a text', `drive/#/${'x'.repeat(3000)}`],
    ['nothing', ''],
  ]
  for (const [what, redirectLink] of noLinks) {
    it(`has no button for ${what}`, async () => {
      const mail = await bench.mail({ data: { redirectLink } as never })
      const hrefs = parsePage(mail.html ?? '', ORIGIN).links.map(({ href }) => href)
      expect(hrefs).to.deep.equal(['https://settings.alice.example.com/#/notifications'])
      expect(mail.raw).to.not.match(/evil|8080|photos/)
    })
  }

  it('has the button that the host makes of the link, never one that leads elsewhere', async () => {
    const answers = ['https://drive.alice.example.com/open?x=1', 'https://evil.example/', undefined]
    const other = await openMailBench({ apps: { linkTo: async () => answers.shift() } })
    const found = []
    for (let left = answers.length; left > 0; left -= 1) {
      const { html = '' } = await other.mail({ data: { redirectLink: 'drive/#/x' } })
      found.push(parsePage(html, ORIGIN).links.map(({ href }) => href))
    }
    expect(found).to.deep.equal([['https://drive.alice.example.com/open?x=1'], [], []])
  })

  it('is content_html in the frame, and content beside it', async () => {
    const contentHtml =
      '<!doctype html>\n<html><head><style>p{color:red}</style></head><body><p style="color:red">Hello {{ x }} &amp; <b>you</b></p></body></html>'
    const mail = await bench.mail({
      title: 'Low',
      content: 'Hello you,\n\nbye',
      contentHtml,
      message: 'not this',
    })
    expect(mail.html).to.match(
      />\s*<p style="color:red">Hello {{ x }} &amp; <b>you<\/b><\/p><\/td>/,
    )
    const { text } = parsePage(mail.html ?? '', ORIGIN)
    const order = ['alice.example.com', '“Bank”, an app in your space', 'Hello {{ x }} & you']
    const places = order.map((words) => text.indexOf(words))
    expect(places).to.not.include(-1)
    expect(places).to.deep.equal([...places].sort((one, other) => one - other))
    expect(lineEnds(mail.text)).to.match(
      /^Alice · alice\.example\.com\n\nSent by “Bank”, an app in .*\n\nHello you,\n\nbye\n\n-- \n/,
    )
    expect(`${text}${mail.text}`).to.not.include('not this')
    expect(headerOf(mail, 'content-language')).to.equal('en')
  })

  it('has the words of content_html when that is given alone', async () => {
    const contentHtml =
      '<html><body><h1>Low</h1><p>See <a href="https://a.example/">here</a></p></body></html>'
    const mail = await bench.mail({ contentHtml })
    expect(lineEnds(mail.text)).to.include('\n\nLow\n\nSee here [https://a.example/]\n\n')
    expect(mail.html).to.match(/here<\/a> <span [^>]*>\(a\.example\)<\/span><\/p>/)
  })

  it('has title and message when content_html has no words', async () => {
    const mail = await bench.mail({
      title: 'Low',
      message: 'See',
      contentHtml: '<html><img></html>',
    })
    expect(lineEnds(mail.text)).to.include('\n\nLow\n\nSee\n\n')
    expect(mail.html).to.include('>Low</h1>').and.to.include('>See</p>')
  })

  it('is content as the text, and in the layout, when that is given alone', async () => {
    const content = 'Hello <you>,\n\nsee you'
    const mail = await bench.mail({ title: 'Low', content, message: 'not this' })
    expect(lineEnds(mail.text)).to.include(`\n\nLow\n\n${content}\n\n-- \n`)
    expect(mail.html).to.include('Hello &lt;you&gt;,</p>').and.to.include('>Low</h1>')
    expect(mail.html).to.not.include('not this')
  })

  it('takes content of 100 000 and content_html of 300 000 characters', async () => {
    const content = 'Łódź '.repeat(20_000).trim()
    const paragraphs = '<p>ą</p>'.repeat(37_000)
    const contentHtml = `<html><body>${paragraphs}</body></html>`
    const mail = await bench.mail({ content, contentHtml })
    expect(lineEnds(mail.text).includes(content)).to.equal(true)
    expect(lineEnds(mail.html).includes(paragraphs)).to.equal(true)
    const derived = await bench.mail({ contentHtml })
    expect(lineEnds(derived.text).split('\n\ną')).to.have.lengthOf(37_001)
  })

  it('names konnectors and clients by their name, and this server by its domain', async () => {
    const konnector = await openMailBench({
      apps: { konnector: async (_, slug) => ({ slug, name: 'Electricity', permissions: {} }) },
    })
    const changes = { originator: 'konnector', owner: 'bills', slug: 'bills' } as const
    const mail = await konnector.mail(changes)
    expect(mail.text).to.include('\nSent by “Electricity”, an app in your space')
    expect(mail.from?.name).to.equal('App “Electricity” · alice.example.com')
    const cli = await bench.mail({ originator: 'cli', owner: '', slug: undefined })
    expect(cli.text).to.include('\nSent by your space alice.example.com.')
    bench.installed.delete('bank')
    expect((await bench.mail()).text).to.include('\nSent by “bank”, an app in your space')
  })

  it('names a client of its own declaration as it registered', async () => {
    const { alice, oauth } = bench
    const id = await registerClient(oauth, alice, { client_name: 'Notes' })
    const record = sampleNotification({ originator: 'oauth', slug: undefined, clientId: id })
    expect(await posterOf(oauth, {}, alice, record)).to.deep.equal({ name: 'Notes' })
    // What a client wrote never passes for this server's own words.
    const gone = { ...record, clientId: 'gone' }
    expect(await posterOf(oauth, {}, alice, gone)).to.deep.equal({ name: 'gone' })
  })

  it('is the system mail for the categories of this server (4.3)', async () => {
    const stack = { originator: 'stack', owner: '', slug: 'settings' } as const
    const limit = await bench.mail({
      ...stack,
      category: 'oauth-clients',
      data: {
        ClientName: 'Phone',
        ClientsLimit: 3,
        OffersLink: 'https://offers.example/',
        DevicesLink: 'https://settings.alice.example.com/#/clients?x=1',
      },
    })
    expect(limit.subject).to.equal('Too many apps are connected to alice.example.com')
    expect(limit.text).to.include('“Phone”').and.to.include('3 connected apps')
    expect(limit.text).to.include('https://settings.alice.example.com/#/clients?x=1')
    expect(limit.raw).to.not.include('offers.example')
    expect(limit.text).to.include('Notification settings: ')
    const quota = await bench.mail({
      ...stack,
      category: 'disk-quota',
      data: { DriveLink: 'https://evil.example/', appName: '' },
    })
    expect(quota.subject).to.equal('alice.example.com is nearly full')
    expect(quota.text).to.include('https://settings.alice.example.com/#/storage')
    expect(quota.raw).to.not.include('evil.example')
  })

  it('lists several in a digest, each with who tells it (23.9)', async () => {
    const records = [
      sampleNotification({ title: 'Low', message: 'See\nbelow' }),
      sampleNotification({ originator: 'stack', slug: 'settings', title: 'Nearly full' }),
      sampleNotification({ slug: 'gone', owner: 'gone', title: 'Late' }),
    ].map((record, minute) => ({ ...record, createdAt: record.createdAt + minute * MINUTE_MS }))
    const settings = 'https://settings.alice.example.com/#/notifications'
    const { subject, text, locale } = await renderDigest(bench.services, bench.alice, records, {
      settings,
    })
    expect(subject).to.equal('Your notifications from alice.example.com')
    expect(locale).to.equal('en')
    // The newest first.
    const order = [
      [
        '3 notifications for you',
        '\nApp “gone”\n',
        'Late\n',
        '\nalice.example.com\n',
        'Nearly full\n',
      ],
      ['\nApp “Bank”\n', 'Low\n', 'See below\n', settings],
    ].flat()
    const places = order.map((words) => text.indexOf(words))
    expect(places).to.not.include(-1)
    expect(places).to.deep.equal([...places].sort((one, other) => one - other))
  })

  it('is that of its app, not the system mail, for an app’s category of the same name', async () => {
    const mail = await bench.mail({ category: 'disk-quota', title: 'Mine' })
    expect(mail.subject).to.equal('Mine')
  })
})
