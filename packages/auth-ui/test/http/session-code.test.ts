import type { Instance } from '@svc/platform'
import { type BrowserClient, type BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { allowClient } from '../support/allowed-clients.ts'
import { lastPasscode } from '../support/second-step.ts'
import { logIn, LOGIN_VALUE, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

const PATH = '/auth/session_code'
const NOT_AUTHORIZED = { error: 'Not authorized', code: 'not_authorized' }
const CODE = /^[A-Za-z0-9]{32}$/

describe('POST /auth/session_code (login.md 5.4)', () => {
  let server: UiServer
  let instance: Instance
  let browser: BrowserClient
  beforeEach(async () => {
    ;({ server, instance, browser } = await withAlice(startUi()))
  })

  const send = (
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<BrowserResponse> => server.browser().postJson(PATH, body, { headers })

  const setTwoFactor = (): Promise<void> =>
    server.ui.owners.setAuthMode(instance, 'two_factor_mail')

  it('answers 201 with a code that opens a session, and no cookie', async () => {
    const answer = await send({ passphrase: LOGIN_VALUE })
    expect(answer.status).to.equal(201)
    expect(answer.contentType).to.equal('application/json')
    expect(answer.headers['cache-control']).to.equal('no-store')
    expect(answer.setCookies).to.deep.equal([])
    const { session_code: code, ...rest } = answer.json<Record<string, string>>()
    expect(code).to.match(CODE)
    expect(rest).to.deep.equal({})
    const opened = await browser.get(`https://drive.alice.example.com/?session_code=${code}`)
    expect(opened.setCookie('svcsessid')).not.to.equal(undefined)
  })

  const nothing: readonly [what: string, body: string | undefined, type?: string][] = [
    ['an empty body without a type', undefined],
    ['an empty body', '', 'application/json'],
    ['null', 'null', 'application/json'],
    ['an empty object', '{}', 'application/json'],
    ['an empty passphrase', '{"passphrase":""}', 'application/json'],
    ['a wrong passphrase', '{"passphrase":"wrong"}', 'application/json'],
    ['null as passphrase', '{"passphrase":null}', 'application/json'],
  ]
  for (const [what, body, type] of nothing) {
    it(`answers 401 to ${what}, and counts it`, async () => {
      const options = {
        ...(body === undefined ? {} : { body }),
        headers: type === undefined ? {} : { 'content-type': type },
      }
      for (let at = 0; at < 20; at += 1) {
        const answer = await browser.request('POST', PATH, options)
        expect(answer.status).to.equal(401)
        expect(answer.json()).to.deep.equal(NOT_AUTHORIZED)
        // Not about a bearer: clients would refresh for nothing (clients.md 21).
        expect(answer.headers).not.to.have.property('www-authenticate')
      }
      const over = await send({ passphrase: LOGIN_VALUE })
      expect(over.status).to.equal(429)
      expect(over.headers).to.have.property('retry-after')
    })
  }

  describe('with a bearer', () => {
    it('answers 401 invalid_token to one that is not that of a certified app', async () => {
      await logIn(browser)
      const page = await browser.get('https://drive.alice.example.com/')
      const appToken = page.json<Record<string, string>>()['data-svc-token'] ?? ''
      const { id, party, tokens } = await allowClient(browser, server.port, 'io.svc.files')
      const bearers = [
        'Bearer x',
        'bearer',
        'null',
        'Basic eDp5',
        `Bearer ${appToken}`,
        `Bearer ${tokens.access_token}`,
      ]
      // Certified or not: the token allows less than everything.
      await server.oauth.clients.setFlagship(instance, id, true)
      const certified = await allowClient(browser, server.port, 'io.svc.files:GET', {}, party)
      bearers.push(`Bearer ${certified.tokens.access_token}`)
      for (const authorization of bearers) {
        const answer = await browser.postJson(PATH, {}, { headers: { authorization } })
        expect(answer.status, authorization).to.equal(401)
        expect(answer.json()).to.deep.equal(NOT_AUTHORIZED)
        expect(answer.headers['www-authenticate'] ?? '').to.match(/^Bearer /)
      }
      const bad = await send({}, { authorization: 'Bearer x' })
      expect(bad.headers['www-authenticate']).to.equal('Bearer error="invalid_token"')
    })

    it('does not count it as a wrong passphrase', async () => {
      for (let at = 0; at < 25; at += 1) await send({}, { authorization: 'Bearer x' })
      expect((await send({ passphrase: LOGIN_VALUE })).status).to.equal(201)
    })

    it('ignores it beside a passphrase (D43)', async () => {
      const headers = { authorization: 'Bearer x' }
      expect((await send({ passphrase: LOGIN_VALUE }, headers)).status).to.equal(201)
      const wrong = await send({ passphrase: 'wrong' }, headers)
      expect(wrong.status).to.equal(401)
      expect(wrong.headers).not.to.have.property('www-authenticate')
    })
  })

  describe('with the second factor on', () => {
    beforeEach(setTwoFactor)

    it('asks for it with 403, and takes the pair under both names', async () => {
      for (const name of ['two_factor_passcode', 'two_factor_code']) {
        const asked = await send({ passphrase: LOGIN_VALUE })
        expect(asked.status).to.equal(403)
        expect(asked.setCookies).to.deep.equal([])
        expect(asked.headers).not.to.have.property('www-authenticate')
        const { two_factor_token: token, ...rest } = asked.json<Record<string, string>>()
        expect(rest).to.deep.equal({ error: 'two factor needed', code: 'two_factor_needed' })
        expect(server.mails.at(-1)).to.have.nested.property('variables.purpose', 'session_code')
        const pair = { two_factor_token: token, [name]: lastPasscode(server) }
        const answer = await send({ passphrase: LOGIN_VALUE, ...pair })
        expect(answer.status).to.equal(201)
        expect(answer.json<Record<string, string>>()['session_code']).to.match(CODE)
        const again = await send({ passphrase: LOGIN_VALUE, ...pair })
        expect(again.status).to.equal(403)
        expect(again.json<Record<string, string>>()['two_factor_token']).not.to.equal(token)
      }
    })

    it('answers a wrong pair with the same token and no mail, until it is dead', async () => {
      const asked = await send({ passphrase: LOGIN_VALUE })
      const { two_factor_token: token } = asked.json<Record<string, string>>()
      for (let at = 0; at < 4; at += 1) {
        const wrong = await send({
          passphrase: LOGIN_VALUE,
          two_factor_token: token,
          two_factor_passcode: at === 0 ? undefined : 'wrong',
        })
        expect(wrong.status).to.equal(403)
        expect(wrong.json()).to.deep.equal({
          error: 'wrong code',
          code: 'two_factor_invalid',
          two_factor_token: token,
        })
      }
      expect(server.mails).to.have.lengthOf(1)
      const last = await send({
        passphrase: LOGIN_VALUE,
        two_factor_token: token,
        two_factor_passcode: 'wrong',
      })
      expect(last.status).to.equal(403)
      const fresh = last.json<Record<string, string>>()['two_factor_token']
      expect(fresh).to.match(/^[A-Za-z0-9_-]{96}$/)
      expect(fresh).not.to.equal(token)
      expect(server.mails).to.have.lengthOf(2)
    })

    it('checks the passphrase first, and mails nothing to a wrong one', async () => {
      expect((await send({ passphrase: 'wrong' })).status).to.equal(401)
      expect(server.mails).to.deep.equal([])
    })
  })
})
