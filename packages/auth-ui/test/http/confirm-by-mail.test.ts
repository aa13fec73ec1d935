import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import {
  EMAIL,
  enableTotp,
  lastMail,
  type OwnerAt,
  ownerAt,
  startFactors,
  totpCode,
} from '../support/factor-flows.ts'
import { changeOwner } from '../support/second-step.ts'
import { type UiServer } from '../support/ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const STATE = 'the state'
const REDIRECT = 'https://settings.alice.example.com/'
const PARALLEL = 20

eachStore((open) => {
  describe('a confirmation where nobody knows a passphrase', () => {
    let server: UiServer
    let owner: OwnerAt
    let browser: BrowserClient
    let instance: Instance

    beforeEach(async () => {
      ;({ server } = await startFactors({ store: await open() }))
      owner = await ownerAt(server)
      ;({ browser } = owner)
      const found = await server.oauth.instances.byHost('alice.example.com')
      if (found === undefined) throw new Error('alice is gone')
      instance = found
    })
    afterEach(() => server.close())

    const forget = (): Promise<unknown> =>
      changeOwner(server, instance, (known) => ({ ...known, passwordDefined: false }))

    function askCode(by = browser, more: Readonly<Record<string, string>> = {}) {
      const fields = { state: STATE, redirect: REDIRECT, way: 'mail', ...more }
      return by.post('/auth/confirm', fields, { headers: JSON_ONLY })
    }

    async function tokenOf(answer: Promise<BrowserResponse>): Promise<string> {
      return (await answer).json<{ two_factor_token: string }>().two_factor_token
    }

    const send = (token: string, code: string): Promise<BrowserResponse> =>
      browser.post(
        '/auth/twofactor',
        { 'two-factor-token': token, 'two-factor-passcode': code },
        { headers: JSON_ONLY },
      )

    function confirmedBy(answer: BrowserResponse): Record<string, string> {
      expect(answer.status, answer.text).to.equal(200)
      const { searchParams } = new URL(answer.json<{ redirect: string }>().redirect)
      return {
        confirmation_code: searchParams.get('code') ?? '',
        confirmation_state: searchParams.get('state') ?? '',
      }
    }

    it('takes a code that is mailed to the present address, and counts for a new one', async () => {
      await forget()
      const page = await browser.get(`/auth/confirm?state=x&redirect=${REDIRECT}`)
      expect(page.text).to.include(EMAIL)
      expect(
        page
          .page()
          .form('/auth/confirm')
          .fields.map(([name]) => name),
      ).not.to.include('passphrase')
      const asked = await browser.submit(page.page().form('/auth/confirm'))
      expect(asked.page().form('/auth/twofactor').value('two-factor-token')).to.have.lengthOf(96)
      const token = await tokenOf(askCode())
      const { passcode, purpose } = lastMail(server, 'two_factor')
      expect(purpose).to.equal('confirm')
      expect((await send(token, passcode === '000000' ? '111111' : '000000')).status).to.equal(401)
      const fields = confirmedBy(await send(token, passcode))
      const change = { ...fields, email: 'new@new.example' }
      const lost = await owner.call('PUT', '/settings/profile/email', {
        ...change,
        old_mailbox_lost: true,
      })
      expect(lost.status).to.equal(403)
      expect((await owner.call('PUT', '/settings/profile/email', change)).status).to.equal(202)
    })

    it('gives one confirmation to many parallel answers', async () => {
      await forget()
      const token = await tokenOf(askCode())
      const { passcode } = lastMail(server, 'two_factor')
      const answers = await Promise.all(
        Array.from({ length: PARALLEL }, () => send(token, passcode)),
      )
      expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1)
    })

    it('asks for the second step as well, where it is on', async () => {
      const secret = await enableTotp(server, owner)
      await forget()
      const token = await tokenOf(askCode())
      const next = await tokenOf(send(token, lastMail(server, 'two_factor').passcode))
      expect(next).not.to.equal(token)
      server.clock.advance(30_000)
      confirmedBy(await send(next, totpCode(server, secret)))
    })

    it('mails nothing to a stranger, nor where there is a passphrase or it is required', async () => {
      expect((await askCode()).status).to.equal(400)
      await forget()
      expect((await askCode(browser.another())).status).to.equal(400)
      expect((await askCode(browser, { require: 'passphrase' })).status).not.to.equal(200)
      expect((await browser.another().get('/auth/confirm?state=x')).text).not.to.include(EMAIL)
      const mails = await server.sentMails()
      expect(mails.map(({ template }) => template)).not.to.include('two_factor')
    })
  })
})
