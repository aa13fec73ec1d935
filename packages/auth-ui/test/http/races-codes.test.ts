import type { Instance } from '@svc/platform'
import { type BrowserResponse, eachStore, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { ALICE, createAlice, LOGIN_VALUE, startUi, type UiServer } from '../support/ui-server.ts'

const MANY = { limit: 1000, windowMs: 60_000 }
const LIMITS = { auth: MANY, 'auth-ip': MANY, 'magic-link': MANY, 'magic-code-passphrase': MANY }
const HOST = 'https://drive.alice.example.com'

describe('codes that log in, used at once from two processes', () => {
  eachStore((open, name) => {
    let first: UiServer
    let second: UiServer
    let instance: Instance
    let client: { client_id: string; client_secret: unknown }
    beforeEach(async () => {
      const store = await open()
      first = await startUi({ store, ui: { limits: LIMITS } })
      ;({ instance } = await createAlice(first))
      await first.ui.owners.setMagicLink(instance, true)
      const party = relyingParty({ issuer: ALICE, port: first.port })
      const { client_id, client_secret } = await party.register()
      client = { client_id, client_secret }
      const secondStore = name === 'Redis' ? await open({ sameAs: store }) : store
      const { key, clock } = first
      second = await startUi({ store: secondStore, key, clock, ui: { limits: LIMITS } })
    })
    afterEach(async () => {
      await second.close()
      await first.close()
    })

    /** 50 requests, each from a browser of its own, half of them to each process. */
    function rush(
      send: (browser: ReturnType<UiServer['browser']>, at: number) => Promise<BrowserResponse>,
    ): Promise<BrowserResponse[]> {
      return Promise.all(
        Array.from({ length: 50 }, (_, at) => send((at % 2 === 0 ? first : second).browser(), at)),
      )
    }

    const sessions = () => first.ui.owners.listSessions(instance)

    it('one of 50 parallel uses of a session code wins, on whatever page', async () => {
      const code = await first.ui.owners.createSessionCode(instance)
      const answers = await rush((browser, at) =>
        browser.get(`${at % 4 < 2 ? `${HOST}/` : `${ALICE}/auth/authorize`}?session_code=${code}`),
      )
      for (const { status } of answers) expect(status).to.be.oneOf([302, 400])
      const winners = answers.filter((answer) => answer.setCookie('svcsessid') !== undefined)
      expect(winners).to.have.lengthOf(1)
      expect(await sessions()).to.have.lengthOf(1)
    })

    it('one of 50 parallel uses of a magic code wins, in whatever way', async () => {
      const { code } = await first.ui.owners.createMagicLinkCode(instance)
      const ways: ((browser: ReturnType<UiServer['browser']>) => Promise<BrowserResponse>)[] = [
        (browser) => browser.post('/auth/magic_link/open', { code }),
        (browser) =>
          browser.post('/auth/magic_link/twofactor', { magic_code: code, passphrase: LOGIN_VALUE }),
        (browser) => browser.postJson('/auth/magic_link/flagship', { ...client, magic_code: code }),
      ]
      const answers = await rush((browser, at) => ways[at % 3]?.(browser) ?? browser.get('/'))
      for (const { status } of answers) expect(status).to.be.oneOf([202, 302, 401])
      const winners = answers.filter(({ status }) => status !== 401)
      expect(winners).to.have.lengthOf(1)
      const opened = winners[0]?.status === 302 ? 1 : 0
      expect(await sessions()).to.have.lengthOf(opened)
    })

    it('one of 50 parallel clicks in the browser that asked opens a session', async () => {
      const browser = first.browser()
      await browser.post('/auth/magic_link', {})
      const mail = first.mails.at(-1)
      const url = mail?.template === 'magic_link' ? mail.variables.url : ''
      const cookie = `__Secure-magic-request=${browser.cookie('__Secure-magic-request', url)?.value}`
      const answers = await rush((other) => other.get(url, { headers: { cookie } }))
      for (const { status } of answers) expect(status).to.be.oneOf([302, 400])
      expect(answers.filter(({ status }) => status === 302)).to.have.lengthOf(1)
      expect(await sessions()).to.have.lengthOf(1)
    })

    it('one of 50 parallel uses of an email_verified_code skips the second factor', async () => {
      await first.ui.owners.setAuthMode(instance, 'two_factor_mail')
      const email_verified_code = await first.ui.owners.createEmailVerifiedCode(instance)
      const answers = await rush((browser, at) =>
        at % 4 < 2
          ? browser.postJson('/auth/login/flagship', {
              ...client,
              email_verified_code,
              passphrase: LOGIN_VALUE,
            })
          : browser.post(
              '/auth/login',
              { passphrase: LOGIN_VALUE, email_verified_code },
              { headers: { accept: 'application/json' } },
            ),
      )
      for (const { status } of answers) expect(status).to.be.oneOf([200, 202, 401, 429])
      const winners = answers.filter(
        (answer) => answer.status === 202 || answer.setCookie('svcsessid') !== undefined,
      )
      expect(winners).to.have.lengthOf(1)
    })
  })
})
