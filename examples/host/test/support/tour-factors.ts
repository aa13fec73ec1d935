import type { Page } from 'playwright-core'
import { authenticatorApp } from './authenticators.ts'
import type { TourOwner } from './tour-owner.ts'
import { tourSteps } from './tour-steps.ts'
import type { TourTexts } from './tour-texts.ts'

/** An authenticator app that was set up. */
export interface TourApp {
  readonly nextCode: () => Promise<string>
  /** What it was turned on with where nothing else stood beside it; otherwise none. */
  readonly recoveryCodes: readonly string[]
}

/** What the owner does in the section of the second step, which is open. `confirming`: when it asks for one. */
export interface TourFactors {
  setUpApp(confirming?: () => Promise<void>): Promise<TourApp>
  turnMailOff(confirming?: () => Promise<void>): Promise<void>
  turnMailOn(): Promise<void>
  /** The page needs a device that makes passkeys. */
  addPasskey(label: string): Promise<void>
  removePasskey(label: string, confirming?: () => Promise<void>): Promise<void>
  /** Texts of the cards, by kind. */
  card(kind: 'totp' | 'mail' | 'recovery' | 'passkey'): Promise<string>
  /** Whether the card says that it is on. */
  isOn(kind: 'totp' | 'mail' | 'recovery' | 'passkey'): Promise<boolean>
}

export function tourFactors(page: Page, owner: TourOwner, texts: TourTexts): TourFactors {
  const { ui, settings } = texts
  const steps = tourSteps(page, owner, texts)
  const dialog = page.getByRole('dialog')
  const cardOf = (kind: string) => page.locator(`[data-factor=${kind}]`)
  const nothing = async (): Promise<void> => {}

  async function finishApp(): Promise<TourApp> {
    await page.getByRole('heading', { name: settings('totp.step.title'), exact: true }).waitFor()
    const nextCode = authenticatorApp(await page.locator('.secret').innerText())
    await page.getByLabel(settings('totp.step.code'), { exact: true }).fill(await nextCode())
    await steps.button(settings('totp.step.submit')).click()
    await page.locator('.codes, #done:not([hidden])').waitFor()
    const recoveryCodes = await page.locator('.codes code').allInnerTexts()
    if (recoveryCodes.length > 0) await steps.button(settings('totp.codes.submit')).click()
    await steps.isDone(settings(recoveryCodes.length > 0 ? 'totp.added.codes' : 'totp.added'))
    return { nextCode, recoveryCodes }
  }

  return {
    async setUpApp(confirming = nothing) {
      const isReplaced = await cardOf('totp').locator('.badge').isVisible()
      const name = settings(isReplaced ? 'totp.replace' : 'totp.add')
      await steps.button(name, cardOf('totp')).click()
      if (isReplaced) await steps.button(name, dialog).click()
      await confirming()
      return finishApp()
    },
    async turnMailOff(confirming = nothing) {
      await steps.button(settings('mail.remove.label')).click()
      await steps.button(settings('mail.off'), dialog).click()
      await confirming()
      await steps.isDone(settings('mail.removed'))
    },
    async turnMailOn() {
      await steps.button(settings('mail.on'), cardOf('mail')).click()
      const field = page.getByLabel(settings('mail.step.code'), { exact: true })
      await field.waitFor()
      await field.fill(await owner.mailed('two_factor_mail_confirmation', /\b\d{6}\b/))
      await steps.button(settings('mail.step.submit')).click()
      await steps.isDone(settings('mail.added'))
    },
    async addPasskey(label) {
      await steps.button(settings('passkey.add')).click()
      await page.getByRole('heading', { name: ui('passkey.title'), exact: true }).waitFor()
      await page.getByLabel(ui('passkey.label'), { exact: true }).fill(label)
      await steps.button(ui('passkey.submit')).click()
      await page.waitForURL((url) => url.origin === owner.app('settings'))
      await steps.isDone(settings('passkey.added', { name: label }))
      await cardOf('passkey').getByText(label, { exact: true }).waitFor()
    },
    async removePasskey(label, confirming = nothing) {
      await steps.button(settings('passkey.remove.label', { name: label })).click()
      await steps.button(settings('factor.remove'), dialog).click()
      await confirming()
      await steps.isDone(settings('passkey.removed'))
    },
    card: (kind) => cardOf(kind).innerText(),
    isOn: (kind) => cardOf(kind).locator('.badge').isVisible(),
  }
}
