import type { Page } from 'playwright-core'
import { authenticatorApp } from './authenticators.ts'
import type { TourOwner } from './tour-owner.ts'
import { tourSteps } from './tour-steps.ts'
import type { TourTexts } from './tour-texts.ts'

/** What the owner does in the section of the second step, which is open. `confirming`: when it asks for one. */
export interface TourFactors {
  /** @returns the app that was set up */
  setUpApp(confirming?: () => Promise<void>): Promise<() => Promise<string>>
  turnMailOff(confirming?: () => Promise<void>): Promise<void>
  turnMailOn(): Promise<void>
  /** @returns the ten codes */
  createRecoveryCodes(): Promise<readonly string[]>
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

  async function finishApp(): Promise<() => Promise<string>> {
    await page.getByRole('heading', { name: settings('totp.step.title'), exact: true }).waitFor()
    const nextCode = authenticatorApp(await page.locator('.secret').innerText())
    await page.getByLabel(settings('totp.step.code'), { exact: true }).fill(await nextCode())
    await steps.button(settings('totp.step.submit')).click()
    await steps.isDone(settings('totp.added'))
    return nextCode
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
    async createRecoveryCodes() {
      await steps.button(settings('recovery.create')).click()
      await page.locator('.codes code').first().waitFor()
      const codes = await page.locator('.codes code').allInnerTexts()
      await steps.button(settings('recovery.kept')).click()
      await cardOf('recovery')
        .getByText(settings('recovery.left', { count: 10 }))
        .waitFor()
      return codes
    },
    async addPasskey(label) {
      await steps.button(settings('passkey.add')).click()
      await page.getByRole('heading', { name: ui('passkey.title'), exact: true }).waitFor()
      await page.getByLabel(ui('passkey.label'), { exact: true }).fill(label)
      await steps.button(ui('passkey.submit')).click()
      await page.waitForURL((url) => url.origin === owner.app('settings'))
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
