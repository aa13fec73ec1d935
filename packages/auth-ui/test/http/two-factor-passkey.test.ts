import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { passkeyCreationOptions, verifyRegistration } from '../../src/factors/passkeys.ts'
import { newRecoveryCodes } from '../../src/factors/recovery-codes.ts'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { JSON_ONLY, ownerOf, passStep1, passStep2, setFactors } from '../support/second-step.ts'
import {
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from '../support/software-authenticator.ts'
import { ALICE, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

describe('POST /auth/twofactor with a passkey', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  let device: SoftwareAuthenticator
  let recoveryCodes: readonly string[]
  beforeEach(async () => {
    ;({ server, instance, browser } = await withAlice(startUi()))
    const { store, clock } = server
    const services = { store, clock, lifetimes: DEFAULT_LIFETIMES }
    const owner = await ownerOf(server, instance)
    device = softwareAuthenticator(ALICE, 1)
    const options = await passkeyCreationOptions(services, instance, owner, 'confirmation')
    const credential = { json: device.create(options), label: 'Key' }
    const made = await verifyRegistration(services, instance, owner, 'confirmation', credential)
    if (made === undefined) throw new Error('no passkey')
    const { codes, recovery } = newRecoveryCodes(instance, 0)
    recoveryCodes = codes
    await setFactors(server, instance, { passkeys: [made.passkey], recovery })
  })

  /** Of the page: what the browser's script gives `navigator.credentials.get`. */
  async function optionsOf(token: string): Promise<Readonly<Record<string, unknown>>> {
    const page = (await browser.get(`/auth/twofactor?two_factor_token=${token}`)).page()
    return JSON.parse(page.attribute('data-options') ?? '')
  }
  const answer = (token: string, assertion: string, more = {}): Promise<BrowserResponse> =>
    passStep2(browser, token, '', { 'two-factor-assertion': assertion, ...more }, JSON_ONLY)

  it('answers 200 with a cookie, mails nothing, and moves the counter', async () => {
    const token = await passStep1(browser)
    const done = await answer(token, device.get(await optionsOf(token)))
    expect(done.status).to.equal(200)
    expect(done.setCookie('svcsessid')).not.to.equal(undefined)
    expect(server.mails).to.deep.equal([])
    const [passkey] = (await ownerOf(server, instance)).factors?.passkeys ?? []
    expect(passkey?.counter).to.equal(device.counter)
    expect(passkey?.lastUsed).to.be.a('number')
  })

  it('takes an assertion for its own challenge only, once', async () => {
    const first = await passStep1(browser)
    const second = await passStep1(browser)
    const assertion = device.get(await optionsOf(first))
    expect((await answer(second, assertion)).json()).to.include({ code: 'two_factor_invalid' })
    expect((await answer(first, assertion)).status).to.equal(200)
    const again = await passStep2(browser.another(), first, '', {
      'two-factor-assertion': assertion,
    })
    expect(again.status).to.equal(401)
  })

  it('does not take a right code beside a wrong assertion', async () => {
    const token = await passStep1(browser)
    const fields = { 'two-factor-passcode': recoveryCodes[0] ?? '' }
    expect((await answer(token, 'x', fields)).status).to.equal(401)
    expect((await ownerOf(server, instance)).factors?.recovery?.hashes).to.have.lengthOf(10)
  })

  it('lets a lost passkey be replaced by a recovery code', async () => {
    const token = await passStep1(browser)
    expect((await passStep2(browser, token, recoveryCodes[0] ?? '')).status).to.equal(302)
  })

  it('says so when the assertion is wrong, and shows the form', async () => {
    const token = await passStep1(browser)
    const assertion = device.get(await optionsOf(token), { flipsSignature: true })
    const page = await passStep2(browser, token, '', { 'two-factor-assertion': assertion })
    expect(page.status).to.equal(401)
    expect(page.page().form('/auth/twofactor').value('two-factor-token')).to.equal(token)
  })

  it('one of 20 parallel uses of an assertion wins', async () => {
    const token = await passStep1(browser)
    const assertion = device.get(await optionsOf(token))
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        passStep2(browser.another(), token, '', { 'two-factor-assertion': assertion }, JSON_ONLY),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).to.have.lengthOf(1)
    expect(statuses.filter((status) => status === 401)).to.have.lengthOf(19)
  })
})
