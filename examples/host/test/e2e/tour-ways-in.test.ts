import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { addPasskeyDevice, type PasskeyDevice } from '../support/authenticators.ts'
import { tourFactors } from '../support/tour-factors.ts'
import type { TourOwner } from '../support/tour-owner.ts'
import { journeys, NESTED, type Place, suiteTour, TWO_PROCESSES } from '../support/tour-stage.ts'
import { type TourSteps, tourSteps } from '../support/tour-steps.ts'

const SIX_DIGITS = /\b\d{6}\b/
const FACTORS = ['totp', 'mail', 'recovery', 'passkey'] as const

for (const run of journeys(TWO_PROCESSES, NESTED)) {
  // One owner from the first day on: each step goes on where the one before ended.
  describe(`the tour, every way in: ${run.name}`, function () {
    this.timeout(60_000)
    const tour = suiteTour(run)
    let owner: TourOwner
    /** The owner's own device, which keeps the passkey. */
    let laptop: Page
    let device: PasskeyDevice
    let nextCode: () => Promise<string>
    let usedCode: string
    let recoveryCodes: readonly string[]

    before(async function () {
      owner = await tour.owner('alice', { isOnboarded: false })
      laptop = await tour.visit()
    })
    const stepsIn = (page: Page): TourSteps => tourSteps(page, owner, tour.texts)

    async function visit(place?: Place): Promise<{ page: Page; steps: TourSteps }> {
      const page = await tour.visit(place)
      return { page, steps: stepsIn(page) }
    }

    /** Types a code that does not work any more. */
    async function refuses(page: Page, code: string): Promise<void> {
      tour.watch.allowRefusal('/auth/twofactor')
      await stepsIn(page).giveCode(code)
      const error = page.locator('#passcode-error')
      await error.filter({ hasText: tour.texts.ui('problem.two_factor_invalid') }).waitFor()
      // The next refusal has to say it again.
      await page.locator('#passcode').fill('')
      await stepsIn(page).button(tour.texts.ui('passcode.submit.login')).click()
      await error.filter({ hasText: tour.texts.ui('passcode.empty') }).waitFor()
    }

    it('goes from the onboarding link into the space', async () => {
      const { ui } = tour.texts
      await laptop.goto(owner.onboardingUrl)
      await laptop.getByLabel(ui('choose.passphrase'), { exact: true }).fill(owner.passphrase)
      await stepsIn(laptop).button(ui('choose.submit')).click()
      await stepsIn(laptop).isHome()
      expect(new URL(laptop.url()).search, 'nothing of the link is left').to.equal('')
    })

    it('would hear of anything that the policy of a page refuses', async () => {
      const told = laptop
        .context()
        .waitForEvent('console', (message) => message.text().startsWith('content security policy'))
      await laptop.evaluate(() => {
        const script = document.createElement('script')
        script.textContent = 'document.title = "run"'
        document.body.append(script)
      })
      await told
      const found = tour.watch.take().join()
      expect(found).to.include('content security policy: script-src-elem inline')
      expect(await laptop.title()).to.not.equal('run')
    })

    it('logs out and in with the passphrase, while nothing more is asked for', async () => {
      const steps = stepsIn(laptop)
      await steps.logOut()
      await steps.logIn()
      await steps.isHome()
    })

    it('turns each factor on in the settings, after one confirmation', async () => {
      const steps = stepsIn(laptop)
      const factors = tourFactors(laptop, owner, tour.texts)
      await steps.openSettings('security')
      for (const kind of FACTORS) expect(await factors.isOn(kind), kind).to.equal(false)
      ;({ nextCode, recoveryCodes } = await factors.setUpApp(() => steps.confirm()))
      expect(recoveryCodes, 'what the first app is turned on with').to.have.lengthOf(10)
      expect(await factors.isOn('mail'), 'mail is not switched on unasked').to.equal(false)
      await factors.turnMailOn()
      await factors.turnMailOff()
      expect(await factors.isOn('mail')).to.equal(false)
      await factors.turnMailOn()
      device = await addPasskeyDevice(laptop)
      await factors.addPasskey('Laptop')
      for (const kind of FACTORS) expect(await factors.isOn(kind), kind).to.equal(true)
      await device.answers(false)
      await steps.logOut()
    })

    it('passes the second step with the passkey of the device', async () => {
      const steps = stepsIn(laptop)
      await steps.logIn()
      await steps.isAskedMore()
      await device.answers(true)
      await steps.button(tour.texts.ui('passcode.passkey')).click()
      await steps.isHome()
    })

    it('confirms with the passkey of the device', async () => {
      const steps = stepsIn(laptop)
      const back = new URLSearchParams({ state: 'tour', redirect: `${owner.app('settings')}/` })
      await device.answers(false)
      await laptop.goto(`${owner.origin}/auth/confirm?${back}`)
      await steps.confirm()
      await steps.isAskedMore()
      await device.answers(true)
      await steps.button(tour.texts.ui('passcode.passkey')).click()
      await laptop.waitForURL((url) => url.origin === owner.app('settings') && url.search === '')
    })

    it('logs in with a mailed code, on another machine', async () => {
      const { page, steps } = await visit('elsewhere')
      await steps.logIn()
      await steps.isAskedMore()
      await steps.giveCode(await owner.mailed('two_factor', SIX_DIGITS))
      await steps.isHome()
      await page.context().close()
    })

    it('logs in with the authenticator app', async () => {
      const { page, steps } = await visit()
      await steps.logIn()
      usedCode = await nextCode()
      await steps.giveCode(usedCode)
      await steps.isHome()
      await page.context().close()
    })

    it('logs in with a recovery code, and not with a used code of the app', async () => {
      const [code = ''] = recoveryCodes
      const { page, steps } = await visit('elsewhere')
      await steps.logIn()
      await refuses(page, usedCode)
      await steps.button(tour.texts.ui('passcode.recovery')).click()
      await steps.giveCode(code)
      await steps.isHome()
      await steps.openSettings('security')
      const card = await tourFactors(page, owner, tour.texts).card('recovery')
      expect(card).to.include(tour.texts.settings('recovery.left', { count: 9 }))
      await page.context().close()
    })

    it('mails a new code when asked; only that one works, and no used recovery code', async () => {
      const [usedRecoveryCode = ''] = recoveryCodes
      const { page, steps } = await visit()
      await page.clock.install()
      await steps.logIn()
      await steps.isAskedMore()
      const first = await owner.mailed('two_factor', SIX_DIGITS)
      await page.clock.runFor(31_000)
      await steps.button(tour.texts.ui('passcode.resend')).click()
      const second = await owner.mailed('two_factor', SIX_DIGITS)
      await page.locator('#resend button[aria-disabled=true]').waitFor()
      expect(second).to.not.equal(first)
      for (const wrong of [first, usedRecoveryCode]) await refuses(page, wrong)
      await steps.giveCode(second)
      await steps.isHome()
      await page.context().close()
    })

    it('asks a trusted browser for the passphrase alone, until the settings say otherwise', async () => {
      const { ui, settings } = tour.texts
      const { page, steps } = await visit()
      await steps.logIn()
      await steps.isAskedMore()
      await page.getByLabel(ui('passcode.trust')).check()
      await steps.giveCode(await owner.mailed('two_factor', SIX_DIGITS))
      await steps.isHome()
      await steps.logOut()
      const before = await owner.countMails('two_factor')
      await steps.logIn()
      await steps.isHome()
      expect(await owner.countMails('two_factor'), 'codes that were mailed').to.equal(before)

      await steps.openSettings('devices')
      await page.getByText(settings('devices.remove'), { exact: true }).click()
      await steps.button(settings('devices.remove'), page.getByRole('dialog')).click()
      await page
        .getByText(settings('devices.skips'), { exact: true })
        .waitFor({ state: 'detached' })
      await steps.logOut()
      await steps.logIn()
      await steps.isAskedMore()
      await page.context().close()
    })
  })
}
