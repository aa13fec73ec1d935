import type { Locator } from 'playwright-core'
import { suiteBrowser, suiteHost } from '../support/for-test.ts'
import { eachLook } from '../support/looks.ts'
import { type OwnerVisit, PASSPHRASE, totpCode } from '../support/owner-visit.ts'

/** Every view of the apps; pictures of them go to `SVC_SHOTS`. Found by their place, since the words differ. */
describe('apps of the host, in each language and both themes', function () {
  this.timeout(120_000)
  const host = suiteHost({}, 'first.localhost')
  const browser = suiteBrowser(host)

  eachLook(host, browser, 'fr', async (owner, look) => {
    const { page } = owner
    const at = (selector: string): Locator => page.locator(selector)
    const settled = () => at('#content[aria-busy=false] > *').first().waitFor()
    async function open(section: string): Promise<void> {
      // Loaded anew: what stands behind the section opens a part of it once.
      await page.goto('about:blank')
      await page.goto(`${owner.app('settings')}/#${section}`)
      await settled()
    }

    await page.goto(`${owner.app('home')}/`)
    await at('#notes[aria-busy=false]').waitFor()
    await look('home')
    // Before the second step is on: confirming takes the passphrase only.
    await lookAtSafe(owner, look)
    for (const section of ['', 'profile', 'security', 'devices', 'apps']) {
      await open(`/${section}`)
      await look(`settings-${section || 'overview'}`)
    }
    await open('/security/passphrase')
    await at('#new').fill('secret')
    await at('.form button[type=submit]').first().click()
    await look('settings-passphrase-wrong')

    await open('/security')
    await look('settings-factors-off')
    await at('[data-factor=totp] .button').click()
    await owner.confirm()
    await at('.secret').waitFor()
    await look('settings-factors-app')
    await at('#code').fill(totpCode(await at('.secret').innerText(), Date.now()))
    await at('.form button[type=submit]').click()
    await at('.codes').waitFor()
    await look('settings-factors-keep')
    await at('.form__buttons .button--primary').click()
    const renew = at('[data-factor=recovery] .button').first()
    await renew.waitFor()
    await look('settings-factors-on')
    await renew.click()
    await at('#ask-yes').click()
    await at('.codes').waitFor()
    await look('settings-factors-codes')
    await at('.form__buttons .button--primary').click()
    await at('[data-factor=totp] .button--danger-quiet').waitFor()
    await at('[data-factor=totp] .button--danger-quiet').click()
    await look('settings-factors-remove')
    await at('#ask-no').click()

    await open('/security/passphrase')
    await at('#current').fill(PASSPHRASE)
    await at('#new').fill('four other words entirely')
    await at('.form button[type=submit]').first().click()
    await at('#passcode').waitFor()
    await look('settings-passphrase-code')
  })

  async function lookAtSafe(
    { page, context, app, confirm }: OwnerVisit,
    look: (name: string) => Promise<void>,
  ): Promise<void> {
    await page.goto(`${app('safe')}/`)
    await page.locator('#write').waitFor()
    await page.locator('#add').click()
    await look('safe-empty')
    for (const [title, text] of [
      ['Bank', 'PIN 4711'],
      [
        'Diary of a very long name that goes on and on and does not want to end on this line',
        'Dear',
      ],
    ] as const) {
      await page.locator('#note-title').fill(title)
      await page.locator('#note-text').fill(text)
      await page.locator('#add').click()
      await page.locator('.note', { hasText: title }).waitFor()
    }
    await look('safe-closed')
    await page.locator('#clear').click()
    await look('safe-clear')
    await page.locator('#ask-no').click()
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.locator('#open').click(),
    ])
    await page.locator('#lock[data-state=waiting]').waitFor()
    await look('safe-waiting')
    await confirm(opened)
    await page.locator('#lock[data-state=open]').waitFor()
    await look('safe-open')
  }
})
