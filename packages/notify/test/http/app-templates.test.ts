import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Json, parseExact } from '@svc/store'
import { parsePage } from '@svc/testkit'
import { expect } from 'chai'
import type { NotifyApps } from '../../src/ports.ts'
import { renderText } from '../../src/render/content.ts'
import { headerOf, lineEnds, type MailBench, openMailBench } from '../support/mail-bench.ts'
import { sampleNotification } from '../support/sample-notification.ts'

const ORIGIN = 'https://alice.example.com'

/** The flags of a category with these templates, each of the file of its name. */
function withTemplates(...keys: readonly string[]) {
  return { flags: { templates: Object.fromEntries(keys.map((key) => [key, `file:./${key}.tpl`])) } }
}

describe('templates of apps in notifications (10.3)', () => {
  let bench: MailBench

  beforeEach(async () => {
    bench = await openMailBench()
  })

  function write(files: Readonly<Record<string, string | Uint8Array>>): void {
    for (const [name, content] of Object.entries(files)) bench.files.set(`bank/${name}`, content)
  }

  it('are a whole mail when they have <html>, and the text is derived', async () => {
    write({
      'mail.tpl':
        '<!doctype html><HTML lang="en"><body><p>{{ account }}: {{ left }} €</p></body></HTML>',
    })
    const data = { account: 'Daily <i>', left: 84.2 }
    const mail = await bench.mail({ ...withTemplates('mail'), data })
    expect(mail.html).to.include('><p>Daily &lt;i&gt;: 84.2 €</p></td>')
    expect(parsePage(mail.html ?? '', ORIGIN).elements('h1')).to.have.lengthOf(0)
    expect(lineEnds(mail.text)).to.include(
      'an app in your space alice.example.com.\n\nDaily <i>: 84.2 €\n\n-- \n',
    )
    expect(mail.subject).to.equal('Your balance is low')
  })

  it('show integers beyond 2^53 with their digits (D97)', async () => {
    write({ 'mail.tpl': '<html>{{ user_id }}, {{ deep[0].id }}</html>' })
    const data = parseExact('{"user_id":17841405822304915,"deep":[{"id":17841405822304917}]}')
    const mail = await bench.mail({ ...withTemplates('mail'), data: data as Record<string, Json> })
    expect(lineEnds(mail.text)).to.include('\n\n17841405822304915, 17841405822304917\n\n-- \n')
  })

  it('are put into the layout when they have none', async () => {
    write({ 'mail.tpl': '<p><b>{{ account }}</b> is low</p>' })
    const data = { account: 'A & B', redirectLink: 'drive/#/x' }
    const { html = '', text } = await bench.mail({ ...withTemplates('mail'), data })
    expect(html).to.include('<p><b>A &amp; B</b> is low</p>')
    const page = parsePage(html, ORIGIN)
    expect(page.elements('h1')).to.have.lengthOf(1)
    expect(page.links.map((link) => link.text)).to.deep.equal(['Open Drive'])
    expect(lineEnds(text)).to.match(
      /an app in your space alice\.example\.com\.\n\nYour balance is low\n\nA & B is low\n\nOpen Drive\n/,
    )
  })

  it('have their own text where they declare one', async () => {
    write({ 'mail.tpl': '<p>{{ name }}</p>', 'mail.text.tpl': 'Only in words: {{ name }}\n' })
    const mail = await bench.mail({ ...withTemplates('mail', 'mail.text'), data: { name: '<n>' } })
    expect(mail.text).to.include('Only in words: <n>')
    expect(mail.html).to.include('<p>&lt;n&gt;</p>').and.to.not.include('<p>Only')
  })

  it('take the locale of the owner first', async () => {
    write({ 'mail.tpl': '<html>bare</html>', 'mail.fr.tpl': '<html>français</html>' })
    const changes = withTemplates('mail', 'mail.fr')
    const french = await bench.mail(changes, bench.instance({ locale: 'fr-BE' }))
    expect(lineEnds(french.text)).to.include('\n\nfrançais\n\n')
    expect(headerOf(french, 'content-language')).to.equal('fr')
    expect(lineEnds((await bench.mail(changes)).text)).to.include('\n\nbare\n\n')
  })

  it('give way to what the request brought', async () => {
    write({ 'mail.tpl': '<html>template</html>' })
    const mail = await bench.mail({ ...withTemplates('mail'), content: 'given' })
    expect(lineEnds(mail.text)).to.include('\n\ngiven\n\n')
    expect(bench.read).to.deep.equal([])
  })

  it('see data at the top, and our names before its own', async () => {
    const shown = {
      count: '3',
      'notification.title': 'Your balance is low',
      'notification.message': 'See',
      'notification.category': 'balance',
      'notification.category_id': 'daily',
      'notification.state': 'low',
      'notification.priority': 'high',
      'notification.created_at': '2026-02-03T04:05:06.000Z',
      'app.slug': 'bank',
      'app.name': 'Bank',
      'instance.domain': 'alice.example.com',
      'instance.url': ORIGIN,
      'instance.public_name': 'Alice',
      'instance.locale': 'en',
    }
    const names = Object.keys(shown)
    write({ 'sms.tpl': names.map((name) => `{{ ${name} }}`).join('|') })
    const record = sampleNotification({
      ...withTemplates('sms'),
      createdAt: Date.UTC(2026, 1, 3, 4, 5, 6),
      message: 'See',
      categoryId: 'daily',
      state: 'low',
      priority: 'high',
      data: { count: 3, notification: 'forged', app: { name: 'forged' }, instance: null },
    })
    const { body } = await renderText(bench.services, 'sms', bench.alice, record)
    expect(body.split('|')).to.deep.equal(Object.values(shown))
  })

  it('write texts and pushes with their blanks collapsed, unescaped', async () => {
    write({
      'sms.tpl': '\n  {{ a }}   low  \n',
      'mobile.tpl': '{{ a }}\n\n {{ notification.title }} ',
    })
    const record = sampleNotification({
      ...withTemplates('sms', 'mobile'),
      data: { a: '<b> & "c"' },
    })
    expect((await renderText(bench.services, 'sms', bench.alice, record)).body).to.equal(
      '<b> & "c" low',
    )
    expect(await renderText(bench.services, 'mobile', bench.alice, record)).to.deep.equal({
      title: 'Your balance is low',
      body: '<b> & "c"\n\nYour balance is low',
      warnings: [],
    })
  })

  it('leave pushes and texts their message without them, titles on one line', async () => {
    const record = sampleNotification({ title: 'a\nb\u2028c', message: 'x\r\ny\u0000\tz' })
    expect(await renderText(bench.services, 'mobile', bench.alice, record)).to.deep.equal({
      title: 'a b c',
      body: 'x\ny\tz',
      warnings: [],
    })
    const { message: _, ...silent } = record
    expect((await renderText(bench.services, 'mobile', bench.alice, silent)).body).to.equal('')
    expect((await renderText(bench.services, 'sms', bench.alice, silent)).body).to.equal('')
  })

  const faults: readonly (readonly [what: string, template: string | Uint8Array | undefined])[] = [
    ['a missing file', undefined],
    ['a file over 256 KiB', 'x'.repeat(262_145)],
    ['a file that is not UTF-8', Uint8Array.of(0x61, 0xff, 0xfe)],
    ['a tag that is not closed', '{% if a %}'],
    ['a filter that does not exist', '{{ a | shout }}'],
    ['a file to include', '{% include "other.tpl" %}'],
    ['more work than it may take', '{% for i in (1..99999999) %}x{% endfor %}'],
    ['more output than it may have', `{% for i in (1..1000) %}${'x'.repeat(1000)}{% endfor %}`],
    ['empty output', '{% if nothing %}x{% endif %}\n  '],
  ]
  for (const [what, template] of faults) {
    it(`fall back to the default content on ${what}, with a warning`, async () => {
      if (template !== undefined) write({ 'mail.tpl': template, 'sms.tpl': template })
      const changes = { ...withTemplates('mail', 'sms'), message: 'The message' }
      const outcome = await bench.attempt(changes)
      expect(outcome).to.deep.include({ class: 'sent', warnings: ['template_error'] })
      const mail = await bench.mailbox.waitForMail()
      expect(lineEnds(mail.text)).to.match(
        /an app in your space alice\.example\.com\.\n\nYour balance is low\n\nThe message\n/,
      )
      const text = await renderText(bench.services, 'sms', bench.alice, sampleNotification(changes))
      expect(text).to.deep.include({ body: 'The message', warnings: ['template_error'] })
      expect(
        bench.lines.filter((line) => line.startsWith('warn notification.template_failed')),
      ).to.have.lengthOf(2)
    })
  }

  it('warn of a text form that fails, and derive it', async () => {
    write({ 'mail.tpl': '<p>words</p>', 'mail.text.tpl': '{{ a | raw }}' })
    const outcome = await bench.attempt(withTemplates('mail', 'mail.text'))
    expect(outcome).to.deep.include({ class: 'sent', warnings: ['template_error'] })
    expect((await bench.mailbox.waitForMail()).text).to.include('\nwords\n')
  })

  for (const reference of [
    'file:/etc/passwd',
    'file:../drive/x.tpl',
    'file:a/../../x',
    'http://x/',
  ]) {
    it(`are not looked for outside of the app’s folder: ${reference}`, async () => {
      const outcome = await bench.attempt({ flags: { templates: { mail: reference } } })
      expect(outcome.warnings).to.deep.equal(['template_error'])
      expect(bench.read).to.deep.equal([])
    })
  }

  it('are those of the app as it is installed now', async () => {
    write({ 'mail.tpl': '<html>one</html>' })
    expect(lineEnds((await bench.mail(withTemplates('mail'))).text)).to.include('\n\none\n\n')
    write({ 'mail.tpl': '<html>two</html>' })
    expect(lineEnds((await bench.mail(withTemplates('mail'))).text)).to.include('\n\ntwo\n\n')
    bench.installed.delete('bank')
    expect((await bench.attempt(withTemplates('mail'))).warnings).to.deep.equal(['template_error'])
  })

  it('are none of a host that has no folders of apps', async () => {
    const other = await openMailBench({ apps: { readFile: undefined as never } })
    expect((await other.attempt(withTemplates('mail'))).warnings).to.equal(undefined)
  })

  it('never hold up the server, whatever they do', async () => {
    write({
      'mail.tpl': `{% assign l = (1..1000) %}${'{% for i in l %}'.repeat(3)}${'{% endfor %}'.repeat(3)}`,
    })
    let turns = 0
    let isOver = false
    const attempts = Promise.all([1, 2, 3].map(() => bench.attempt(withTemplates('mail')))).finally(
      () => {
        isOver = true
      },
    )
    while (!isOver) {
      await nextTurn()
      turns += 1
    }
    expect((await attempts).map(({ warnings }) => warnings)).to.deep.equal(
      Array(3).fill(['template_error']),
    )
    // Three times 200 ms: on this thread there would be a handful.
    expect(turns).to.be.greaterThan(100)
  })
})

