import type { Instance } from '@svc/platform'
import { attributeOf, type BrowserClient, type RelyingParty, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { ALICE, createAlice, logIn, startUi, type UiServer } from '../support/ui-server.ts'

describe('the page that certifies an app (oauth.md 5.5)', () => {
  let server: UiServer
  let instance: Instance
  let browser: BrowserClient
  let party: RelyingParty
  const mailing = { fails: false }

  beforeEach(async () => {
    mailing.fails = false
    const mails: UiServer['mails'][number][] = []
    server = await startUi({
      ui: {
        mailer: {
          async send(_instance, mail) {
            if (mailing.fails) throw new Error('no mail today')
            mails.push(mail)
          },
        },
      },
    })
    server = { ...server, mails }
    ;({ instance } = await createAlice(server))
    browser = server.browser()
    await logIn(browser)
    party = relyingParty({ issuer: ALICE, port: server.port })
    await party.register({ client_name: 'Flagship' })
  })

  const codes = () => server.mails.filter(({ template }) => template === 'confirm_flagship')
  const formPath = (): string => `/auth/clients/${party.client.client_id}/flagship`
  const ask = async () => {
    const pending = await party.authorize({ scope: '*' })
    return { pending, answer: await browser.get(pending.url) }
  }

  it('mails a code, takes it, and asks for consent when it is loaded again', async () => {
    const { pending, answer } = await ask()
    expect(answer.status).to.equal(200)
    expect(answer.headers['cache-control']).to.equal('no-store')
    expect(answer.headers['cross-origin-opener-policy']).to.equal('unsafe-none')
    const [mail] = codes()
    if (mail?.template !== 'confirm_flagship') throw new Error('no mail')
    const { code, minutes, ...facts } = mail.variables
    expect(code).to.match(/^[0-9]{6}$/)
    expect(minutes).to.equal(5)
    expect(facts).to.include.keys('time', 'address')
    const page = answer.page()
    expect(page.text).to.include('Is Flagship really yours?').and.not.to.include(code)
    const form = page.form(formPath())
    expect(form.action).to.equal(`${ALICE}${formPath()}`)
    expect(form.inputs).to.deep.equal(['code'])
    expect(form.value('token')).to.match(/^[\w-]{96}$/)
    // As a browser without a script sends it.
    const sent = await browser.submit(form, { code: `${code.slice(0, 3)} ${code.slice(3)}` })
    expect([sent.status, sent.text]).to.deep.equal([204, ''])
    const consent = (await browser.get(pending.url)).page()
    const allowed = await browser.submit(consent.form('/auth/authorize'))
    const tokens = await party.exchange(allowed.location ?? '', pending)
    expect(tokens.scope).to.equal('*')
    expect(codes()).to.have.lengthOf(1)
  })

  it('leads back to itself, without a session code', async () => {
    const pending = await party.authorize({ scope: '*' })
    const page = (await browser.get(`${pending.url}&session_code=${'A'.repeat(32)}`)).page()
    const links = page.elements('a').map((link) => attributeOf(link, 'href'))
    const { pathname, search } = new URL(pending.url)
    expect(links).to.include(`${pathname}${search}`)
  })

  it('answers 503 when the code cannot be mailed, and mails it the next time', async () => {
    mailing.fails = true
    const { answer } = await ask()
    expect(answer.status).to.equal(503)
    mailing.fails = false
    expect((await ask()).answer.status).to.equal(200)
    expect(codes()).to.have.lengthOf(1)
  })

  it('shows no form after five wrong codes, until the next mail', async () => {
    const { answer } = await ask()
    const form = answer.page().form(formPath())
    for (let n = 0; n < 5; n += 1) {
      const wrong = await browser.submit(form, { code: 'wrong' })
      expect([wrong.status, wrong.json()]).to.deep.equal([401, { error: 'Invalid code' }])
    }
    const page = (await ask()).answer.page()
    expect(page.forms).to.have.lengthOf(0)
    expect(page.text).to.include('There is no code to enter right now.')
    server.clock.advance(30_000)
    expect((await ask()).answer.page().forms).to.have.lengthOf(1)
  })

  it('ends its codes with a new passphrase', async () => {
    const { answer } = await ask()
    const [mail] = codes()
    const code = mail?.template === 'confirm_flagship' ? mail.variables.code : ''
    await server.ui.owners.resetPassphrase(instance, 'another passphrase')
    expect((await browser.submit(answer.page().form(formPath()), { code })).status).to.equal(401)
  })

  it('speaks of a form that was sent for an app that is not certified', async () => {
    const { pending } = await ask()
    const fields = Object.fromEntries(new URL(pending.url).searchParams)
    const csrf = (await browser.get((await party.authorize({ scope: 'io.svc.files' })).url)).page()
    const csrf_token = csrf.form('/auth/authorize').value('csrf_token')
    const sent = await browser.post('/auth/authorize', { ...fields, csrf_token })
    expect(sent.status).to.equal(403)
    expect(sent.page().text).to.include('This app has to be certified first')
    expect(codes()).to.have.lengthOf(1)
  })
})
