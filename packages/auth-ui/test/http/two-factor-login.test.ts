import { DAY_MS, type Instance } from '@svc/platform'
import { indexKey } from '@svc/store'
import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import { createEmailVerifiedCode } from '../../src/session/email-verified-code.ts'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import {
  changeOwner,
  enroll,
  JSON_ONLY,
  lastPasscode,
  ownerOf,
  passStep1,
  passStep2,
  trustBrowser,
} from '../support/second-step.ts'
import { ALICE, logIn, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

describe('POST /auth/login with the second factor on', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  beforeEach(async () => {
    ;({ server, instance } = await withAlice(startUi()))
    await enroll(server, instance, 'mail')
    browser = server.browser(ALICE, {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    })
  })

  it('answers 200 with a token to JSON, mails the passcode, and opens no session', async () => {
    const answer = await logIn(browser, { redirect: 'drive' }, JSON_ONLY)
    expect(answer.status).to.equal(200)
    expect(answer.contentType).to.equal('application/json')
    expect(answer.headers['cache-control']).to.equal('no-store')
    expect(answer.setCookies).to.deep.equal([])
    const { two_factor_token: token, ...rest } = answer.json<Record<string, string>>()
    expect(token).to.match(/^[A-Za-z0-9_-]{96}$/)
    expect(rest).to.deep.equal({ redirect: `${ALICE}/auth/twofactor?two_factor_token=${token}` })
    expect(server.mails).to.have.lengthOf(1)
    expect(server.mails[0]?.template).to.equal('two_factor')
    expect(server.mails[0]?.variables).to.include({
      purpose: 'login',
      minutes: 5,
      address: '127.0.0.1',
      browser: 'Firefox',
      os: 'Linux',
    })
    expect(lastPasscode(server)).to.match(/^[0-9]{6}$/)
    expect(await server.ui.owners.listSessions(instance)).to.deep.equal([])
  })

  it('answers 200 with the passcode form to HTML, and sets no cookie but that of the form', async () => {
    const answer = await logIn(browser, { redirect: 'drive/a' })
    expect(answer.status).to.equal(200)
    expect(answer.contentType).to.equal('text/html')
    expect(answer.headers['cache-control']).to.equal('no-store')
    expect(answer.setCookies.map(({ name }) => name)).to.deep.equal(['__Host-csrf'])
    const form = answer.page().form('/auth/twofactor')
    expect(form.method).to.equal('POST')
    expect(form.value('two-factor-token')).to.match(/^[A-Za-z0-9_-]{96}$/)
    expect(form.value('csrf_token')).to.match(/^[A-Za-z0-9_-]{32}$/)
    expect(form.inputs).to.include.members([
      'two-factor-passcode',
      'two-factor-generate-trusted-device-token',
    ])
    expect(answer.headers['content-security-policy']).to.include(
      "form-action 'self' https://drive.alice.example.com",
    )
    const done = await browser.submit(form, { 'two-factor-passcode': lastPasscode(server) })
    expect(done.status).to.equal(302)
    expect(done.location).to.equal('https://drive.alice.example.com/a')
  })

  it('offers no trust on the way to an authorization', async () => {
    const answer = await logIn(browser, { redirect: `${ALICE}/auth/authorize?client_id=x` })
    expect(answer.page().form('/auth/twofactor').inputs).not.to.include(
      'two-factor-generate-trusted-device-token',
    )
  })

  it('answers 401 to a wrong passphrase as ever, and mails nothing', async () => {
    const answer = await logIn(browser, { passphrase: 'wrong' }, JSON_ONLY)
    expect(refusalOf(answer)).to.equal('401 invalid_passphrase')
    expect(server.mails).to.deep.equal([])
  })

  it('keeps the counters of the second step when the passphrase is right', async () => {
    for (let round = 0; round < 5; round += 1) {
      const token = await passStep1(browser)
      await passStep2(browser, token, 'wrong')
      await passStep2(browser, token, 'wrong')
    }
    const answer = await passStep2(browser, await passStep1(browser), lastPasscode(server))
    expect(answer.status).to.equal(429)
  })

  it('asks a browser with a session too', async () => {
    await passStep2(browser, await passStep1(browser), lastPasscode(server))
    const answer = await logIn(browser, {}, JSON_ONLY)
    expect(answer.json()).to.have.property('two_factor_token')
  })

  describe('a mail that cannot be sent', () => {
    beforeEach(async () => {
      const mailer = { send: () => Promise.reject(new Error('no mail')) }
      ;({ server, instance, browser } = await withAlice(startUi({ ui: { mailer } })))
    })

    it('answers 503 mail_failed, and there is no challenge', async () => {
      await enroll(server, instance, 'mail')
      const json = await logIn(browser, {}, JSON_ONLY)
      expect(refusalOf(json)).to.equal('503 mail_failed')
      const page = await logIn(browser, { redirect: 'drive' })
      expect(page.status).to.equal(503)
      expect(page.page().form('/auth/login').value('redirect')).to.include('drive')
      expect(page.setCookie('svcsessid')).to.equal(undefined)
    })

    for (const kind of ['totp', 'recovery'] as const) {
      it(`does not keep out who has another factor: ${kind}`, async () => {
        const { totp, recoveryCodes } = await enroll(server, instance, 'mail', kind)
        const page = (await logIn(browser)).page()
        expect(page.forms.map(({ action }) => action)).not.to.include(
          `${ALICE}/auth/twofactor/resend`,
        )
        const code = kind === 'totp' ? totp() : (recoveryCodes[0] ?? '')
        expect((await passStep2(browser, await passStep1(browser), code)).status).to.equal(302)
      })
    }
  })

  describe('trusted devices', () => {
    const skips = async (token: string): Promise<boolean> => {
      const fields = { 'trusted-device-token': token }
      return (await logIn(browser.another(), fields)).status === 302
    }

    it('skip the second step for 90 days', async () => {
      const token = await trustBrowser(server, browser)
      expect(token).to.match(/^[A-Za-z0-9_-]{43}$/)
      expect(await skips(token)).to.equal(true)
      server.clock.advance(89 * DAY_MS)
      expect(await skips(token)).to.equal(true)
      server.clock.advance(DAY_MS)
      expect(await skips(token)).to.equal(false)
    })

    it('open nothing without the passphrase', async () => {
      const fields = {
        'trusted-device-token': await trustBrowser(server, browser),
        passphrase: 'wrong',
      }
      expect((await logIn(browser.another(), fields)).status).to.equal(401)
    })

    it('are removed with the instance', async () => {
      await trustBrowser(server, browser)
      const index = indexKey(instance.id, 'trusted-devices')
      expect((await server.store.list(index)).records).to.have.lengthOf(1)
      await server.oauth.instances.remove(instance.id)
      expect((await server.store.list(index)).records).to.deep.equal([])
    })
  })

  describe('email_verified_code', () => {
    async function createCode(): Promise<string> {
      const { store, clock } = server
      const services = { store, clock, lifetimes: DEFAULT_LIFETIMES }
      return createEmailVerifiedCode(services, instance, await ownerOf(server, instance))
    }

    it('stands for the second step, once', async () => {
      const email_verified_code = await createCode()
      const first = await logIn(browser, { email_verified_code })
      expect(first.status).to.equal(302)
      expect(first.setCookie('svcsessid')).not.to.equal(undefined)
      expect(server.mails).to.deep.equal([])
      const second = await logIn(browser.another(), { email_verified_code })
      expect(second.status).to.equal(200)
      expect(second.setCookie('svcsessid')).to.equal(undefined)
    })

    it('is not used up by a wrong passphrase, nor where no second step is asked', async () => {
      const email_verified_code = await createCode()
      await logIn(browser, { email_verified_code, passphrase: 'wrong' })
      await changeOwner(server, instance, ({ factors: _factors, ...owner }) => owner)
      expect((await logIn(browser, { email_verified_code })).status).to.equal(302)
      await enroll(server, instance, 'mail')
      expect((await logIn(browser.another(), { email_verified_code })).status).to.equal(302)
    })

    it('is ignored when it is wrong', async () => {
      for (const email_verified_code of ['x', 'a'.repeat(32)]) {
        const answer = await logIn(browser, { email_verified_code }, JSON_ONLY)
        expect(answer.json()).to.have.property('two_factor_token')
      }
    })
  })
})

describe('POST /auth/login without a mail factor', () => {
  let server: UiServer
  let instance: Instance
  beforeEach(async () => {
    ;({ server, instance } = await withAlice(startUi()))
  })

  it('mails nothing, and offers no resend', async () => {
    const { totp } = await enroll(server, instance, 'totp')
    const browser = server.browser()
    const page = (await logIn(browser)).page()
    expect(server.mails).to.deep.equal([])
    expect(page.forms.map(({ action }) => action)).to.deep.equal([`${ALICE}/auth/twofactor`])
    expect((await passStep2(browser, await passStep1(browser), totp())).status).to.equal(302)
  })

  it('asks for nothing when there are recovery codes only', async () => {
    await enroll(server, instance, 'recovery')
    expect((await logIn(server.browser())).status).to.equal(302)
  })
})