const BILLS = { slug: 'bank', name: 'Bills', permissions: {} }
const POSTED = {
  originator: 'konnector',
  postedBy: 'io.svc.konnectors/bank',
  data: { sum: '<7>' },
  flags: { templates: { mail: 'file:./mail.tpl' } },
} as const

describe('templates of konnectors in notifications (4.2, 10.3)', () => {
  let bench: MailBench
  const start = async (apps: NotifyApps): Promise<void> => {
    bench = await openMailBench({ apps: { konnector: async () => BILLS, ...apps } })
    // An app of the same name has other files.
    bench.files.set('bank/mail.tpl', '<html>of the app</html>')
  }

  it('are read from its own folder, never from that of an app of its name', async () => {
    const asked: string[] = []
    await start({
      async readKonnectorFile({ slug }, path) {
        asked.push(`${slug} ${path}`)
        return new TextEncoder().encode('<html>{{ app.name }}: {{ sum }}</html>')
      },
    })
    const mail = await bench.mail(POSTED)
    expect(mail.html).to.include('>Bills: &lt;7&gt;</td>')
    expect(asked).to.deep.equal(['bank mail.tpl'])
    expect(bench.read).to.deep.equal([])
  })

  it('are none, without a warning, of a host that has no folders of konnectors', async () => {
    await start({})
    const outcome = await bench.attempt(POSTED)
    expect(outcome).to.include({ class: 'sent' }).and.to.not.have.property('warnings')
    expect(bench.mailbox.mails[0]?.html).to.not.include('of the app')
    expect(bench.read).to.deep.equal([])
  })

  it('that are missing warn, as those of apps', async () => {
    await start({ readKonnectorFile: async () => undefined })
    expect((await bench.attempt(POSTED)).warnings).to.deep.equal(['template_error'])
  })
})
