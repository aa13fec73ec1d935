import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  confirmed,
  enableMail,
  enableTotp,
  lastMail,
  logsIn,
  ownerAt,
  postConfirm,
  shownFactors,
  startFactors,
  totpCode,
  type OwnerAt,
} from '../support/factor-flows.ts'
import { sampleApp } from '../support/sample-instance.ts'
import { createAlice, LOGIN_VALUE, startUi, type UiServer } from '../support/ui-server.ts'

const FACTOR_PATHS: readonly [method: string, path: string][] = [
  ['POST', '/settings/factors/totp'],
  ['PUT', '/settings/factors/totp'],
  ['DELETE', '/settings/factors/totp'],
  ['PUT', '/settings/factors/mail'],
  ['DELETE', '/settings/factors/mail'],
  ['POST', '/settings/factors/recovery_codes'],
  ['DELETE', '/settings/factors/recovery_codes'],
  ['DELETE', '/settings/factors/passkeys/x'],
  ['PUT', '/settings/instance/auth_mode'],
]

describe('what must never happen around factors and confirmation (login.md 10)', () => {
  let server: UiServer
  let owner: OwnerAt
  beforeEach(async () => {
    ;({ server } = await startFactors())
    owner = await ownerAt(server)
  })
  afterEach(() => server.close())

  it('1: no secret gets into a log or a Location', async () => {
    const fields = await confirmed(server)
    await enableMail(server, owner)
    const secret = await enableTotp(server, owner, fields)
    const made = await owner.call('POST', '/settings/factors/recovery_codes', fields)
    const pending = await postConfirm(server.browser(), { redirect: 'drive' })
    const { passcode } = lastMail(server, 'two_factor')
    const { code } = lastMail(server, 'two_factor_mail_confirmation')
    expect(pending.location).to.equal(undefined)
    const logged = JSON.stringify(server.logged)
    const { codes } = made.json<{ codes: string[] }>()
    for (const hidden of [
      LOGIN_VALUE,
      passcode,
      code,
      secret,
      fields.confirmation_code,
      ...codes.flatMap((each) => [each, each.replace('-', '')]),
    ]) {
      expect(logged).not.to.include(hidden)
    }
  })

  it('5: a passphrase change ends confirmations, enrolments and codes under way', async () => {
    const permissions = { settings: { type: 'io.svc.settings' } }
    const apps = [sampleApp('home'), { ...sampleApp('settings'), permissions }]
    const { server: changing } = await startFactors({
      oauth: {
        apps: {
          installed: async (_instance, slug) => apps.find((app) => app.slug === slug),
          listInstalled: async () => apps,
          available: async () => undefined,
        },
      },
    })
    const before = await ownerAt(changing)
    const fields = await confirmed(changing)
    const begun = await before.call('POST', '/settings/factors/totp', fields)
    const code = totpCode(changing, begun.json<{ secret: string }>().secret)
    await before.call('PUT', '/settings/factors/mail', fields)
    const mailed = lastMail(changing, 'two_factor_mail_confirmation').code
    const changed = await before.call('PUT', '/settings/passphrase', {
      current_passphrase: LOGIN_VALUE,
      new_passphrase: LOGIN_VALUE,
      iterations: 50_000,
    })
    expect(changed.status).to.equal(204)
    const after = await ownerAt(changing)
    const gone = await after.browser.get(`/auth/confirm/${fields.confirmation_code}`)
    expect(gone.status).to.equal(401)
    expect((await after.call('POST', '/settings/factors/totp', fields)).status).to.equal(403)
    expect((await after.call('PUT', '/settings/factors/totp', { code })).status).to.equal(404)
    const mode = { auth_mode: 'two_factor_mail', two_factor_activation_code: mailed }
    expect((await after.call('PUT', '/settings/instance/auth_mode', mode)).status).to.equal(422)
    expect((await shownFactors(after)).auth_mode).to.equal('basic')
    await changing.close()
  })

  it('5: a confirmation of another instance changes nothing here', async () => {
    await createAlice(server, { domain: 'bob.example.com' })
    const bob = await ownerAt(server, undefined, server.browser('https://bob.example.com'))
    const theirs = await confirmed(server)
    for (const [method, path] of FACTOR_PATHS) {
      const { status } = await bob.call(method, path, { ...theirs, code: '123456' })
      expect(status, `${method} ${path}`).to.be.oneOf([400, 403, 404])
    }
    expect((await bob.call('POST', '/settings/factors/totp', theirs)).status).to.equal(403)
    expect((await shownFactors(bob)).auth_mode).to.equal('basic')
  })

  it('10: HEAD shows the form without a cookie and without side effects', async () => {
    const answer = await server.browser().request('HEAD', '/auth/confirm?state=x')
    expect(answer.status).to.equal(200)
    expect(answer.setCookies).to.deep.equal([])
  })

  it('42: no body without the passcode satisfies the second step of auth_mode', async () => {
    await enableMail(server, owner)
    const path = '/settings/instance/auth_mode'
    const off = { auth_mode: 'basic', passphrase: LOGIN_VALUE }
    const begun = await owner.call('PUT', path, off)
    const { two_factor_token } = begun.json<{ two_factor_token: string }>()
    for (const two_factor_passcode of [undefined, null, '', [], ['1'], {}, true, 0]) {
      const answer = await owner.call('PUT', path, {
        ...off,
        two_factor_token,
        two_factor_passcode,
      })
      expect(answer.status).to.equal(400)
    }
    expect((await shownFactors(owner)).auth_mode).to.equal('two_factor_mail')
  })

  it('11: no body ends in 500', async () => {
    const fields = await confirmed(server)
    const value = fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\ud800', '\u0000', '0'.repeat(6), 'x'.repeat(2000)),
    )
    const body = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(
        fc.constantFrom(
          'auth_mode',
          'passphrase',
          'code',
          'kept',
          'two_factor_token',
          'two_factor_passcode',
          'confirmation_code',
          'confirmation_state',
          '__proto__',
          'constructor',
        ),
        value,
      ),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FACTOR_PATHS),
        body,
        fc.boolean(),
        async ([method, path], random, isConfirmed) => {
          const isObject = typeof random === 'object' && random !== null
          const sent = isObject && isConfirmed ? { ...random, ...fields } : random
          const { status } = await owner.call(method, path, sent)
          expect(status).to.be.below(500)
        },
      ),
      { numRuns: 150 },
    )
  }).timeout(30_000)

  it('11: no confirmation form ends in 500', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.string())
    await fc.assert(
      fc.asyncProperty(text, text, text, fc.boolean(), async (state, redirect, token, isRight) => {
        const answer = await postConfirm(server.browser(), {
          state,
          redirect,
          'trusted-device-token': token,
          passphrase: isRight ? LOGIN_VALUE : token,
        })
        expect(answer.status).to.be.below(500)
      }),
      { numRuns: 80 },
    )
  }).timeout(30_000)
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
