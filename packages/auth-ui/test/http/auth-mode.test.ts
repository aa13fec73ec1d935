import type { BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import {
  enableMail,
  enableTotp,
  lastMail,
  type OwnerAt,
  ownerAt,
  shownFactors,
  startFactors,
  totpCode,
} from '../support/factor-flows.ts'
import { LOGIN_VALUE, type UiServer } from '../support/ui-server.ts'

const ON = { auth_mode: 'two_factor_mail' }
const OFF = { auth_mode: 'basic' }

describe('PUT /settings/instance/auth_mode', () => {
  let server: UiServer
  let owner: OwnerAt
  beforeEach(async () => {
    ;({ server } = await startFactors())
    owner = await ownerAt(server)
  })
  afterEach(() => server.close())

  function put(body: unknown): Promise<BrowserResponse> {
    return owner.call('PUT', '/settings/instance/auth_mode', body)
  }

  async function mode(): Promise<string> {
    return (await shownFactors(owner)).auth_mode
  }

  const malformed: readonly unknown[] = [
    {},
    [],
    null,
    { auth_mode: 'two_factor_oidc' },
    { auth_mode: '' },
    { auth_mode: 1 },
    { auth_mode: ['basic'] },
    { ...ON, passphrase: [LOGIN_VALUE] },
    { ...ON, two_factor_activation_code: 123_456 },
    { ...OFF, two_factor_token: {} },
  ]
  for (const body of malformed) {
    it(`answers 400 to ${JSON.stringify(body)}`, async () => {
      expect((await put(body)).status).to.equal(400)
    })
  }

  it('answers 415 to a form and 413 to a huge body', async () => {
    const path = '/settings/instance/auth_mode'
    const type = 'application/x-www-form-urlencoded'
    expect((await owner.call('PUT', path, OFF, { 'content-type': type })).status).to.equal(415)
    expect((await put({ ...OFF, more: 'x'.repeat(65_537) })).status).to.equal(413)
  })

  it('answers 204 when the mode is the same, and changes nothing', async () => {
    expect((await put(OFF)).status).to.equal(204)
    await enableTotp(server, owner)
    const before = await shownFactors(owner)
    const mails = server.mails.length
    expect((await put(ON)).status).to.equal(204)
    expect(await shownFactors(owner)).to.deep.equal(before)
    expect(server.mails.length).to.equal(mails)
  })

  describe('on', () => {
    for (const passphrase of ['wrong', '', undefined]) {
      it(`answers 400 to the passphrase ${passphrase}, and mails nothing`, async () => {
        const answer = await put({ ...ON, passphrase })
        expect(answer.status).to.equal(400)
        expect(answer.text).to.include('invalid_passphrase')
        expect(answer.headers['www-authenticate']).to.equal(undefined)
        expect(server.mails.map(({ template }) => template)).not.to.include(
          'two_factor_mail_confirmation',
        )
      })
    }

    it('counts wrong passphrases together with those of the login', async () => {
      for (let at = 0; at < 20; at += 1) await put({ ...ON, passphrase: 'wrong' })
      const answer = await put({ ...ON, passphrase: LOGIN_VALUE })
      expect(answer.status).to.equal(429)
      expect(answer.headers['retry-after']).to.match(/^\d+$/)
    })

    it('takes the mailed code, once', async () => {
      const sent = await put({ ...ON, passphrase: LOGIN_VALUE })
      expect(sent.status).to.equal(204)
      expect(await mode()).to.equal('basic')
      const { code } = lastMail(server, 'two_factor_mail_confirmation')
      const body = { ...ON, two_factor_activation_code: code }
      const answers = await Promise.all(Array.from({ length: 5 }, () => put(body)))
      expect(answers.map(({ status }) => status)).to.include(204)
      expect(await mode()).to.equal('two_factor_mail')
      await server.sentMails()
      const changes = server.mails.filter(({ template }) => template === 'auth_mode_changed')
      expect(changes).to.have.lengthOf(1)
      expect(lastMail(server, 'auth_mode_changed')).to.include({
        change: 'two_factor_on',
        factor: 'mail',
      })
    })

    it('answers 422 to wrong codes, and to the right one after five', async () => {
      await put({ ...ON, passphrase: LOGIN_VALUE })
      const { code } = lastMail(server, 'two_factor_mail_confirmation')
      const wrong = code === '000000' ? '000001' : '000000'
      for (const typed of [wrong, 'x', ' ', '１２３４５６', `${code}0`, code]) {
        const answer = await put({ ...ON, two_factor_activation_code: typed })
        expect(answer.status, typed).to.equal(422)
        expect(answer.text).to.include('two_factor_invalid').and.not.include(code)
      }
      expect(await mode()).to.equal('basic')
    })

    it('answers 422 when no code was asked for, after five minutes, and to a replaced one', async () => {
      const never = await put({ ...ON, two_factor_activation_code: '123456' })
      expect(never.status).to.equal(422)
      await put({ ...ON, passphrase: LOGIN_VALUE })
      const first = lastMail(server, 'two_factor_mail_confirmation').code
      server.clock.advance(61_000)
      await put({ ...ON, passphrase: LOGIN_VALUE })
      const second = lastMail(server, 'two_factor_mail_confirmation').code
      expect(second).not.to.equal(first)
      const replaced = await put({ ...ON, two_factor_activation_code: first })
      expect(replaced.status).to.equal(422)
      server.clock.advance(300_001)
      const late = await put({ ...ON, two_factor_activation_code: second })
      expect(late.status).to.equal(422)
    })

    it('answers 429 after ten wrong codes of the instance', async () => {
      for (let round = 0; round < 2; round += 1) {
        await put({ ...ON, passphrase: LOGIN_VALUE })
        for (let at = 0; at < 5; at += 1) await put({ ...ON, two_factor_activation_code: 'x' })
      }
      await put({ ...ON, passphrase: LOGIN_VALUE })
      const { code } = lastMail(server, 'two_factor_mail_confirmation')
      const answer = await put({ ...ON, two_factor_activation_code: code })
      expect(answer.status).to.equal(429)
    })
  })

  describe('off', () => {
    let secret: string
    beforeEach(async () => {
      await enableMail(server, owner)
      secret = await enableTotp(server, owner)
      server.clock.advance(30_000)
    })

    async function begin(): Promise<string> {
      const answer = await put({ ...OFF, passphrase: LOGIN_VALUE })
      expect(answer.status).to.equal(200)
      expect(answer.setCookies).to.deep.equal([])
      const body = answer.json<{ two_factor_token: string }>()
      expect(body).to.have.all.keys('two_factor_token')
      return body.two_factor_token
    }

    it('needs the passphrase first', async () => {
      for (const passphrase of ['wrong', undefined]) {
        const answer = await put({ ...OFF, passphrase })
        expect(answer.status).to.equal(400)
      }
      const two_factor_token = await begin()
      const { passcode } = lastMail(server, 'two_factor')
      expect(lastMail(server, 'two_factor').purpose).to.equal('auth_mode')
      const pair = { two_factor_token, two_factor_passcode: passcode }
      expect((await put({ ...OFF, ...pair })).status).to.equal(400)
      expect((await put({ ...OFF, ...pair, passphrase: 'wrong' })).status).to.equal(400)
      expect(await mode()).to.equal('two_factor_mail')
      expect((await put({ ...OFF, ...pair, passphrase: LOGIN_VALUE })).status).to.equal(204)
    })

    for (const [name, ofMail] of [
      ['two_factor_passcode', true],
      ['two_factor_code', false],
    ] as const) {
      it(`takes everything off with ${name}, once`, async () => {
        const two_factor_token = await begin()
        const passcode = ofMail ? lastMail(server, 'two_factor').passcode : totpCode(server, secret)
        const pair = { ...OFF, passphrase: LOGIN_VALUE, two_factor_token, [name]: passcode }
        expect((await put(pair)).status).to.equal(204)
        expect(await shownFactors(owner)).to.deep.include({
          auth_mode: 'basic',
          totp: null,
          passkeys: [],
          recovery: null,
        })
        await server.sentMails()
        expect(lastMail(server, 'auth_mode_changed').change).to.equal('two_factor_off')
        await enableMail(server, owner)
        expect((await put(pair)).status).to.equal(400)
        expect(await mode()).to.equal('two_factor_mail')
      })
    }

    it('answers 400 to a wrong pair', async () => {
      const passphrase = LOGIN_VALUE
      const two_factor_token = await begin()
      const login = await owner.browser
        .another()
        .post('/auth/login', { passphrase }, { headers: { accept: 'application/json' } })
      const { two_factor_token: ofLogin } = login.json<{ two_factor_token: string }>()
      const { passcode } = lastMail(server, 'two_factor')
      const pairs: readonly [object, string][] = [
        [{ two_factor_token, two_factor_passcode: 'x' }, 'two_factor_invalid'],
        [{ two_factor_token }, 'two_factor_invalid'],
        [{ two_factor_token: 'x', two_factor_passcode: passcode }, 'two_factor_expired'],
        [{ two_factor_token: ofLogin, two_factor_passcode: passcode }, 'two_factor_expired'],
        [
          { two_factor_token, two_factor_passcode: passcode, two_factor_code: '1' },
          'invalid_parameter',
        ],
      ]
      for (const [pair, code] of pairs) {
        const answer = await put({ ...OFF, passphrase, ...pair })
        expect(answer.status).to.equal(400)
        expect(answer.text).to.include(code)
      }
      expect(await mode()).to.equal('two_factor_mail')
    })
  })
})
