import { addAuthenticator, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  accept,
  addPasskey,
  type BrowserSteps,
  refuse,
  startBrowserSteps,
} from '../support/browser-steps.ts'

const PASSKEY_ID = 'AAECAwQFBgcICQoLDA0ODw'

describe('the second step, in a browser', function () {
  this.timeout(60_000)
  let steps: BrowserSteps
  let page: Page

  before(async function () {
    needsChromium(this)
    steps = await startBrowserSteps()
  })
  beforeEach(async () => {
    steps.server.posted.length = 0
    steps.answer = accept
    page = await (await steps.browser.newContext()).newPage()
  })
  afterEach(() => page.context().close())
  after(() => steps?.close())

  const open = (name: string): Promise<unknown> => page.goto(`${steps.origin}/${name}`)
  const posted = (): Record<string, string> => Object.fromEntries(steps.server.posted[0] ?? [])
  const code = () => page.locator('#passcode')
  const arrived = (): Promise<void> => page.waitForURL(`${steps.origin}/blocked`)

  it('sends the code, and keeps the proof that this browser is trusted', async () => {
    steps.answer = (ctx) => {
      ctx.body = { redirect: '/blocked', two_factor_trusted_device_token: 'trusted' }
    }
    await open('passcode')
    await page.getByLabel('Trust this device').check()
    await code().fill('123 456')
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await arrived()
    expect(posted()).to.deep.equal({
      csrf_token: 'c'.repeat(32),
      'two-factor-token': 't'.repeat(96),
      'two-factor-passcode': '123456',
      'two-factor-generate-trusted-device-token': 'true',
    })
    await open('login')
    await page.getByLabel('Passphrase', { exact: true }).fill('correct horse')
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await arrived()
    expect(steps.server.posted[1]?.get('trusted-device-token')).to.equal('trusted')
  })

  it('says beside the field that the code is wrong, and lets it be typed over', async () => {
    steps.answer = refuse(401, 'two_factor_invalid')
    await open('passcode')
    await code().fill('111111')
    await code().press('Enter')
    await page.getByText('That code didn’t work.').waitFor()
    expect(await code().inputValue()).to.equal('111111')
    expect(await code().getAttribute('aria-invalid')).to.equal('true')
    await page.keyboard.type('222222')
    expect(await code().inputValue()).to.equal('222222')
  })

  it('asks for a code without sending anything', async () => {
    await open('passcode')
    await code().press('Enter')
    await page.getByText('Type the code.').waitFor()
    expect(steps.server.posted).to.have.lengthOf(0)
  })

  for (const ending of ['two_factor_expired', 'two_factor_off']) {
    it(`leads back to the start on ${ending}, with what was asked for`, async () => {
      steps.answer = refuse(401, ending)
      await open('passcode')
      await code().fill('123456')
      await code().press('Enter')
      await page.getByText('This code has expired.').waitFor()
      const link = page.getByRole('link', { name: 'Start again' })
      expect(await link.getAttribute('href')).to.equal('/auth/login?redirect=drive%2F')
      expect(await link.evaluate((it) => it === document.activeElement)).to.equal(true)
      expect(await page.locator('main').innerText(), 'nothing asks for a code').to.not.match(
        /6-digit code/u,
      )
      const [notice, button] = await Promise.all([
        page.locator('#expired .notice').boundingBox(),
        link.boundingBox(),
      ])
      const gap = (button?.y ?? 0) - (notice?.y ?? 0) - (notice?.height ?? 0)
      expect(gap, 'pixels between the two').to.be.at.least(8)
    })
  }

  it('counts down, says so now and then, and ends on a way to start again', async () => {
    await page.clock.install()
    await open('passcode')
    await page.getByText('Time left: 5:00').waitFor()
    expect(await page.locator('#time-said').textContent()).to.equal('')
    await page.clock.runFor(60_000)
    await page.locator('#time', { hasText: 'Time left: 4:00' }).waitFor()
    expect(await page.locator('#time-said').textContent()).to.equal('Time left: 4:00')
    await page.clock.runFor(240_000)
    await page.getByText('This code has expired.').waitFor()
    expect(await code().isVisible()).to.equal(false)
  })

  it('mails a new code once the first had time to arrive', async () => {
    steps.answer = (ctx) => ctx.redirect('/blocked')
    await page.clock.install()
    await open('passcode')
    const button = page.locator('#resend button')
    expect(await button.textContent()).to.equal('Email me a new code (30\u00a0s)')
    await button.click({ force: true })
    expect(steps.server.posted).to.have.lengthOf(0)
    await page.clock.runFor(31_000)
    await page.getByRole('button', { name: 'Email me a new code', exact: true }).click()
    await page.clock.runFor(1000)
    await arrived()
    expect(posted()).to.deep.equal({
      csrf_token: 'c'.repeat(32),
      'two-factor-token': 't'.repeat(96),
    })
  })

  it('shows the keys that a code needs: digits, or letters for a recovery code', async () => {
    await open('passcode-app')
    expect(await code().getAttribute('inputmode')).to.equal('numeric')
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    expect(await code().getAttribute('inputmode')).to.equal('text')
    expect(await page.getByLabel('Recovery code').count()).to.equal(1)
    await page.keyboard.type('abcde-fghjk')
    await page.keyboard.press('Enter')
    await arrived()
    expect(posted()['two-factor-passcode']).to.equal('abcde-fghjk')
  })

  const samples: readonly [sample: string, digits: string, recovery: string][] = [
    [
      'passcode-app',
      'Enter the 6-digit code from your authenticator app.',
      'Enter one of your recovery codes. Each works once.',
    ],
    [
      'passcode-all',
      '6 digits, from your authenticator app or the email we just sent',
      'One of your recovery codes',
    ],
  ]
  for (const [sample, digits, recovery] of samples) {
    it(`says on ${sample} what the field takes, and what is wrong with it, for either code`, async () => {
      steps.answer = refuse(401, 'two_factor_invalid')
      await open(sample)
      const main = page.locator('main')
      expect(await main.innerText())
        .to.include(digits)
        .and.not.include(recovery)
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
      const shown = await main.innerText()
      expect(shown).to.include(recovery).and.not.include(digits)
      // The one mention left is the button that leads back.
      expect(shown.match(/6[ -]digit/giu)).to.have.lengthOf(1)
      await code().press('Enter')
      await page.getByText('Type one of your recovery codes.').waitFor()
      await code().fill('abcde-fghjk')
      await code().press('Enter')
      await page.getByText('That recovery code didn’t work, or it was used before.').waitFor()
      await page.getByRole('button', { name: 'Use a 6-digit code' }).click()
      expect(await main.innerText())
        .to.include(digits)
        .and.not.include(recovery)
      await code().fill('111111')
      await code().press('Enter')
      await page.getByText('That code didn’t work. Check it, or ask for a new one.').waitFor()
    })
  }

  it('takes a code and a recovery code without a script', async () => {
    steps.answer = (ctx) => ctx.redirect('/blocked')
    const context = await steps.browser.newContext({ javaScriptEnabled: false })
    const plain = await context.newPage()
    await plain.goto(`${steps.origin}/passcode-all`)
    expect(await plain.locator('main').innerText()).to.include('You can enter a recovery code here')
    expect(await plain.getByRole('button', { name: 'Use your passkey' }).isVisible()).to.equal(
      false,
    )
    await plain.locator('#passcode').fill('abcde-fghjk')
    await plain.getByRole('button', { name: 'Log in', exact: true }).click()
    await plain.waitForURL(`${steps.origin}/blocked`)
    expect(posted()['two-factor-passcode']).to.equal('abcde-fghjk')
    await context.close()
  })

  it('says so when no passkey answered, and stays with the other ways', async () => {
    await addPasskey(page, 'AAAAAAAAAAAAAAAAAAAAAA')
    await open('passcode-all')
    const button = page.getByRole('button', { name: 'Use your passkey' })
    await button.click()
    await page.getByText('Your passkey didn’t work.').waitFor()
    await button.and(page.locator(':enabled')).waitFor()
    await code().and(page.locator(':enabled')).waitFor()
    expect(steps.server.posted).to.have.lengthOf(0)
  })

  it('says so when the passkey was not accepted', async () => {
    steps.answer = refuse(401, 'two_factor_invalid')
    await addPasskey(page, PASSKEY_ID)
    await open('passcode-all')
    await page.getByRole('button', { name: 'Use your passkey' }).click()
    await page.getByText('Your passkey didn’t work.').waitFor()
    expect(await code().getAttribute('aria-invalid')).to.equal(null)
  })

  it('hides the passkey where the browser has none, says so, and starts at the code', async () => {
    await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'))
    await open('passcode-all')
    await page.getByText('This browser can’t use your passkey.').waitFor()
    expect(await page.getByRole('button', { name: 'Use your passkey' }).isVisible()).to.equal(false)
    expect(await code().evaluate((it) => it === document.activeElement)).to.equal(true)
  })

  describe('adding a passkey', () => {
    it('makes one on the device and sends it with its name', async () => {
      steps.answer = (ctx) => ctx.redirect('/blocked')
      await addAuthenticator(page)
      await open('passkey')
      await page.getByLabel('Name').fill('My laptop')
      await page.getByRole('button', { name: 'Create the passkey' }).click()
      await arrived()
      const { credential = '', ...rest } = posted()
      expect(rest).to.deep.equal({
        csrf_token: 'c'.repeat(32),
        confirmation_code: 'f'.repeat(32),
        confirmation_state: 's',
        label: 'My laptop',
      })
      const parsed = JSON.parse(credential) as { type: string; response: object }
      expect(parsed.type).to.equal('public-key')
      expect(parsed.response).to.include.keys('attestationObject', 'clientDataJSON')
    })

    it('says so when none was made, and can be tried again', async () => {
      await page.addInitScript(() => {
        navigator.credentials.create = () =>
          Promise.reject(new DOMException('cancelled', 'NotAllowedError'))
      })
      await open('passkey')
      const button = page.getByRole('button', { name: 'Create the passkey' })
      await button.click()
      await page.getByText('No passkey was added').waitFor()
      await button.and(page.locator(':enabled')).waitFor()
      expect(steps.server.posted).to.have.lengthOf(0)
    })

    it('wants a name', async () => {
      await open('passkey')
      await page.getByLabel('Name').fill(' ')
      await page.getByRole('button', { name: 'Create the passkey' }).click()
      await page.getByText('Give the passkey a name.').waitFor()
    })

    it('says so where the browser cannot make one', async () => {
      await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'))
      await open('passkey')
      await page.getByText('This browser can’t create passkeys here.').waitFor()
      const button = page.getByRole('button', { name: 'Create the passkey' })
      expect(await button.isDisabled()).to.equal(true)
    })
  })
})
