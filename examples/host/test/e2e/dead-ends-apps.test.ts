import { DAY_MS, MINUTE_MS } from '@svc/platform'
import { suiteDeadEnds } from '../support/dead-end-stage.ts'

describe('no dead end on the pages of apps', function () {
  this.timeout(60_000)
  const stage = suiteDeadEnds({ subdomains: 'flat' })

  it('a session code that is used twice', async () => {
    const { tab, owner, admin, context } = await stage.visit()
    // By the schema of the admin listener.
    const { session_code: code } = (await admin('POST', '/session-code')) as {
      session_code: string
    }
    await tab.page.goto(`${owner.app('home')}/?from=mail&session_code=${code}`)
    await tab.isHome()
    // The page would notice, and load itself again.
    await tab.page.goto('about:blank')
    await context.clearCookies()
    await tab.page.goto(`${owner.app('home')}/?from=mail&session_code=${code}`)
    await tab.givePassphrase()
    await tab.page.waitForURL(`${owner.app('home')}/?from=mail`)
    await tab.isHome()
  })

  it('a page that is open while its session ends', async () => {
    const { tab, owner } = await stage.visit()
    await tab.page.goto(`${owner.origin}/`)
    await tab.givePassphrase()
    await tab.isHome()
    await tab.openSettings('devices')
    stage.clock.advance(31 * DAY_MS)
    await tab.page.locator('a[href="#/apps"]').first().click()
    await tab.isLoggedOut()
    await tab.givePassphrase()
    await tab.page.waitForURL(`${owner.app('settings')}/#/apps`)
    await tab.page.locator('#content[aria-busy=false]').waitFor()
  })

  it('a confirmation whose code expired', async () => {
    const { tab, owner, passcode } = await stage.visit({ hasSecondStep: true })
    const home = owner.app('home')
    await tab.page.goto(`${owner.origin}/`)
    await tab.givePassphrase()
    await tab.giveCode(await passcode())
    await tab.isHome()
    const redirect = encodeURIComponent(`${home}/?from=mail`)
    await tab.page.goto(`${owner.origin}/auth/confirm?state=state-1&redirect=${redirect}`)
    await tab.confirm()
    await tab.isAskedMore()
    await passcode()
    stage.clock.advance(6 * MINUTE_MS)
    await tab.page.reload()
    await tab.followWayOn(stage.texts.ui('error.title.two_factor_expired'))
    await tab.confirm()
    await tab.isAskedMore()
    await tab.page.locator('#passcode').fill(await passcode())
    const confirmed = tab.page.waitForRequest((request) => {
      const { origin, searchParams } = new URL(request.url())
      return (
        origin === home &&
        searchParams.get('state') === 'state-1' &&
        searchParams.get('from') === 'mail' &&
        searchParams.get('code') !== null
      )
    })
    await tab.button(stage.texts.ui('passcode.submit.confirm')).click()
    await confirmed
    await tab.isHome()
  })
})
