import type { Instance } from '@svc/platform'
import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import { confirmedFor, EMAIL, lastMail, type OwnerAt, ownerAt } from '../support/factor-flows.ts'
import { enablePasskey, optionsOf, passkeyLogin, passkeyPage } from '../support/passkey-flows.ts'
import { changeOwner, ownerOf } from '../support/second-step.ts'
import {
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from '../support/software-authenticator.ts'
import { ALICE, logIn, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const ASKED = '/settings/factors/passkey_after_passphrase'

describe('passkeys beside the passphrase', () => {
  let server: UiServer
  let owner: OwnerAt
  let instance: Instance
  let browser: BrowserClient
  beforeEach(async () => {
    ;({ server, instance } = await withAlice(startUi(), { email: EMAIL }))
    owner = await ownerAt(server)
    browser = server.browser()
  })

  const add = (counter = 0): Promise<SoftwareAuthenticator> =>
    enablePasskey(server, owner, softwareAuthenticator(ALICE, counter))
  const shown = async () => {
    const answer = await owner.call('GET', '/settings/factors')
    return answer.json<{ data: { attributes: Record<string, unknown> } }>().data.attributes
  }
  const asksMore = async (): Promise<boolean> => {
    const answer = await logIn(server.browser(), {}, JSON_ONLY)
    return answer.json<{ two_factor_token?: string }>().two_factor_token !== undefined
  }

  describe('as a second step', () => {
    it('are none at first: the passphrase alone logs in, and the owner hears of the new passkey', async () => {
      await add()
      expect(await asksMore()).to.equal(false)
      expect((await shown())['passkey_after_passphrase']).to.equal(false)
      await server.sentMails()
      expect(lastMail(server, 'auth_mode_changed').change).to.equal('passkey_added')
    })

    it('are one where they were made before, and log in alone only when they were made for it', async () => {
      const device = await add()
      await changeOwner(server, instance, ({ factors, ...rest }) => {
        const passkeys = (factors?.passkeys ?? []).map(
          ({ id, publicKey, counter, transports, label, createdAt }) => ({
            id,
            publicKey,
            counter,
            transports,
            label,
            createdAt,
          }),
        )
        return { ...rest, factors: { passkeys } }
      })
      expect((await shown())['passkey_after_passphrase']).to.equal(true)
      expect(await asksMore()).to.equal(true)
      expect((await passkeyLogin(browser, device)).status).to.equal(401)
    })

    it('are switched on beside recovery codes only, and off again', async () => {
      const device = await add()
      const fields = await confirmedFor(server, owner)
      const on = { ...fields, enabled: true }
      expect((await owner.call('PUT', ASKED, { enabled: true })).status).to.equal(403)
      const refused = await owner.call('PUT', ASKED, on)
      expect(refusalOf(refused)).to.equal('409 factor_needed')
      expect(
        (await owner.call('POST', '/settings/factors/recovery_codes', fields)).status,
      ).to.equal(200)
      expect((await owner.call('PUT', ASKED, on)).status).to.equal(204)
      expect(await asksMore()).to.equal(true)
      expect((await passkeyLogin(browser, device)).status, 'alone').to.equal(200)
      const codes = await owner.call('DELETE', '/settings/factors/recovery_codes', fields)
      expect(codes.status).to.equal(409)
      expect((await owner.call('PUT', ASKED, { ...fields, enabled: false })).status).to.equal(204)
      expect(await asksMore()).to.equal(false)
      expect((await owner.call('PUT', ASKED, { ...fields, enabled: 'x' })).status).to.equal(400)
    })

    it('stay when the host switches the second step off', async () => {
      const device = await add()
      await server.ui.owners.setAuthMode(instance, 'two_factor_mail')
      expect(await asksMore()).to.equal(true)
      await server.ui.owners.setAuthMode(instance, 'basic')
      expect(await asksMore()).to.equal(false)
      expect((await passkeyLogin(browser, device)).status).to.equal(200)
    })
  })

  it('that never verify their user are a second step only', async () => {
    const page = (await passkeyPage(server, owner)).page()
    const device = softwareAuthenticator(ALICE)
    const options = optionsOf(page)
    expect(options['authenticatorSelection']).to.deep.include({
      residentKey: 'required',
      userVerification: 'required',
    })
    const weak = device.create(options, { userVerified: false })
    const form = page.form('/auth/passkey')
    const refused = await owner.browser.submit(form, { credential: weak })
    expect(refused.status).to.equal(422)
    const again = refused.page()
    const answer = await owner.browser.post('/auth/passkey', [
      ...again.form('/auth/passkey').fields.filter(([name]) => name !== 'credential'),
      ['credential', device.create(optionsOf(again), { userVerified: false })],
      ['second_step_only', '1'],
    ])
    expect(answer.status).to.equal(302)
    expect((await passkeyLogin(browser, device)).status).to.equal(401)
  })

  it('are named anew in the settings, and 404 where there is none', async () => {
    const { credentialId } = await add()
    const path = `/settings/factors/passkeys/${credentialId}`
    const answer = await owner.call('PATCH', path, { label: ' My\nphone ' })
    expect(answer.status).to.equal(200)
    expect(answer.json<{ data: { attributes: object } }>().data.attributes).to.include({
      label: 'My phone',
      first_way: true,
      trusted: true,
    })
    expect(
      (await owner.call('PATCH', '/settings/factors/passkeys/x', { label: '' })).status,
    ).to.equal(404)
  })

  it('are suspended by a reset, until the owner says that they are hers', async () => {
    const device = await add()
    const { passphraseHash, iterations } = await ownerOf(server, instance)
    await server.ui.owners.resetPassphrase(instance, 'another horse, another battery')
    expect((await passkeyLogin(browser, device)).status).to.equal(401)
    // The passphrase that the other steps of these tests know.
    await changeOwner(server, instance, (known) => ({
      ...known,
      ...(passphraseHash === undefined ? {} : { passphraseHash }),
      iterations,
    }))
    owner = await ownerAt(server)
    const path = `/settings/factors/passkeys/${device.credentialId}`
    expect((await owner.call('PATCH', path, { trusted: true })).status).to.equal(403)
    const fields = await confirmedFor(server, owner)
    expect((await owner.call('PATCH', path, { ...fields, trusted: true })).status).to.equal(200)
    expect((await passkeyLogin(browser, device)).status).to.equal(200)
  })

  it('keep one another where nobody knows a passphrase', async () => {
    const [one, other] = [await add(), await add()]
    await changeOwner(server, instance, (known) => ({ ...known, passwordDefined: false }))
    const fields = await confirmedFor(server, owner)
    const remove = ({ credentialId }: SoftwareAuthenticator) =>
      owner.call('DELETE', `/settings/factors/passkeys/${credentialId}`, fields)
    const refused = await remove(one)
    expect(refusalOf(refused)).to.equal('409 no_way_in')
    await owner.call('POST', '/settings/factors/recovery_codes', fields)
    expect((await remove(one)).status).to.equal(204)
    expect((await remove(other)).status).to.equal(409)
    const codes = await owner.call('DELETE', '/settings/factors/recovery_codes', fields)
    expect(codes.status).to.equal(409)
  })

  it('that were removed are unknown', async () => {
    const device = await add()
    const fields = await confirmedFor(server, owner)
    await owner.call('DELETE', `/settings/factors/passkeys/${device.credentialId}`, fields)
    await server.sentMails()
    expect(lastMail(server, 'auth_mode_changed').change).to.equal('passkey_removed')
    const answer = await passkeyLogin(browser, device)
    expect(answer.json<{ code: string }>().code).to.equal('passkey_unknown')
  })

  describe('at /auth/confirm', () => {
    const confirmBy = async (device: SoftwareAuthenticator, query = '', more = {}) => {
      const page = (await browser.get(`/auth/confirm?state=x${query}`)).page()
      const options = JSON.parse(page.attribute('data-options') ?? '{}') as Record<string, unknown>
      const credential = device.get(options)
      return browser.post(
        '/auth/confirm',
        { state: 'x', credential, ...more },
        { headers: JSON_ONLY },
      )
    }

    it('confirm in place of passphrase and second step, once', async () => {
      const device = await add(1)
      await server.ui.owners.setAuthMode(instance, 'two_factor_mail')
      const answer = await confirmBy(device)
      expect(answer.status).to.equal(200)
      const url = new URL(answer.json<{ redirect: string }>().redirect)
      const code = url.searchParams.get('code') ?? ''
      expect((await browser.get(`/auth/confirm/${code}?state=x`)).status).to.equal(204)
      const strict = await browser.get(`/auth/confirm/${code}?state=x&require=passphrase`)
      expect(strict.status).to.equal(401)
    })

    it('are refused where the passphrase itself is asked for', async () => {
      const device = await add(1)
      const strict = (await browser.get('/auth/confirm?state=x&require=passphrase')).page()
      expect(strict.attribute('data-options')).to.equal(undefined)
      expect(strict.form('/auth/confirm').value('require')).to.equal('passphrase')
      expect((await confirmBy(device, '', { require: 'passphrase' })).status).to.equal(400)
    })
  })

  describe('offered after a login', () => {
    const OFFER = '/auth/passkey/offer?redirect=drive%2F%23%2Fa'

    it('are added without another confirmation, and lead on', async () => {
      const offer = await owner.browser.get(OFFER)
      expect(offer.status).to.equal(200)
      const page = offer.page()
      const device = softwareAuthenticator(ALICE)
      const credential = device.create(optionsOf(page))
      const { fields } = page.form('/auth/passkey')
      const kept = fields.filter(([name]) => name !== 'credential')
      const answer = await owner.browser.post(
        '/auth/passkey',
        [...kept, ['credential', credential]],
        { headers: JSON_ONLY },
      )
      expect(answer.status).to.equal(200)
      expect(answer.json<{ redirect: string }>().redirect).to.equal(
        'https://drive.alice.example.com/#/a',
      )
      expect((await passkeyLogin(browser, device)).status).to.equal(200)
      const done = await owner.browser.get(`${OFFER}&answered=1`)
      expect(done.location).to.equal('https://drive.alice.example.com/#/a')
    })

    it('are not offered later than five minutes, to strangers, or after another way in', async () => {
      const device = await add()
      expect((await browser.get(OFFER)).status).to.equal(302)
      await passkeyLogin(browser, device)
      expect((await browser.get(OFFER)).status).to.equal(302)
      const page = (await owner.browser.get(OFFER)).page()
      server.clock.advance(300_001)
      expect((await owner.browser.get(OFFER)).status).to.equal(302)
      const form = page.form('/auth/passkey')
      const credential = softwareAuthenticator(ALICE).create(optionsOf(page))
      expect((await owner.browser.submit(form, { credential })).status).to.equal(302)
      const kept = form.fields.filter(([name]) => name !== 'credential')
      const late = await owner.browser.post(
        '/auth/passkey',
        [...kept, ['credential', credential]],
        { headers: JSON_ONLY },
      )
      expect(refusalOf(late)).to.equal('403 confirmation_required')
      expect((await shown())['passkeys']).to.have.lengthOf(1)
      expect((await browser.get('/auth/passkey/offer?redirect=https%3A%2F%2Fx')).status).to.equal(
        400,
      )
    })
  })
})
