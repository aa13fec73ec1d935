import { axeFaults, takeShot } from '@svc/testkit'
import { expect } from 'chai'
import { suiteBrowser, suiteHost } from '../support/for-test.ts'
import { eachLook } from '../support/looks.ts'
import { type OwnerVisit, visitOwner } from '../support/owner-visit.ts'

const LONG =
  'Two payments of the same amount to the same recipient within a few days, a few days, a few days, or so'

/** Pictures of the views go to `SVC_SHOTS`. */
describe('inbox and notification settings, in each language and both themes', function () {
  this.timeout(60_000)
  const host = suiteHost({}, 'first.localhost')
  const browser = suiteBrowser(host)

  /** Things to read, of the operator and of apps of names long and short. */
  async function fill({ instance }: OwnerVisit): Promise<void> {
    const { notify, apps, konnectors } = host.host.app
    await apps.install(instance, 'drive')
    await konnectors.install(instance, 'demo-bank')
    const shared = { originator: 'cli', category: 'operator' } as const
    await notify.post(instance, { ...shared, title: 'Maintenance tonight', message: 'At 22:00.' })
    await notify.post(instance, {
      ...shared,
      title: LONG,
      message: `${'long'.repeat(40)}\nAnd a second line.`,
      slug: 'safe',
      data: { redirectLink: 'safe/#/' },
    })
    await notify.post(instance, { ...shared, title: 'האלבום “קיץ 2026” שותף איתך', slug: 'drive' })
  }

  eachLook(host, browser, 'fr', async (owner, look) => {
    await fill(owner)
    const { page } = owner

    await page.goto(`${owner.app('home')}/#inbox`)
    await page.locator('.told').nth(2).waitFor()
    await look('home-inbox')
    await page.goto(`${owner.app('settings')}/#notifications`)
    await page.locator('.sender').nth(2).waitFor()
    const safe = page.locator('[data-source="io.svc.apps/safe"]')
    await safe.getByRole('checkbox').first().uncheck()
    await safe.locator('.sender__said:not(:empty)').waitFor()
    await look('settings-notifications')
    await page.locator('#quiet-end').fill('22:00')
    await page.locator('#quiet-start').fill('22:00')
    await page.locator('form .button--primary').click()
    await look('settings-notifications-wrong')
  })

  it('says that nothing has come, and that no app has anything to tell', async () => {
    const owner = await visitOwner(host, browser, 'told-nothing.localhost')
    const { page, instance } = owner
    await host.host.app.apps.uninstall(instance, 'safe')
    await page.goto(`${owner.app('home')}/`)
    await page.locator('#bell').click()
    await page.locator('#inbox-list').getByText('Nothing here yet.').waitFor()
    await takeShot(page, 'app-home-inbox-empty-1280-light-en')
    await page.goto(`${owner.app('settings')}/#notifications`)
    await page.getByText('No app sends notifications yet.').waitFor()
    expect(await axeFaults(page)).to.deep.equal([])
    await owner.close()
  })
})
