import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { TourOwner } from '../support/tour-owner.ts'
import { NESTED, suiteTour } from '../support/tour-stage.ts'
import { tourSteps } from '../support/tour-steps.ts'
import { tourTexts } from '../support/tour-texts.ts'

const NEW_ADDRESS = 'pia@new.example'
const NEW_PASSPHRASE = 'four other words entirely'
const PROOF = /http\S+\/auth\/email\?\S+/
const UNDO = /http\S+\/auth\/email\/undo\?\S+/

/** @see owner.md 1 */
describe(`the profile, in a browser: ${NESTED.name}`, function () {
  this.timeout(60_000)
  const french = tourTexts('fr')
  const { ui, settings } = french
  const tour = suiteTour(NESTED)
  let owner: TourOwner
  let page: Page

  before(async function () {
    owner = await tour.owner('pia')
    page = await tour.visit()
  })
  const heading = (name: string) => page.getByRole('heading', { name, exact: true })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  /** A text with a name or time in it, up to that. */
  const text = (key: string) =>
    page.getByText(settings(key, { time: '\u0000' }).split('\u0000')[0] ?? '')

  async function openProfile(title: string): Promise<void> {
    await page.goto(`${owner.app('settings')}/#/profile`)
    await page.locator('#content[aria-busy=false]').waitFor()
    await heading(title).first().waitFor()
  }

  it('takes a new name and language, which the page shows at once', async () => {
    const { settings: english } = tour.texts
    const steps = tourSteps(page, owner, tour.texts)
    await steps.logIn()
    await steps.isHome()
    await openProfile(english('profile.title'))
    await page.getByLabel(english('profile.name'), { exact: true }).fill('Pia Anew')
    await page.getByLabel(english('profile.language'), { exact: true }).selectOption('fr')
    await button(english('profile.save')).click()
    await heading(settings('profile.about')).waitFor()
    await page.getByText('Pia Anew', { exact: true }).first().waitFor()
    expect(await page.locator('html').getAttribute('lang')).to.equal('fr')
  })

  it('proves a new address with the mailed link in the same session, and says what is held', async () => {
    const steps = tourSteps(page, owner, french)
    await button(settings('profile.email.change')).click()
    await steps.confirm()
    await page.getByLabel(settings('profile.email.step'), { exact: true }).fill(NEW_ADDRESS)
    await button(settings('profile.email.submit')).click()
    await button(settings('profile.email.cancel')).waitFor()
    await page.getByText(NEW_ADDRESS).first().waitFor()

    await page.goto(await owner.mailed('update_email', PROOF))
    await heading(ui('email.prove.title')).waitFor()
    await button(ui('email.prove.submit')).click()
    await page.waitForURL((url) => url.origin === owner.app('settings'))
    await page.locator('#content[aria-busy=false]').waitFor()
    await page.getByText(NEW_ADDRESS, { exact: true }).first().waitFor()
    await text('profile.email.held').waitFor()
    expect(await button(settings('profile.email.change')).count()).to.equal(0)
  })

  it('takes the change back from the old mailbox, in a browser where nobody is logged in', async () => {
    const undo = await owner.mailed('email_changed', UNDO)
    const other = await tour.visit('elsewhere')
    await other.goto(undo)
    await other.getByRole('button', { name: ui('email.undo.submit'), exact: true }).click()
    await other.getByRole('heading', { name: ui('renew.title'), exact: true }).waitFor()
    await other.getByLabel(ui('renew.passphrase'), { exact: true }).fill(NEW_PASSPHRASE)
    await other.getByRole('button', { name: ui('renew.submit'), exact: true }).click()
    const steps = tourSteps(other, owner, french)
    await steps.isLoggedOut()
    await steps.givePassphrase(NEW_PASSPHRASE)
    await other.waitForURL((url) => url.origin === owner.app('home'))
    await other.context().close()

    // The browser that made the change was thrown out.
    await page.reload()
    await heading(ui('login.title')).waitFor()
    await tourSteps(page, owner, french).givePassphrase(NEW_PASSPHRASE)
    await page.waitForURL((url) => url.origin === owner.app('settings'))
    await openProfile(settings('profile.title'))
    await page.getByText('pia@mail.example', { exact: true }).first().waitFor()
    expect(await page.getByText(NEW_ADDRESS).count()).to.equal(0)
  })
})
