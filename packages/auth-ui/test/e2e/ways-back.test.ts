import { needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { accept, type BrowserSteps, refuse, startBrowserSteps } from '../support/browser-steps.ts'

const DERIVED = 'I2XwfBpy0jmy1ZaG2NiejXnYAE5szlgYZubouBnUoU0='
/** Of {@link CHOSEN} with 650 000 iterations. */
const DERIVED_NEW = 'ttwIeDYsU4F67vtB+YmneTRRRcIJNoK/1MtfQ06dJog='
const PASSPHRASE = 'correct horse battery staple'
const CHOSEN = 'plume cadran hibou tisane'
const CSRF = 'c'.repeat(32)

describe('reset, magic links and confirmation, in a browser', function () {
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
  const arrived = (): Promise<void> => page.waitForURL(`${steps.origin}/blocked`)
  const passphrase = () => page.locator('#passphrase')

  const derived: readonly [name: string, button: string, fields: Record<string, string>][] = [
    [
      'confirm',
      'Confirm',
      {
        csrf_token: CSRF,
        state: 's',
        redirect: 'http://home.alice.localhost:8080/#/send',
        'trusted-device-token': 'trusted',
        passphrase: DERIVED,
      },
    ],
    [
      'magic-passphrase',
      'Log in',
      {
        csrf_token: CSRF,
        magic_code: 'm'.repeat(32),
        redirect: 'drive/#/folder/7',
        passphrase: DERIVED,
      },
    ],
  ]
  for (const [name, button, fields] of derived) {
    it(`${name} sends what was derived, never what was typed`, async () => {
      await open('blocked')
      await page.evaluate(() => localStorage.setItem('trusted-device-token', 'trusted'))
      await open(name)
      await passphrase().fill(PASSPHRASE)
      await page.getByRole('button', { name: button, exact: true }).click()
      await arrived()
      expect(posted()).to.deep.equal(fields)
    })
  }

  it('a confirmation goes on to the second step when there is one', async () => {
    steps.answer = (ctx) => {
      ctx.body = { two_factor_token: 't', redirect: '/passcode-passkey' }
    }
    await open('confirm-app')
    await passphrase().fill(PASSPHRASE)
    await passphrase().press('Enter')
    await page.waitForURL(`${steps.origin}/passcode-passkey`)
  })

  it('a confirmation can be cancelled', async () => {
    await open('confirm-app')
    const link = page.getByRole('link', { name: 'Cancel' })
    expect(await link.getAttribute('href')).to.equal('http://home.alice.localhost:8080/#/send')
  })

  const over: readonly [name: string, code: string][] = [
    ['renew', 'invalid_token'],
    ['choose', 'already_onboarded'],
    ['magic-passphrase', 'invalid_magic_code'],
  ]
  for (const [name, code] of over) {
    it(`${name} is loaded again on ${code}, which says where to go`, async () => {
      steps.answer = refuse(400, code)
      await open(name)
      await passphrase().fill(CHOSEN)
      const again = page.waitForEvent('load')
      await passphrase().press('Enter')
      await again
      expect(await passphrase().inputValue()).to.equal('')
    })
  }

  it('a new passphrase is derived with its own number of iterations', async () => {
    await open('renew')
    await passphrase().fill(CHOSEN)
    await page.getByLabel('Reminder').fill('the comic')
    await page.getByRole('button', { name: 'Set the new passphrase' }).click()
    await arrived()
    expect(posted()).to.deep.equal({
      csrf_token: CSRF,
      passphrase_reset_token: '0123456789abcdef0123456789abcdef',
      from: '',
      iterations: '650000',
      passphrase: DERIVED_NEW,
      hint: 'the comic',
    })
  })

  const plainForms: readonly [name: string, button: string, fields: Record<string, string>][] = [
    ['reset', 'Email me the link', { csrf_token: CSRF, redirect: '', from: '' }],
    ['reset', 'Email me my reminder', { csrf_token: CSRF, redirect: '' }],
    ['magic-open', 'Log in', { csrf_token: CSRF, code: 'm'.repeat(32), redirect: '' }],
    ['login-magic', 'Email me a login link', { csrf_token: CSRF, redirect: 'drive/' }],
    ['activation-bad-token', 'Email me a new link', { csrf_token: CSRF }],
  ]
  for (const [name, button, fields] of plainForms) {
    it(`${name}: "${button}" works without a script`, async () => {
      steps.answer = (ctx) => ctx.redirect('/blocked')
      const context = await steps.browser.newContext({ javaScriptEnabled: false })
      const plain = await context.newPage()
      await plain.goto(`${steps.origin}/${name}`)
      await plain.getByRole('button', { name: button, exact: true }).click()
      await plain.waitForURL(`${steps.origin}/blocked`)
      expect(posted()).to.deep.equal(fields)
      await context.close()
    })

    it(`${name}: "${button}" is sent once, however often it is pressed`, async () => {
      // The page does not go away: what a slow server looks like.
      steps.answer = (ctx) => {
        ctx.status = 204
      }
      await open(name)
      const press = page.getByRole('button', { name: button, exact: true })
      const form = page.locator('form', { has: press })
      const handle = await form.elementHandle()
      await press.click()
      await form.page().locator('button[aria-busy=true]').waitFor()
      await handle?.evaluate((it) => (it as HTMLFormElement).requestSubmit())
      expect(steps.server.posted).to.have.lengthOf(1)
      expect(posted()).to.deep.equal(fields)
    })
  }

  it('a link by mail keeps the place in the app that sent the owner here', async () => {
    steps.answer = (ctx) => ctx.redirect('/blocked')
    await open('login-magic#/folder/7')
    await page.getByRole('button', { name: 'Email me a login link' }).click()
    await arrived()
    expect(posted()['redirect']).to.equal('drive/#/folder/7')
  })

  it('the way to a new passphrase keeps where the owner was going', async () => {
    await open('login-magic')
    const link = page.getByRole('link', { name: 'Forgot your passphrase?' })
    expect(await link.getAttribute('href')).to.equal('/auth/passphrase_reset?redirect=drive%2F')
  })
})
