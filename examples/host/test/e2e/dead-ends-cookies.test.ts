import { MINUTE_MS } from '@svc/platform'
import { isSecondLevel } from '@svc/testkit'
import { suiteDeadEnds } from '../support/dead-end-stage.ts'

for (const subdomains of isSecondLevel() ? (['flat', 'nested'] as const) : (['flat'] as const)) {
  describe(`no dead end where cookies are blocked, ${subdomains}`, function () {
    this.timeout(60_000)
    const stage = suiteDeadEnds({ subdomains })
    afterEach(() => stage.front.blockCookies(() => false))

    it('at the login', async () => {
      stage.front.blockCookies(() => true)
      const { tab } = await stage.visit()
      await tab.givePassphrase()
      await tab.page.getByText(stage.texts.ui('problem.csrf')).waitFor()
      stage.front.blockCookies(() => false)
      await tab.givePassphrase()
      await tab.finish()
    })

    it('at the consent page', async () => {
      const { tab } = await stage.visit()
      await tab.givePassphrase()
      await tab.isAsked()
      stage.front.blockCookies(() => true)
      await tab.allowButton().click()
      await tab.followWayOn(stage.texts.ui('error.title.csrf_invalid'))
      await tab.isLoggedOut()
      stage.front.blockCookies(() => false)
      await tab.givePassphrase()
      await tab.finish()
    })

    // Nested app hosts share the cookie of the instance: there is nothing else to block.
    if (subdomains === 'nested') return
    it('on the host of an app', async () => {
      const { tab, owner } = await stage.visit()
      const app = owner.app('home')
      stage.front.blockCookies((host) => app.endsWith(host))
      await tab.page.goto(`${app}/?from=mail`)
      await tab.givePassphrase()
      // Five times the session was handed over and not kept.
      await tab.heading(stage.texts.ui('cookies.title'))
      stage.front.blockCookies(() => false)
      stage.clock.advance(MINUTE_MS)
      await tab.followWayOn(stage.texts.ui('cookies.title'))
      await tab.page.waitForURL(`${app}/?from=mail`)
      await tab.isHome()
    })
  })
}
