import { expect } from 'chai'
import { trustBrowser } from '../support/second-step.ts'
import { passkeyUser } from '../../src/factors/passkeys.ts'
import {
  type ConfirmationFields,
  confirmed,
  enableMail,
  enableTotp,
  lastMail,
  logsIn,
  type OwnerAt,
  ownerAt,
  postConfirm,
  shownFactors,
  startFactors,
  totpCode,
} from '../support/factor-flows.ts'
import { type UiServer } from '../support/ui-server.ts'

describe('the factors in the settings', () => {
  let server: UiServer
  let owner: OwnerAt
  beforeEach(async () => {
    ;({ server } = await startFactors())
    owner = await ownerAt(server)
  })

  async function userId(): Promise<string> {
    const alice = await server.oauth.instances.byHost('alice.example.com')
    return alice === undefined ? '' : passkeyUser(alice).id
  }

  /** Begins with an app and sends a code of it. `codes`: what came back to be kept. */
  async function proveTotp(fields?: ConfirmationFields) {
    const body = fields ?? (await confirmed(server))
    const begun = await owner.call('POST', '/settings/factors/totp', body)
    const { secret } = begun.json<{ secret: string }>()
    const code = totpCode(server, secret)
    const answer = await owner.call('PUT', '/settings/factors/totp', { code })
    const { codes = [] } = answer.status === 200 ? answer.json<{ codes?: string[] }>() : {}
    return { secret, answer, codes }
  }

  /** The same, to the end, where every recovery code is used up. @returns the new secret */
  async function replaced(fields: ConfirmationFields): Promise<string> {
    const { secret, codes } = await proveTotp(fields)
    expect(codes).to.have.lengthOf(10)
    await owner.call('PUT', '/settings/factors/totp', { kept: true })
    return secret
  }

  function mailedChanges(): string[] {
    return server.mails.flatMap((mail) =>
      mail.template === 'auth_mode_changed'
        ? [`${mail.variables.change} ${mail.variables.factor}`]
        : [],
    )
  }

  describe('GET /settings/factors', () => {
    it('shows that nothing is on, and a masked address', async () => {
      const answer = await owner.call('GET', '/settings/factors')
      expect(answer.status).to.equal(200)
      expect(answer.contentType).to.equal('application/vnd.api+json')
      expect(answer.headers['cache-control']).to.equal('no-store')
      expect(answer.json()).to.deep.equal({
        data: {
          type: 'io.svc.settings',
          id: 'io.svc.settings.factors',
          attributes: {
            auth_mode: 'basic',
            mail: { enabled: false, address: 'a…@example.com' },
            totp: null,
            passkeys: [],
            passkey_user: {
              rp_id: 'alice.example.com',
              id: await userId(),
              name: 'alice.example.com',
              display_name: '',
            },
            passkey_after_passphrase: false,
            recovery: null,
            own: [],
          },
        },
      })
    })

    it('shows what is on, and no secret', async () => {
      await enableMail(server, owner)
      const secret = await enableTotp(server, owner)
      const made = await owner.call(
        'POST',
        '/settings/factors/recovery_codes',
        await confirmed(server),
      )
      const { codes } = made.json<{ codes: string[] }>()
      const answer = await owner.call('GET', '/settings/factors')
      const shown = await shownFactors(owner)
      expect(shown.auth_mode).to.equal('two_factor_mail')
      expect(shown.mail).to.include({ enabled: true }).and.include.keys('enabled_at')
      expect(shown.totp).to.have.all.keys('created_at')
      expect(shown.recovery).to.include({ left: 10 }).and.include.keys('created_at')
      for (const hidden of [secret, ...codes, 'alice@']) {
        expect(answer.text).not.to.include(hidden)
        expect(JSON.stringify(server.logged)).not.to.include(hidden)
      }
    })
  })

  describe('the authenticator app', () => {
    it('is shown as text, address and picture, and is not in use yet', async () => {
      const answer = await owner.call('POST', '/settings/factors/totp', await confirmed(server))
      expect(answer.status).to.equal(200)
      const { secret, uri, qr } = answer.json<{ secret: string; uri: string; qr: string[] }>()
      expect(secret).to.match(/^[A-Z2-7]{32}$/)
      const address = new URL(uri)
      expect(address.protocol).to.equal('otpauth:')
      expect(address.searchParams.get('secret')).to.equal(secret)
      expect(address.searchParams.get('issuer')).to.equal('alice.example.com')
      expect(qr.length).to.be.at.least(29)
      for (const row of qr) expect(row).to.match(new RegExp(`^[01]{${qr.length}}$`))
      for (const edge of [...qr.slice(0, 4), ...qr.slice(-4)]) expect(edge).to.match(/^0+$/)
      expect(await shownFactors(owner)).to.deep.include({ auth_mode: 'basic', totp: null })
    })

    it('is switched on with recovery codes that were kept, never with mail, and the owner is told', async () => {
      const { secret, codes } = await proveTotp()
      expect(await shownFactors(owner)).to.deep.include({
        auth_mode: 'basic',
        totp: null,
        recovery: null,
      })
      expect(codes).to.have.lengthOf(10)
      for (const code of codes) expect(code).to.match(/^[a-z0-9]{5}-[a-z0-9]{5}$/)
      const kept = await owner.call('PUT', '/settings/factors/totp', { kept: true })
      expect([kept.status, kept.text]).to.deep.equal([204, ''])
      const shown = await shownFactors(owner)
      expect(shown.auth_mode).to.equal('two_factor_mail')
      expect(shown.totp).not.to.equal(null)
      expect(shown.mail.enabled).to.equal(false)
      expect(shown.recovery?.left).to.equal(10)
      await server.sentMails()
      expect(mailedChanges()).to.deep.equal(['two_factor_on totp'])
      const events = server.logged.map(([event]) => event)
      expect(events).to.include.members(['factor.added', 'two_factor.on', 'recovery_codes.created'])
      for (const hidden of [secret, ...codes])
        expect(JSON.stringify(server.logged)).not.to.include(hidden)
      expect(await logsIn(server, () => ({ 'two-factor-passcode': codes[3] ?? '' }))).to.equal(true)
      expect(await logsIn(server, () => ({ 'two-factor-passcode': codes[3] ?? '' }))).to.equal(
        false,
      )
      const { url, address, time } = lastMail(server, 'auth_mode_changed')
      expect(url).to.equal('https://settings.alice.example.com/#/security')
      expect(address).to.equal('127.0.0.1')
      expect(time).to.be.closeTo(server.clock.now(), 60_000)
    })

    it('logs in with its code, never with the one that switched it on', async () => {
      const secret = await enableTotp(server, owner)
      const spent = totpCode(server, secret)
      expect(await logsIn(server, () => ({ 'two-factor-passcode': spent }))).to.equal(false)
      server.clock.advance(30_000)
      const fresh = totpCode(server, secret)
      expect(await logsIn(server, () => ({ 'two-factor-passcode': fresh }))).to.equal(true)
      expect(await logsIn(server, () => ({ 'two-factor-passcode': fresh }))).to.equal(false)
    })

    it('is switched on by its code at once where mail stands beside it', async () => {
      await enableMail(server, owner)
      const { answer } = await proveTotp()
      expect([answer.status, answer.text]).to.deep.equal([204, ''])
      expect(await shownFactors(owner)).to.deep.include({ recovery: null })
      await server.sentMails()
      expect(mailedChanges()).to.deep.equal(['two_factor_on mail', 'factor_added totp'])
    })

    it('is replaced without codes while one is left, and with new ones after the last', async () => {
      const fields = await confirmed(server)
      const { codes } = await proveTotp(fields)
      await owner.call('PUT', '/settings/factors/totp', { kept: true })
      expect((await proveTotp(fields)).answer.status).to.equal(204)
      expect((await shownFactors(owner)).recovery?.left).to.equal(10)
      for (const code of codes)
        expect(await logsIn(server, () => ({ 'two-factor-passcode': code }))).to.equal(true)
      const secret = await replaced(fields)
      server.clock.advance(30_000)
      expect(
        await logsIn(server, () => ({ 'two-factor-passcode': totpCode(server, secret) })),
      ).to.equal(true)
      await server.sentMails()
      expect(mailedChanges().slice(-2)).to.deep.equal([
        'factor_added totp',
        'recovery_codes_created recovery',
      ])
    })

    it('shows new codes when the first ones never arrived, and only those count', async () => {
      const lost = await proveTotp()
      server.clock.advance(30_000)
      const code = totpCode(server, lost.secret)
      const again = await owner.call('PUT', '/settings/factors/totp', { code })
      expect(again.status).to.equal(200)
      const { codes } = again.json<{ codes: string[] }>()
      await owner.call('PUT', '/settings/factors/totp', { kept: true })
      const use = (one = '') => logsIn(server, () => ({ 'two-factor-passcode': one }))
      expect(await use(lost.codes[0])).to.equal(false)
      expect(await use(codes[0])).to.equal(true)
    })

    it('is not on while its codes are not kept: nothing proven, too late, another begun', async () => {
      const keep = () => owner.call('PUT', '/settings/factors/totp', { kept: true })
      expect((await keep()).status).to.equal(404)
      await owner.call('POST', '/settings/factors/totp', await confirmed(server))
      expect((await keep()).status).to.equal(404)
      await proveTotp()
      server.clock.advance(600_001)
      expect((await keep()).status).to.equal(404)
      await proveTotp()
      await owner.call('POST', '/settings/factors/totp', await confirmed(server))
      expect((await keep()).status).to.equal(404)
      expect(await shownFactors(owner)).to.deep.include({ auth_mode: 'basic', totp: null })
      await server.sentMails()
      expect(mailedChanges()).to.deep.equal([])
    })

    it('answers 400 to a step that is neither a code nor kept codes, or both', async () => {
      for (const body of [{}, { kept: false }, { kept: 'true' }, { code: '123456', kept: true }]) {
        const answer = await owner.call('PUT', '/settings/factors/totp', body)
        expect(answer.status, JSON.stringify(body)).to.equal(400)
      }
    })

    it('answers 422 to wrong codes, and nothing is pending after five', async () => {
      const begun = await owner.call('POST', '/settings/factors/totp', await confirmed(server))
      const { secret } = begun.json<{ secret: string }>()
      for (const code of ['', '1', '12345x', ' ', '000000']) {
        const answer = await owner.call('PUT', '/settings/factors/totp', { code })
        expect(answer.status, code).to.equal(422)
        expect(answer.text).to.include('two_factor_invalid')
      }
      const late = await owner.call('PUT', '/settings/factors/totp', {
        code: totpCode(server, secret),
      })
      expect(late.status).to.equal(404)
      expect((await shownFactors(owner)).totp).to.equal(null)
    })

    it('answers 404 when nothing is pending: never begun, finished, expired, replaced', async () => {
      const put = (secret: string) =>
        owner.call('PUT', '/settings/factors/totp', { code: totpCode(server, secret) })
      expect((await put('A'.repeat(32))).status).to.equal(404)
      const fields = await confirmed(server)
      const secret = await enableTotp(server, owner, fields)
      expect((await put(secret)).status).to.equal(404)
      const begin = async (): Promise<string> => {
        const answer = await owner.call('POST', '/settings/factors/totp', fields)
        return answer.json<{ secret: string }>().secret
      }
      const replaced = await begin()
      const newest = await begin()
      expect((await put(replaced)).status).to.equal(422)
      server.clock.advance(600_001)
      expect((await put(newest)).status).to.equal(404)
    })

    it('is switched on once by parallel codes', async () => {
      const begun = await owner.call('POST', '/settings/factors/totp', await confirmed(server))
      const code = totpCode(server, begun.json<{ secret: string }>().secret)
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => owner.call('PUT', '/settings/factors/totp', { code })),
      )
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).to.have.lengthOf(1)
      // The code is used up for those that come after; what they would write on is gone for those beside it.
      for (const status of statuses) expect(status).to.be.oneOf([200, 404, 422])
      const kept = await Promise.all(
        Array.from({ length: 5 }, () =>
          owner.call('PUT', '/settings/factors/totp', { kept: true }),
        ),
      )
      expect(kept.map(({ status }) => status).sort()).to.deep.equal([204, 404, 404, 404, 404])
      const shown = answers.find(({ status }) => status === 200)
      const [first] = shown?.json<{ codes: string[] }>().codes ?? []
      await server.sentMails()
      expect(mailedChanges()).to.deep.equal(['two_factor_on totp'])
      expect(await logsIn(server, () => ({ 'two-factor-passcode': first ?? '' }))).to.equal(true)
    })

    it('replaces an earlier one, and can be switched off', async () => {
      const fields = await confirmed(server)
      const first = await enableTotp(server, owner, fields)
      const second = await enableTotp(server, owner, fields)
      expect(second).not.to.equal(first)
      const path = '/settings/factors/totp'
      expect((await owner.call('DELETE', path, fields)).status).to.equal(204)
      expect((await owner.call('DELETE', path, fields)).status).to.equal(404)
      expect(await shownFactors(owner)).to.deep.include({
        auth_mode: 'basic',
        totp: null,
        recovery: null,
      })
      await server.sentMails()
      expect(mailedChanges()).to.deep.equal([
        'two_factor_on totp',
        'factor_added totp',
        'two_factor_off totp',
      ])
    })
  })

  describe('passcodes by mail', () => {
    it('are switched on with a mailed code only', async () => {
      const fields = await confirmed(server)
      const path = '/settings/factors/mail'
      expect((await owner.call('PUT', path, fields)).status).to.equal(204)
      expect((await shownFactors(owner)).mail.enabled).to.equal(false)
      const { code, minutes } = lastMail(server, 'two_factor_mail_confirmation')
      expect(code).to.match(/^\d{6}$/)
      expect(minutes).to.equal(5)
      const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
      expect((await owner.call('PUT', path, { ...fields, code: wrong })).status).to.equal(422)
      expect((await owner.call('PUT', path, { ...fields, code })).status).to.equal(204)
      expect((await shownFactors(owner)).mail.enabled).to.equal(true)
      const mails = server.mails.length
      expect((await owner.call('PUT', path, fields)).status).to.equal(204)
      await server.sentMails()
      expect(mailedChanges()).to.deep.equal(['two_factor_on mail'])
      expect(server.mails.length - mails).to.be.at.most(1)
    })

    it('can be switched off, and then no passcode is mailed', async () => {
      await enableMail(server, owner)
      const secret = await enableTotp(server, owner)
      const fields = await confirmed(server)
      const path = '/settings/factors/mail'
      expect((await owner.call('DELETE', path, fields)).status).to.equal(204)
      expect((await owner.call('DELETE', path, fields)).status).to.equal(204)
      expect((await shownFactors(owner)).mail.enabled).to.equal(false)
      const before = server.mails.filter(({ template }) => template === 'two_factor').length
      server.clock.advance(30_000)
      const answer = { 'two-factor-passcode': totpCode(server, secret) }
      expect(await logsIn(server, () => answer)).to.equal(true)
      const after = server.mails.filter(({ template }) => template === 'two_factor').length
      expect(after).to.equal(before)
    })

    it('answer 503 when the code cannot be mailed, and leave none behind', async () => {
      const { server: deaf } = await startFactors({
        ui: { mailer: { send: () => Promise.reject(new Error('no relay')) } },
      })
      const at = await ownerAt(deaf)
      const fields = await confirmed(deaf)
      const answer = await at.call('PUT', '/settings/factors/mail', fields)
      expect(answer.status).to.equal(503)
      expect(answer.text).to.include('mail_failed').and.not.include('no relay')
    })

    it('answer 400 on an instance without a mail address', async () => {
      const { server: mute } = await startFactors({}, {})
      const at = await ownerAt(mute)
      const answer = await at.call('PUT', '/settings/factors/mail', await confirmed(mute))
      expect(answer.status).to.equal(400)
      const secret = await enableTotp(mute, at)
      expect(secret).to.be.a('string')
      expect((await shownFactors(at)).mail).to.deep.equal({ enabled: false })
    })
  })

  describe('recovery codes', () => {
    const path = '/settings/factors/recovery_codes'

    it('are ten, shown once, and replace earlier ones', async () => {
      await enableMail(server, owner)
      const fields = await confirmed(server)
      const make = async (): Promise<string[]> => {
        const answer = await owner.call('POST', path, fields)
        expect(answer.status).to.equal(200)
        return answer.json<{ codes: string[] }>().codes
      }
      const first = await make()
      const second = await make()
      for (const codes of [first, second]) {
        expect(new Set(codes)).to.have.lengthOf(10)
        for (const code of codes) expect(code).to.match(/^[a-z0-9]{5}-[a-z0-9]{5}$/)
      }
      const use = (code = '') => logsIn(server, () => ({ 'two-factor-passcode': code }))
      expect(await use(first[0])).to.equal(false)
      expect(await use(second[0])).to.equal(true)
      expect(await use(second[0])).to.equal(false)
      expect((await shownFactors(owner)).recovery?.left).to.equal(9)
    })

    it('can be removed', async () => {
      await enableMail(server, owner)
      const fields = await confirmed(server)
      await owner.call('POST', path, fields)
      expect((await owner.call('DELETE', path, fields)).status).to.equal(204)
      expect((await owner.call('DELETE', path, fields)).status).to.equal(204)
      expect((await shownFactors(owner)).recovery).to.equal(null)
    })

    it('go with the last factor, and so does every trusted browser', async () => {
      await enableMail(server, owner)
      await owner.call('POST', path, await confirmed(server))
      await trustBrowser(server, server.browser())
      const fields = await confirmed(server)
      expect((await owner.call('DELETE', '/settings/factors/mail', fields)).status).to.equal(204)
      expect(await shownFactors(owner)).to.deep.include({ auth_mode: 'basic', recovery: null })
      expect(await trustedDevices()).to.deep.equal([])
      await server.sentMails()
      expect(mailedChanges().at(-1)).to.equal('two_factor_off mail')
    })
  })

  describe('trusted browsers', () => {
    it('are listed without their secret, and removed one by one', async () => {
      await enableMail(server, owner)
      const secret = await trustBrowser(server, server.browser())
      await trustBrowser(server, server.browser())
      const answer = await owner.call('GET', '/settings/trusted_devices')
      expect(answer.status).to.equal(200)
      expect(answer.text).not.to.include(secret)
      const [newest, oldest] = await trustedDevices()
      expect(newest?.attributes).to.have.all.keys('label', 'created_at', 'device', 'last_used')
      expect(newest?.type).to.equal('io.svc.settings.trusted_devices')
      const path = `/settings/trusted_devices/${oldest?.id}`
      expect((await owner.call('DELETE', path)).status).to.equal(204)
      expect((await owner.call('DELETE', path)).status).to.equal(404)
      expect((await trustedDevices()).map(({ id }) => id)).to.deep.equal([newest?.id])
      const skipped = await postConfirm(server.browser(), {
        redirect: 'drive',
        'trusted-device-token': secret,
      })
      expect(skipped.status).to.equal(200)
    })
  })

  async function trustedDevices() {
    const answer = await owner.call('GET', '/settings/trusted_devices')
    return answer.json<{ data: { id: string; type: string; attributes: object }[] }>().data
  }
})
