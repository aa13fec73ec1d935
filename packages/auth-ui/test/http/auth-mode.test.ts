import { type BrowserResponse, eachStore } from '@svc/testkit'
import { expect } from 'chai'
import {
  type ConfirmationFields,
  confirmed,
  enableMail,
  enableTotp,
  lastMail,
  logsIn,
  type OwnerAt,
  ownerAt,
  shownFactors,
  startFactors,
  totpCode,
} from '../support/factor-flows.ts'
import { refusalOf } from '../support/refusal.ts'
import { createAlice, LOGIN_VALUE, startUi, type UiServer } from '../support/ui-server.ts'

const ON = { auth_mode: 'two_factor_mail' }
const OFF = { auth_mode: 'basic' }

const NOTHING = { confirmation_code: '', confirmation_state: '' }
const CHANGES: readonly [method: string, path: string, body?: object][] = [
  ['POST', '/settings/factors/totp'],
  ['DELETE', '/settings/factors/totp'],
  ['PUT', '/settings/factors/mail'],
  ['PUT', '/settings/factors/mail', { code: '123456' }],
  ['DELETE', '/settings/factors/mail'],
  ['POST', '/settings/factors/recovery_codes'],
  ['DELETE', '/settings/factors/recovery_codes'],
  ['DELETE', '/settings/factors/passkeys/x'],
]

describe('PUT /settings/instance/auth_mode', () => {
  let server: UiServer
  let owner: OwnerAt
  beforeEach(async () => {
    ;({ server } = await startFactors())
    owner = await ownerAt(server)
  })

  function put(body: unknown): Promise<BrowserResponse> {
    return owner.call('PUT', '/settings/instance/auth_mode', body)
  }

  async function mode(): Promise<string> {
    return (await shownFactors(owner)).auth_mode
  }

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
        expect(refusalOf(answer)).to.equal('400 invalid_passphrase')
        expect(answer.headers['www-authenticate']).to.equal(undefined)
        expect(server.mails.map(({ template }) => template)).not.to.include(
          'two_factor_mail_confirmation',
        )
      })
    }

    it('takes the mailed code, once', async () => {
      expect((await put({ ...ON, passphrase: LOGIN_VALUE })).status).to.equal(204)
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
      expect((await put({ ...ON, two_factor_activation_code: '123456' })).status).to.equal(422)
      await put({ ...ON, passphrase: LOGIN_VALUE })
      const first = lastMail(server, 'two_factor_mail_confirmation').code
      server.clock.advance(61_000)
      await put({ ...ON, passphrase: LOGIN_VALUE })
      const second = lastMail(server, 'two_factor_mail_confirmation').code
      expect(second).not.to.equal(first)
      expect((await put({ ...ON, two_factor_activation_code: first })).status).to.equal(422)
      server.clock.advance(300_001)
      expect((await put({ ...ON, two_factor_activation_code: second })).status).to.equal(422)
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
        expect((await put({ ...OFF, passphrase })).status).to.equal(400)
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
        ...[null, '', [], ['1'], {}, true, 0].map((two_factor_passcode): [object, string] => [
          { two_factor_token, two_factor_passcode },
          '400',
        ]),
      ]
      for (const [pair, code] of pairs) {
        const answer = await put({ ...OFF, passphrase, ...pair })
        expect(answer.status).to.equal(400)
        expect(answer.text).to.include(code)
      }
      expect(await mode()).to.equal('two_factor_mail')
    })
  })

  describe('changes of the factors', () => {
    describe('without a fresh confirmation', () => {
      let theirs: Record<string, ConfirmationFields>
      beforeEach(async () => {
        const right = await confirmed(server)
        theirs = {
          nothing: NOTHING,
          'the code of another state': { ...right, confirmation_state: 'other' },
          'a made-up code': { ...right, confirmation_code: '0'.repeat(32) },
          'a code that went to another app': await confirmed(server, undefined, 'drive'),
          'a code that went home': await confirmed(server, undefined, ''),
          'a code of another instance': await ofBob(),
        }
      })

      async function ofBob(): Promise<ConfirmationFields> {
        await createAlice(server, { domain: 'bob.example.com' })
        const bob = server.browser('https://bob.example.com')
        return confirmed(server, undefined, undefined, bob)
      }
      for (const [method, path, body = {}] of CHANGES) {
        it(`answers 403 to ${method} ${path} ${JSON.stringify(body)}`, async () => {
          expect((await owner.call(method, path)).status).to.equal(403)
          for (const [what, fields] of Object.entries(theirs)) {
            const answer = await owner.call(method, path, { ...fields, ...body })
            expect(answer.status, what).to.equal(403)
            expect(answer.text).to.include('confirmation_required')
          }
          expect(await shownFactors(owner)).to.deep.include({ auth_mode: 'basic', totp: null })
          await server.sentMails()
          expect(server.mails.map(({ template }) => template)).to.deep.equal([])
        })
      }

      it('takes no code after five minutes', async () => {
        const fields = await confirmed(server)
        server.clock.advance(300_001)
        expect((await owner.call('POST', '/settings/factors/totp', fields)).status).to.equal(403)
      })
    })
  })

  describe('what must never happen around factors and confirmation (login.md 10)', () => {
    it('5: a passphrase change ends confirmations, enrolments and codes under way', async () => {
      const fields = await confirmed(server)
      const begun = await owner.call('POST', '/settings/factors/totp', fields)
      const code = totpCode(server, begun.json<{ secret: string }>().secret)
      await owner.call('PUT', '/settings/factors/mail', fields)
      const mailed = lastMail(server, 'two_factor_mail_confirmation').code
      const changed = await owner.call('PUT', '/settings/passphrase', {
        current_passphrase: LOGIN_VALUE,
        new_passphrase: LOGIN_VALUE,
        iterations: 50_000,
      })
      expect(changed.status).to.equal(204)
      const after = await ownerAt(server)
      const gone = await after.browser.get(`/auth/confirm/${fields.confirmation_code}`)
      expect(gone.status).to.equal(401)
      expect((await after.call('POST', '/settings/factors/totp', fields)).status).to.equal(403)
      expect((await after.call('PUT', '/settings/factors/totp', { code })).status).to.equal(404)
      const mode = { auth_mode: 'two_factor_mail', two_factor_activation_code: mailed }
      expect((await after.call('PUT', '/settings/instance/auth_mode', mode)).status).to.equal(422)
      expect((await shownFactors(after)).auth_mode).to.equal('basic')
    })
  })
})

