import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import { JSON_ONLY, mailsOf } from '../support/reset.ts'
import { ask, startWithSettings } from '../support/settings-server.ts'
import { ALICE, createAlice, LOGIN_VALUE, logIn, type UiServer } from '../support/ui-server.ts'

const EMAIL = 'alice@example.org'
const HINT = 'the name of my first cat'

describe('mails that anybody may ask for (login.md 5.5)', () => {
  let server: UiServer
  let browser: BrowserClient
  let refuses: boolean
  beforeEach(async () => {
    refuses = false
    const mails: UiServer['mails'][number][] = []
    const started = await startWithSettings({
      ui: {
        mailer: {
          send: async (_instance, mail) => {
            if (refuses) throw new Error('the mail server is down')
            mails.push(mail)
          },
        },
      },
    })
    server = { ...started, mails }
    browser = server.browser()
  })

  /** `alice.example.com` with a hint, logged out. */
  async function createOwner(input: object = { email: EMAIL }, hint = HINT): Promise<Instance> {
    const { instance } = await createAlice(server, input)
    if (hint === '') return instance
    const own = server.browser()
    await logIn(own)
    expect((await ask(own, 'PUT', '/settings/hint', { hint })).status).to.equal(204)
    return instance
  }

  describe('POST /auth/hint', () => {
    const askHint = (fields = {}, headers = {}): Promise<BrowserResponse> =>
      browser.post('/auth/hint', fields, { headers })

    it('mails the hint to the owner, and says only that', async () => {
      await createOwner()
      const answer = await askHint()
      expect(answer.status).to.equal(200)
      expect(answer.contentType).to.equal('text/html')
      expect(answer.text).to.include('/auth/login')
      expect(answer.text).not.to.include(HINT)
      expect(answer.text).not.to.include(EMAIL)
      await server.sentMails()
      expect(mailsOf(server, 'passphrase_hint')).to.deep.equal([
        { template: 'passphrase_hint', variables: { hint: HINT, url: `${ALICE}/auth/login` } },
      ])
      expect(JSON.stringify(server.logged)).not.to.include(HINT)
    })

    it('needs no body and no content type', async () => {
      await createOwner()
      expect((await browser.request('POST', '/auth/hint')).status).to.equal(200)
      await server.sentMails()
      expect(mailsOf(server, 'passphrase_hint')).to.have.lengthOf(1)
    })

    it('keeps what was asked for in the way back', async () => {
      await createOwner()
      const answer = await askHint({ redirect: 'drive' })
      const target = encodeURIComponent('https://drive.alice.example.com/')
      expect(answer.text).to.include(`/auth/login?redirect=${target}`)
      const bad = await askHint({ redirect: 'https://evil.com' }, JSON_ONLY)
      expect(refusalOf(bad)).to.equal('400 bad_redirect')
    })

    for (const [what, hint] of [
      ['a hint', HINT],
      ['no hint', ''],
    ] as const) {
      it(`leads on to a new passphrase where there is ${what}`, async () => {
        await createOwner({ email: EMAIL }, hint)
        const answer = await askHint({ redirect: 'drive' })
        const target = encodeURIComponent('https://drive.alice.example.com/')
        const link = answer.page().links.find(({ text }) => text === 'Choose a new passphrase')
        const href = link?.href ?? ''
        expect(href).to.equal(`${ALICE}/auth/passphrase_reset?redirect=${target}`)
        const reset = await browser.get(href)
        expect(reset.status).to.equal(200)
        await browser.submit(reset.page().form('/auth/passphrase_reset'))
        expect(mailsOf(server, 'passphrase_reset')).to.have.lengthOf(1)
      })
    }

    it('sends two mails an hour, and answers the same bytes afterwards', async () => {
      await createOwner()
      const answers = new Set<string>()
      for (let at = 0; at < 4; at += 1) answers.add(bytesOf(await askHint()))
      expect(answers.size).to.equal(1)
      await server.sentMails()
      expect(mailsOf(server, 'passphrase_hint')).to.have.lengthOf(2)
      server.clock.advance(3_600_001)
      await askHint()
      await server.sentMails()
      expect(mailsOf(server, 'passphrase_hint')).to.have.lengthOf(3)
    })

    const silent: readonly [what: string, prepare: () => Promise<unknown>][] = [
      ['no hint', () => createOwner({ email: EMAIL }, '')],
      ['no address', () => createOwner({})],
      ['no owner', () => createAlice(server, { email: EMAIL }, { isOnboarded: false })],
      [
        'a mail server that is down',
        async () => {
          await createOwner()
          refuses = true
        },
      ],
    ]
    for (const [what, prepare] of silent) {
      it(`answers the same bytes with ${what}, and mails nothing`, async () => {
        await prepare()
        const [page, json] = [await askHint(), await askHint({}, JSON_ONLY)]
        expect(page.status).to.equal(200)
        expect(json.json()).to.deep.equal({ status: 'sent' })
        await server.sentMails()
        expect(mailsOf(server, 'passphrase_hint')).to.deep.equal([])
        refuses = false
        const reference = await withHint()
        expect(bytesOf(page)).to.equal(reference)
      })
    }

    /** The page of an owner who has a hint. */
    async function withHint(): Promise<string> {
      const other = await startWithSettings()
      await createAlice(other, { email: EMAIL })
      const own = other.browser()
      await logIn(own)
      await ask(own, 'PUT', '/settings/hint', { hint: HINT })
      const bytes = bytesOf(await other.browser().post('/auth/hint', {}))
      return bytes
    }
  })

  describe('POST /auth/onboarding/resend', () => {
    const resend = (headers = {}): Promise<BrowserResponse> =>
      browser.post('/auth/onboarding/resend', {}, { headers })

    it('mails a fresh link that onboards', async () => {
      await createAlice(server, { email: EMAIL }, { isOnboarded: false })
      const form = (await browser.get('/auth/login')).page().form('/auth/onboarding/resend')
      expect((await browser.submit(form)).status).to.equal(200)
      await server.sentMails()
      const [mail, ...more] = mailsOf(server, 'onboarding')
      expect(more).to.deep.equal([])
      const url = new URL(mail?.variables.url ?? '')
      expect(`${url.origin}${url.pathname}`).to.equal(`${ALICE}/auth/passphrase`)
      const onboarded = await browser.post('/settings/passphrase', {
        register_token: url.searchParams.get('registerToken') ?? '',
        passphrase: LOGIN_VALUE,
        iterations: '50000',
      })
      expect(onboarded.status).to.equal(302)
    })

    it('keeps the link that was there', async () => {
      const { onboardingUrl } = await createAlice(server, { email: EMAIL }, { isOnboarded: false })
      await resend()
      await server.sentMails()
      const form = (await browser.get(onboardingUrl)).page().form('/settings/passphrase')
      expect(form.method).to.equal('POST')
    })

    it('sends two mails an hour, and answers the same bytes afterwards, with and without owner', async () => {
      await createAlice(server, { email: EMAIL }, { isOnboarded: false })
      const answers = new Set<string>()
      for (let at = 0; at < 4; at += 1) answers.add(bytesOf(await resend()))
      await server.sentMails()
      expect(mailsOf(server, 'onboarding')).to.have.lengthOf(2)
      const instance = await server.oauth.instances.byHost('alice.example.com')
      if (instance === undefined) throw new Error('alice is gone')
      await server.ui.owners.setPassphrase(instance, 'x')
      server.clock.advance(3_600_001)
      answers.add(bytesOf(await resend()))
      expect(answers.size).to.equal(1)
      await server.sentMails()
      expect(mailsOf(server, 'onboarding')).to.have.lengthOf(2)
    })

    it('mails nothing without an address, and offers nothing then', async () => {
      await createAlice(server, {}, { isOnboarded: false })
      const { forms } = (await browser.get('/auth/login')).page()
      expect(forms).to.deep.equal([])
      expect((await resend()).status).to.equal(200)
      await server.sentMails()
      expect(mailsOf(server, 'onboarding')).to.deep.equal([])
    })
  })
})

/** What a stranger can compare: everything but the time and the length of the connection. */
function bytesOf({ status, headers, text }: BrowserResponse): string {
  const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...rest } = headers
  return JSON.stringify([status, rest, text])
}
