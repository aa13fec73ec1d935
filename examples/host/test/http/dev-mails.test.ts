import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { suiteHost, testHost } from '../support/for-test.ts'

const DOMAIN = 'alice.localhost'

describe('/dev/mails', () => {
  const host = suiteHost({}, DOMAIN)
  let browser: BrowserClient
  before(async () => {
    browser = await host.browser(undefined, { anonymous: true })
  })

  it('shows the last mails of the instance to this machine', async () => {
    const list = await browser.get('/dev/mails')
    expect(list.status).to.equal(200)
    expect(list.headers['content-security-policy']).to.include("default-src 'none'")
    const [mail] = list.page().links
    const shown = await browser.get(mail?.href ?? '')
    expect(shown.page().links[0]?.href).to.include('/auth/passphrase?registerToken=')
    const html = await browser.get(`${mail?.href}/html`)
    expect(html.headers['content-security-policy']).to.include('sandbox')
    expect(html.text).to.include('Your space is ready')
    expect((await browser.get('/dev/mails/absent')).status).to.equal(404)
  })

  it('answers the last mails as JSON, newest first', async () => {
    const mail = { template: 'onboarding', variables: { url: host.instance.origin } } as const
    await host.host.app.notify.mailer.send(host.instance, mail)
    const answer = await browser.get('/dev/mails', { headers: { accept: 'application/json' } })
    expect(answer.status).to.equal(200)
    expect(answer.headers['content-type']).to.include('application/json')
    expect(answer.headers['cache-control']).to.equal('no-store')
    const [newest, oldest, ...others] = answer.json<readonly Record<string, string>[]>()
    expect(others).to.deep.equal([])
    expect(newest).to.have.all.keys('id', 'date', 'to', 'subject', 'text', 'html')
    expect(Date.parse(newest?.['date'] ?? '')).to.be.at.least(Date.parse(oldest?.['date'] ?? ''))
    expect(oldest?.['text']).to.include('/auth/passphrase?registerToken=')
  })

  it('shows every kind of mail in every language, sending none', async () => {
    const list = await browser.get('/dev/mails')
    const kinds = list.page().links.find(({ text }) => text === 'All kinds of mails')
    const { links } = (await browser.get(kinds?.href ?? '')).page()
    const previews = links.filter(({ href }) => href.includes('locale='))
    expect(previews.length).to.be.greaterThan(14 * 8)
    const german = await browser.get('/dev/mails/preview/two_factor.login?locale=de')
    expect(german.status).to.equal(200)
    expect(german.headers['content-security-policy']).to.include('sandbox')
    expect(german.text).to.include('<html lang="de"').and.include('482916')
    const text = await browser.get('/dev/mails/preview/magic_link?locale=fr&as=text')
    expect(text.page().text).to.include('Votre lien de connexion')
    expect(await host.host.app.mailbox?.list(host.instance)).to.have.lengthOf(2)
  })

  const unknown = ['newsletter', 'constructor', '__proto__', '%00', 'two_factor', 'a%2Fb']
  it('answers 404 to a preview of what is no mail', async () => {
    for (const name of unknown) {
      expect((await browser.get(`/dev/mails/preview/${name}`)).status, name).to.equal(404)
    }
  })

  it('keeps the last fifty', async () => {
    const mail = { template: 'onboarding', variables: { url: host.instance.origin } } as const
    for (let at = 0; at < 52; at++) await host.host.app.notify.mailer.send(host.instance, mail)
    expect(await host.host.app.mailbox?.list(host.instance)).to.have.lengthOf(50)
  })

  it('answers 404 when mails are sent', async () => {
    const sending = await testHost({ SVC_SMTP_URL: 'smtp://127.0.0.1:9' }, DOMAIN)
    const other = await sending.browser(undefined, { anonymous: true })
    expect((await other.get('/dev/mails')).status).to.equal(404)
    expect((await other.get('/dev/mails/preview/magic_link')).status).to.equal(404)
    expect((await sending.admin('GET', `/instances/${DOMAIN}/mails`)).status).to.equal(404)
  })
})