describe('codes that change factors, used at once from two processes', () => {
  eachStore((open, name) => {
    it('one of 50 activation codes wins', async () => {
      const store = await open()
      const { server: first } = await startFactors({ store })
      const one = await ownerAt(first)
      const secondStore = name === 'Redis' ? await open({ sameAs: store }) : store
      const second = await startUi({ store: secondStore, key: first.key, clock: first.clock })
      const two = await ownerAt(second)
      const fields = await confirmed(first)
      await one.call('PUT', '/settings/factors/mail', fields)
      const { code } = lastMail(first, 'two_factor_mail_confirmation')
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          (at % 2 === 0 ? one : two).call('PUT', '/settings/factors/mail', { ...fields, code }),
        ),
      )
      for (const { status } of answers) expect(status).to.be.oneOf([204, 422, 429])
      await Promise.all([first.sentMails(), second.sentMails()])
      const changes = [...first.mails, ...second.mails].filter(
        ({ template }) => template === 'auth_mode_changed',
      )
      expect(changes).to.have.lengthOf(1)
      expect((await shownFactors(one)).mail.enabled).to.equal(true)
      await second.close()
      await first.close()
    }).timeout(20_000)

    it('one of 50 codes of an app is answered with recovery codes, and one of 50 keeps them', async () => {
      const store = await open()
      const { server: first } = await startFactors({ store })
      const one = await ownerAt(first)
      const secondStore = name === 'Redis' ? await open({ sameAs: store }) : store
      const second = await startUi({ store: secondStore, key: first.key, clock: first.clock })
      const two = await ownerAt(second)
      const path = '/settings/factors/totp'
      const begun = await one.call('POST', path, await confirmed(first))
      const code = totpCode(first, begun.json<{ secret: string }>().secret)
      const fifty = (body: object) =>
        Promise.all(
          Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? one : two).call('PUT', path, body)),
        )
      const proven = await fifty({ code })
      for (const { status } of proven) expect(status).to.be.oneOf([200, 404, 422])
      const [answer, ...more] = proven.filter(({ status }) => status === 200)
      expect(more).to.deep.equal([])
      expect(await shownFactors(one)).to.deep.include({ totp: null, recovery: null })
      const kept = (await fifty({ kept: true })).map(({ status }) => status)
      expect(kept.filter((status) => status === 204)).to.have.lengthOf(1)
      expect(kept.filter((status) => status === 404)).to.have.lengthOf(49)
      const [recovery = ''] = answer?.json<{ codes: string[] }>().codes ?? []
      expect(await logsIn(second, () => ({ 'two-factor-passcode': recovery }))).to.equal(true)
      await Promise.all([first.sentMails(), second.sentMails()])
      const changes = [...first.mails, ...second.mails].flatMap((mail) =>
        mail.template === 'auth_mode_changed' ? [mail.variables.change] : [],
      )
      expect(changes.filter((change) => change !== 'recovery_code_used')).to.deep.equal([
        'two_factor_on',
      ])
      await second.close()
      await first.close()
    }).timeout(30_000)

    it('an app asks for recovery codes when the factor beside it goes at that moment', async () => {
      const { server } = await startFactors({ store: await open() })
      const owner = await ownerAt(server)
      await enableMail(server, owner)
      const fields = await confirmed(server)
      const path = '/settings/factors/totp'
      const begun = await owner.call('POST', path, fields)
      const code = totpCode(server, begun.json<{ secret: string }>().secret)
      const [proven, removed] = await Promise.all([
        owner.call('PUT', path, { code }),
        owner.call('DELETE', '/settings/factors/mail', fields),
      ])
      expect(removed.status).to.equal(204)
      expect(proven.status).to.be.oneOf([200, 204])
      const { totp } = await shownFactors(owner)
      expect(totp !== null, 'on').to.equal(proven.status === 204)
      await server.close()
    }).timeout(20_000)
  })
})
