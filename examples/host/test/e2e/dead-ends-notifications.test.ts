import { expect } from 'chai'
import type { Locator } from 'playwright-core'
import { suiteDeadEnds } from '../support/dead-end-stage.ts'
import type { DeadEndVisit, Tab } from '../support/dead-end-visit.ts'

describe('no dead end around notifications', function () {
  this.timeout(60_000)
  const stage = suiteDeadEnds()

  /** The owner is told something by an app, with a link that ends such mails. */
  async function mailedLink({ owner, tab }: DeadEndVisit): Promise<string> {
    await tab.page.goto(`${owner.origin}/`)
    await tab.givePassphrase()
    await tab.isHome()
    await tab.page.goto(`${owner.app('safe')}/`)
    await tab.page.clock.setSystemTime(stage.clock.now() - 61_000)
    await tab.page.locator('#note-title').fill('Passport')
    await tab.page.locator('#note-text').fill('In the drawer')
    await tab.page.locator('#add').click()
    const { safe } = stage.texts
    await tab.page.getByText(safe('remind'), { exact: true }).click()
    await tab.button(safe('remind.minute')).click()
    return owner.mailed('notification', /http\S+\/notifications\/unsubscribe\?t=\S+/)
  }

  const settings = ({ page }: Tab): Locator => page.locator('[data-source="io.svc.apps/safe"]')
  const mailBox = (tab: Tab): Locator =>
    settings(tab)
      .locator('[data-category=reminders]')
      .getByLabel(stage.texts.settings('channel.mail'), { exact: true })

  it('a link to end mails that a mail program cut off', async () => {
    const visit = await stage.visit()
    const link = await mailedLink(visit)
    const cut = await visit.openElsewhere(link.slice(0, -10))
    await cut.followWayOn('This link no longer works')
    await cut.givePassphrase()
    await settings(cut).waitFor()
  })

  it('a link to end mails whose button is pressed twice', async () => {
    const visit = await stage.visit()
    const { page } = await visit.openElsewhere(await mailedLink(visit))
    for (let press = 0; press < 2; press += 1) {
      await page.getByRole('main').getByRole('button').click()
      await page.getByRole('main').getByRole('link').waitFor()
      if (press === 0) await page.goBack()
    }
    await page.getByRole('main').getByRole('link').click()
    await page.getByLabel(stage.texts.ui('login.passphrase'), { exact: true }).waitFor()
  })

  it('the link of a mail to the settings, without a session', async () => {
    const { owner, openElsewhere } = await stage.visit()
    const tab = await openElsewhere(`${owner.app('settings')}/?section=notifications`)
    await tab.givePassphrase()
    await tab.page.waitForURL(`${owner.app('settings')}/?section=notifications`)
    await settings(tab).waitFor()
  })

  it('a choice about notifications that is made while offline', async () => {
    const { owner, openElsewhere } = await stage.visit()
    const tab = await openElsewhere(`${owner.app('settings')}/?section=notifications`)
    await tab.givePassphrase()
    await settings(tab).waitFor()
    await tab.page.context().setOffline(true)
    const offline = tab.page.getByText(stage.texts.settings('app.isOffline'), { exact: true })
    await offline.waitFor()
    expect(await mailBox(tab).isDisabled(), 'nothing can be changed').to.equal(true)
    expect(await mailBox(tab).isChecked(), 'as it was').to.equal(true)
    await tab.page.context().setOffline(false)
    await offline.waitFor({ state: 'hidden' })
    await mailBox(tab).uncheck()
    await tab.page.locator('.sender__said').filter({ hasText: 'Saved' }).waitFor()
    expect(await tab.page.locator('#problem').isVisible()).to.equal(false)
  })

  it('the inbox marked as read after the session ended', async () => {
    const visit = await stage.visit()
    const { owner, tab } = visit
    await mailedLink(visit)
    await tab.page.goto(`${owner.app('home')}/#inbox`)
    await tab.page.locator('.told--unread').waitFor()
    stage.clock.advance(31 * 86_400_000)
    await tab.button(stage.texts.home('inbox.readAll')).click()
    await tab.isLoggedOut()
    await tab.givePassphrase()
    await tab.page.waitForURL(`${owner.app('home')}/#inbox`)
    // What came within that month stands above it.
    await tab.page.locator('.told--unread').last().waitFor()
  })
})
