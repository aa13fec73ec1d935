import type { Locator, Page } from 'playwright-core'
import type { TourOwner } from './tour-owner.ts'
import type { TourTexts } from './tour-texts.ts'

/** What the owner does in a page, by the words on it. */
export interface TourSteps {
  button(name: string, within?: Locator): Locator
  /** The button of a consent page that allows, whatever time it names. */
  allowButton(): Locator
  /** Opens the login page and gives the passphrase there. */
  logIn(passphrase?: string): Promise<void>
  /** Gives the passphrase on the page that is open. */
  givePassphrase(passphrase?: string): Promise<void>
  /** Waits for the page of the second step. */
  isAskedMore(): Promise<void>
  /** Types a code of the second step, waiting for its page. */
  giveCode(code: string): Promise<void>
  isHome(): Promise<void>
  isLoggedOut(): Promise<void>
  /** From the start page. */
  logOut(): Promise<void>
  /** The settings app, then one of its sections. */
  openSettings(section: 'apps' | 'devices' | 'security'): Promise<void>
  /** Passphrase, and a code if there is a second step, on the page that asks for a confirmation. */
  confirm(code?: string): Promise<void>
  /** What the settings say was done. */
  isDone(text: string): Promise<void>
}

/** @param page - a browser of this owner */
export function tourSteps(
  page: Page,
  owner: TourOwner,
  { ui, home, settings }: TourTexts,
): TourSteps {
  const heading = (name: string): Locator => page.getByRole('heading', { name, exact: true })
  const button = (name: string, within?: Locator): Locator =>
    (within ?? page).getByRole('button', { name, exact: true })

  async function givePassphrase(passphrase = owner.passphrase): Promise<void> {
    await page.getByLabel(ui('login.passphrase'), { exact: true }).fill(passphrase)
    await button(ui('login.submit')).click()
  }

  async function isAskedMore(): Promise<void> {
    await heading(ui('passcode.title')).waitFor()
  }

  async function answerCode(code: string, submit: string): Promise<void> {
    await isAskedMore()
    await page.locator('#passcode').fill(code)
    await button(ui(submit)).click()
  }

  async function isLoggedOut(): Promise<void> {
    await page.waitForURL((url) => url.pathname === '/auth/login')
    await heading(ui('login.title')).waitFor()
  }

  async function isHome(): Promise<void> {
    await page.waitForURL((url) => url.origin === owner.app('home'))
    await heading(home('home.hello')).waitFor()
    await button(home('home.logOut')).waitFor()
  }

  return {
    allowButton: () => page.locator('#consent button[type=submit]'),
    button,
    givePassphrase,
    isAskedMore,
    isHome,
    isLoggedOut,
    async logIn(passphrase) {
      await page.goto(`${owner.origin}/auth/login`)
      await givePassphrase(passphrase)
    },
    giveCode: (code) => answerCode(code, 'passcode.submit.login'),
    async logOut() {
      await page.goto(`${owner.origin}/`)
      await isHome()
      await button(home('home.logOut')).click()
      await isLoggedOut()
    },
    async openSettings(section) {
      await page.goto(`${owner.app('settings')}/`)
      await page.locator('#content[aria-busy=false]').waitFor()
      const name = settings(`${section}.title`)
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
      await page.locator('#content[aria-busy=false]').waitFor()
    },
    async confirm(code) {
      await heading(ui('confirm.title')).waitFor()
      await page.getByLabel(ui('login.passphrase'), { exact: true }).fill(owner.passphrase)
      await button(ui('confirm.submit')).click()
      if (code !== undefined) await answerCode(code, 'passcode.submit.confirm')
    },
    async isDone(text) {
      await page.locator('#done').filter({ hasText: text }).waitFor()
    },
  }
}
