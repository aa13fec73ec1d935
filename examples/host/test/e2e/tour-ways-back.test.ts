import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { addPasskeyDevice } from '../support/authenticators.ts'
import { type TourFactors, tourFactors } from '../support/tour-factors.ts'
import type { TourOwner } from '../support/tour-owner.ts'
import { journeys, NESTED, type Place, suiteTour, TWO_PROCESSES } from '../support/tour-stage.ts'
import { type TourSteps, tourSteps } from '../support/tour-steps.ts'

interface Visit {
  readonly page: Page
  readonly steps: TourSteps
  readonly factors: TourFactors
}

const MAGIC_LINK = /http\S+\/auth\/magic_link\?\S+/
const RESET_LINK = /http\S+\/auth\/passphrase_renew\?\S+/
const NEW_PASSPHRASE = 'four other words entirely'

for (const run of journeys(NESTED, TWO_PROCESSES)) {
  describe(`the tour, every way back: ${run.name}`, function () {
    this.timeout(60_000)
    const tour = suiteTour(run)

    async function visit(owner: TourOwner, place?: Place): Promise<Visit> {
      const page = await tour.visit(place)
      return {
        page,
        steps: tourSteps(page, owner, tour.texts),
        factors: tourFactors(page, owner, tour.texts),
      }
    }

    it('replaces a lost device with recovery codes, from another one', async () => {
      const { ui, settings } = tour.texts
      const owner = await tour.owner('bea')
      const phone = await visit(owner)
      await phone.steps.logIn()
      await phone.steps.isHome()
      await phone.steps.openSettings('security')
      const lost = await phone.factors.setUpApp(() => phone.steps.confirm())
      const [first = '', second = ''] = lost.recoveryCodes
      await addPasskeyDevice(phone.page)
      await phone.factors.addPasskey('Phone')
      await phone.page.context().close()

      const { page, steps, factors } = await visit(owner, 'elsewhere')
      await steps.logIn()
      await steps.isAskedMore()
      expect(await owner.countMails('two_factor'), 'codes mailed while mail is off').to.equal(0)
      await steps.button(ui('passcode.recovery')).click()
      await steps.giveCode(first)
      await steps.isHome()
      await steps.openSettings('security')
      await factors.removePasskey('Phone', () => steps.confirm(second))
      const { nextCode } = await factors.setUpApp()
      const left = settings('recovery.left', { count: 8 })
      expect(await factors.card('recovery')).to.include(left)

      await steps.logOut()
      await steps.logIn()
      tour.watch.allowRefusal('/auth/twofactor')
      await steps.giveCode(await lost.nextCode())
      await page.getByText(ui('problem.two_factor_invalid')).waitFor()
      await steps.giveCode(await nextCode())
      await steps.isHome()
      await page.context().close()
    })

    describe('by mail', () => {
      let owner: TourOwner
      let nextCode: () => Promise<string>

      before(async () => {
        owner = await tour.owner('carl', { magicLink: true })
      })

      /** Asks for a link where an app of the owner led. */
      async function askLink(page: Page): Promise<string> {
        const { ui } = tour.texts
        await page.goto(`${owner.app('safe')}/`)
        await page.getByRole('button', { name: ui('login.magicLink') }).click()
        await page.getByRole('heading', { name: ui('mailSent.title'), exact: true }).waitFor()
        return owner.mailed('magic_link', MAGIC_LINK)
      }

      async function isInSafe(page: Page): Promise<void> {
        await page.waitForURL((url) => url.origin === owner.app('safe'))
        const name = tour.texts.safe('safe.title')
        await page.getByRole('heading', { name, exact: true }).waitFor()
        await page.locator('#notes[aria-busy=false]').waitFor()
        expect(new URL(page.url()).search, 'no code is left in the address').to.equal('')
      }

      it('logs in with the link in the same browser, back where it wanted to go', async () => {
        const { page } = await visit(owner)
        const link = await askLink(page)
        const mailbox = await page.context().newPage()
        await mailbox.goto(link)
        await isInSafe(mailbox)
        await page.context().close()
      })

      it('logs in with the link in another browser after a button, and where it was asked for, each once', async () => {
        const { ui } = tour.texts
        const asking = await visit(owner)
        const link = await askLink(asking.page)
        const { page, steps } = await visit(owner, 'elsewhere')
        await page.goto(link)
        await page.getByRole('heading', { name: ui('magic.open.title'), exact: true }).waitFor()
        await steps.button(ui('magic.open.submit')).click()
        await isInSafe(page)
        await page.context().close()

        await asking.page.goto(link)
        await isInSafe(asking.page)
        await asking.page.context().close()

        tour.watch.allowRefusal('/auth/magic_link')
        const late = await visit(owner, 'elsewhere')
        await late.page.goto(link)
        const used = ui('error.title.invalid_magic_code')
        await late.page.getByRole('heading', { name: used, exact: true }).waitFor()
        await late.page.context().close()
      })

      it('asks for the passphrase after the link, once there is a second step', async () => {
        const { page, steps, factors } = await visit(owner)
        await steps.logIn()
        await steps.isHome()
        await steps.openSettings('security')
        ;({ nextCode } = await factors.setUpApp(() => steps.confirm()))
        await page.context().close()

        const other = await visit(owner, 'elsewhere')
        await other.page.goto(await askLink(other.page))
        const name = tour.texts.ui('magic.passphrase.title')
        await other.page.getByRole('heading', { name, exact: true }).waitFor()
        await other.steps.givePassphrase()
        await isInSafe(other.page)
        await other.page.context().close()
      })

      it('sets a new passphrase with the link of a mail, which logs out everywhere', async () => {
        const { ui } = tour.texts
        const inside = await visit(owner)
        await inside.steps.logIn()
        await inside.steps.isAskedMore()
        await inside.steps.giveCode(await nextCode())
        await inside.steps.isHome()
        // A page that is open would hear of the end, and leave by itself at a moment that nobody knows.
        await inside.page.goto('about:blank')

        const { page, steps } = await visit(owner, 'elsewhere')
        await page.goto(`${owner.origin}/auth/login`)
        await page.getByRole('link', { name: ui('login.forgot'), exact: true }).click()
        await steps.button(ui('reset.new.submit')).click()
        await page.getByRole('heading', { name: ui('login.title.reset'), exact: true }).waitFor()
        await page.goto(await owner.mailed('passphrase_reset', RESET_LINK))
        await page.getByLabel(ui('renew.passphrase'), { exact: true }).fill(NEW_PASSPHRASE)
        await steps.button(ui('renew.submit')).click()
        await steps.isLoggedOut()
        await page.getByText(ui('login.renewed'), { exact: true }).waitFor()

        await inside.page.goto(`${owner.app('home')}/`)
        await inside.steps.isLoggedOut()
        tour.watch.allowRefusal('/auth/login')
        await steps.givePassphrase()
        await page.getByText(ui('problem.invalid_passphrase')).waitFor()
        await steps.givePassphrase(NEW_PASSPHRASE)
        await steps.isAskedMore()
        await steps.giveCode(await nextCode())
        await steps.isHome()
        await page.context().close()
        await inside.page.context().close()
      })
    })
  })
}
