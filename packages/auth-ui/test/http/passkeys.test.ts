import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import {
  type Answer,
  confirmed,
  enableMail,
  enableTotp,
  type OwnerAt,
  ownerAt,
  logsIn,
  shownFactors,
  startFactors,
  totpCode,
} from '../support/factor-flows.ts'
import { assertion, enablePasskey, optionsOf, passkeyPage } from '../support/passkey-flows.ts'
import { softwareAuthenticator, type Tampering } from '../support/software-authenticator.ts'
import { ALICE, LOGIN_VALUE, logIn, startUi, type UiServer } from '../support/ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const BACK = encodeURIComponent(`${ALICE}/auth/passkey`)

describe('/auth/passkey', () => {
  let server: UiServer
  let owner: OwnerAt
  beforeEach(async () => {
    ;({ server } = await startFactors())
    owner = await ownerAt(server)
  })
  afterEach(() => server.close())

  it('leads to the login without a session, without the code of the confirmation', async () => {
    const fields = await confirmed(server, undefined, `${ALICE}/auth/passkey`)
    const url = `/auth/passkey?code=${fields.confirmation_code}&state=my%20state`
    const answer = await server.browser().get(url)
    expect(answer.status).to.equal(302)
    expect(answer.location).to.equal(`${ALICE}/auth/login?redirect=${BACK}`)
  })

  it('leads to the confirmation without a fresh one, and from there back', async () => {
    await enableMail(server, owner)
    const { browser } = owner
    const answer = await browser.get('/auth/passkey?code=x&state=y')
    expect(answer.status).to.equal(302)
    expect(answer.location).to.match(
      /^https:\/\/alice\.example\.com\/auth\/confirm\?state=[0-9a-f]{32}&redirect=https%3A/,
    )
    const form = (await browser.follow(answer)).page().form('/auth/confirm')
    expect(form.value('redirect')).to.equal(`${ALICE}/auth/passkey`)
    expect((await browser.submit(form, { passphrase: LOGIN_VALUE })).status).to.equal(200)
  })

  it('takes no confirmation that went to another app', async () => {
    await enableMail(server, owner)
    const { confirmation_code: code } = await confirmed(server, undefined, 'drive')
    const answer = await owner.browser.get(`/auth/passkey?code=${code}&state=my%20state`)
    expect(answer.location).to.include('/auth/confirm?')
  })

  describe('beside mailed passcodes', () => {
    beforeEach(() => enableMail(server, owner))

    it('makes no challenge on HEAD', async () => {
      const fields = await confirmed(server, undefined, `${ALICE}/auth/passkey`)
      const url = `/auth/passkey?code=${fields.confirmation_code}&state=my%20state`
      const answer = await owner.browser.request('HEAD', url)
      expect(answer.status).to.equal(200)
      expect(answer.setCookies).to.deep.equal([])
    })

    it('adds the passkey under its name, leads back to the settings, and tells the owner', async () => {
      const browser = owner.browser
      const response = await passkeyPage(server, owner)
      expect(response.status).to.equal(200)
      expect(response.headers['content-security-policy']).to.include(
        "form-action 'self' https://settings.alice.example.com",
      )
      expect(response.headers['cross-origin-opener-policy']).to.equal('same-origin')
      const page = response.page()
      const options = optionsOf(page)
      expect(options['rp']).to.deep.equal({ id: 'alice.example.com', name: 'alice.example.com' })
      const answer = await browser.submit(page.form('/auth/passkey'), {
        credential: softwareAuthenticator(ALICE).create(options),
        label: '  My\nkey\u2028 ',
      })
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal('https://settings.alice.example.com/#/factors')
      const { passkeys } = await shownFactors(owner)
      expect(passkeys.map(({ label }) => label)).to.deep.equal(['My key'])
      await server.sentMails()
      expect(server.mails.at(-1)?.variables).to.include({
        change: 'passkey_added',
        factor: 'passkey',
      })
    })

    const refused: readonly [what: string, tampering: Tampering][] = [
      ['of an app', { origin: 'https://drive.alice.example.com' }],
      ['of a look-alike', { origin: 'https://alice.example.com.evil.example' }],
      ['for another host', { rpId: 'example.com' }],
      ['with a challenge of its own', { challenge: 'AAAA' }],
      ['that is an assertion', { type: 'webauthn.get' }],
      ['made in a frame', { crossOrigin: true }],
      ['made without the owner', { userPresent: false }],
      ['of an algorithm that was not offered', { algorithm: -35 }],
      ['with certificates', { certificates: true }],
    ]
    for (const [what, tampering] of refused) {
      it(`answers 422 and the page again to a credential ${what}`, async () => {
        const page = (await passkeyPage(server, owner)).page()
        const credential = softwareAuthenticator(ALICE).create(optionsOf(page), tampering)
        const answer = await owner.browser.submit(page.form('/auth/passkey'), { credential })
        expect(answer.status).to.equal(422)
        const again = answer.page()
        expect(again.form('/auth/passkey').value('confirmation_state')).to.equal('my state')
        expect(optionsOf(again)['challenge']).not.to.equal(optionsOf(page)['challenge'])
        expect((await shownFactors(owner)).passkeys).to.deep.equal([])
      })
    }

    it('is one passkey however often the form comes, and leads on each time', async () => {
      const { browser } = owner
      const page = (await passkeyPage(server, owner)).page()
      const device = softwareAuthenticator(ALICE)
      const credential = device.create(optionsOf(page))
      const form = page.form('/auth/passkey')
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => browser.submit(form, { credential, label: 'Key' })),
      )
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([302]))
      const other = (await passkeyPage(server, owner)).page()
      const again = device.create(optionsOf(other))
      await browser.submit(other.form('/auth/passkey'), { credential: again, label: 'Other' })
      const { passkeys } = await shownFactors(owner)
      expect(passkeys.map(({ label }) => label)).to.deep.equal(['Key'])
      await server.sentMails()
      const changes = server.mails.filter(({ template }) => template === 'auth_mode_changed')
      expect(changes).to.have.lengthOf(2)
    })

    it('takes a registration once', async () => {
      const { browser } = owner
      const page = (await passkeyPage(server, owner)).page()
      const form = page.form('/auth/passkey')
      const credentials = Array.from({ length: 5 }, () =>
        softwareAuthenticator(ALICE).create(optionsOf(page)),
      )
      const answers = await Promise.all(
        credentials.map((credential) => browser.submit(form, { credential })),
      )
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).to.deep.equal([302, 422, 422, 422, 422])
      expect((await shownFactors(owner)).passkeys).to.have.lengthOf(1)
    })

    it('leads to the missing step when session or confirmation ended meanwhile', async () => {
      const { browser } = owner
      const page = (await passkeyPage(server, owner)).page()
      const credential = softwareAuthenticator(ALICE).create(optionsOf(page))
      server.clock.advance(300_001)
      const late = await browser.submit(page.form('/auth/passkey'), { credential })
      expect(late.status).to.equal(302)
      expect(late.location).to.include('/auth/confirm?')
      await owner.call('DELETE', '/auth/login')
      const out = await browser.submit(page.form('/auth/passkey'), { credential })
      expect(out.location).to.equal(`${ALICE}/auth/login?redirect=${BACK}`)
    })

    it('is taken by the login, and not twice', async () => {
      const device = await enablePasskey(server, owner)
      expect(await logsIn(server, assertion(server, device))).to.equal(true)
      let used: Record<string, string> = {}
      const once: Answer = async (token) => {
        used = await assertion(server, device)(token)
        return used
      }
      expect(await logsIn(server, once)).to.equal(true)
      expect(await logsIn(server, () => used)).to.equal(false)
    })

    it('is refused by the login when the counter stands still', async () => {
      const device = await enablePasskey(server, owner, softwareAuthenticator(ALICE, 5))
      expect(await logsIn(server, assertion(server, device))).to.equal(true)
      expect(await logsIn(server, assertion(server, device, { counter: 6 }))).to.equal(false)
      expect(await logsIn(server, assertion(server, device))).to.equal(true)
    })

    it('is taken by the confirmation', async () => {
      const device = await enablePasskey(server, owner)
      const fields = await confirmed(server, assertion(server, device))
      expect(fields.confirmation_code).to.match(/^[0-9a-f]{32}$/)
    })

    it('is removed by its id, and then refused', async () => {
      const device = await enablePasskey(server, owner)
      const fields = await confirmed(server)
      const path = `/settings/factors/passkeys/${device.credentialId}`
      expect((await owner.call('DELETE', path, fields)).status).to.equal(204)
      expect((await owner.call('DELETE', path, fields)).status).to.equal(404)
      expect((await shownFactors(owner)).passkeys).to.deep.equal([])
      expect(await logsIn(server, assertion(server, device))).to.equal(false)
    })

    it('needs something that can be typed beside it, where it is asked for', async () => {
      await enablePasskey(server, owner)
      const fields = await confirmed(server)
      const asked = { ...fields, enabled: true }
      await owner.call('PUT', '/settings/factors/passkey_after_passphrase', asked)
      const remove = async (factor: string) =>
        (await owner.call('DELETE', `/settings/factors/${factor}`, fields)).status
      expect(await remove('mail')).to.equal(409)
      expect((await shownFactors(owner)).mail.enabled).to.equal(true)
      await owner.call('POST', '/settings/factors/recovery_codes', fields)
      expect(await remove('mail')).to.equal(204)
      expect(await remove('recovery_codes')).to.equal(409)
      const secret = await enableTotp(server, owner, fields)
      expect(await remove('recovery_codes')).to.equal(204)
      expect(await remove('totp')).to.equal(409)
      server.clock.advance(30_000)
      const code = { 'two-factor-passcode': totpCode(server, secret) }
      expect(await logsIn(server, () => code)).to.equal(true)
    })

    it('is one of twenty at most', async () => {
      for (let at = 0; at < 20; at += 1) {
        await enablePasskey(server, owner)
        // Each confirmation takes a second step, and those are limited.
        server.clock.advance(600_000)
      }
      expect((await passkeyPage(server, owner)).status).to.equal(409)
      expect((await shownFactors(owner)).passkeys).to.have.lengthOf(20)
    })
  })
})

describe('an assertion, used at once from two processes', () => {
  eachStore((open, name) => {
    it('lets one of 50 in', async () => {
      const store = await open()
      const { server: first } = await startFactors({ store })
      const owner = await ownerAt(first)
      await enableMail(first, owner)
      const device = await enablePasskey(first, owner)
      const secondStore = name === 'Redis' ? await open({ sameAs: store }) : store
      const second = await startUi({ store: secondStore, key: first.key, clock: first.clock })
      const begun = await logIn(first.browser(), {}, JSON_ONLY)
      const { two_factor_token: token = '' } = begun.json<Record<string, string>>()
      const fields = { 'two-factor-token': token, ...(await assertion(first, device)(token)) }
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          (at % 2 === 0 ? first : second)
            .browser()
            .post('/auth/twofactor', fields, { headers: JSON_ONLY }),
        ),
      )
      const winners = answers.filter(({ status }) => status === 200)
      expect(winners).to.have.lengthOf(1)
      for (const { status } of answers) expect(status).to.be.oneOf([200, 401, 429])
      await second.close()
      await first.close()
    }).timeout(20_000)
  })
})
