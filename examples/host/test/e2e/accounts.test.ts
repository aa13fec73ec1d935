import { scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type AccountRound, openRound } from '../support/account-round.ts'
import type { TourOwner } from '../support/tour-owner.ts'
import { journeys, NESTED, suiteTour, TWO_PROCESSES } from '../support/tour-stage.ts'
import { tourSteps } from '../support/tour-steps.ts'

/** Short enough to be seen ending. */
const TOKEN_MS = scaledLimit(5000)
const NAME = { name: 'Demo photos' }

for (const run of journeys(TWO_PROCESSES, NESTED)) {
  const hasCallbackHost = run.store === 'redis'
  const where = hasCallbackHost ? ', a callback host' : ''

  describe(`accounts at a provider: ${run.name}${where}`, function () {
    this.timeout(60_000)
    const stage = suiteTour(run, {
      SVC_LIFETIMES_ACCOUNT_REFRESH_MARGIN: '1s',
      SVC_LIFETIMES_ACCOUNT_REFRESH_SHORTEST: '1s',
      ...(hasCallbackHost && { SVC_CONNECTORS_CALLBACK_URL: 'http://oauth.localhost' }),
    })
    let round: AccountRound
    let owner: TourOwner
    let page: Page
    let count = 0

    before(async () => {
      round = await openRound(stage, TOKEN_MS)
    })
    after(() => round?.close())
    beforeEach(async () => {
      count += 1
      owner = await stage.owner(`erin${count}`)
      await round.install(owner)
      page = await stage.visit()
      const steps = tourSteps(page, owner, stage.texts)
      await steps.logIn()
      await steps.isHome()
    })
    const home = (key: string): string => stage.texts.home(key, NAME)
    const settings = (key: string): string => stage.texts.settings(key, NAME)
    const button = (name: string, on = page) => on.getByRole('button', { name, exact: true })

    /** Presses the button of the start page. @returns the provider's page in the window that opens */
    async function press(name: string): Promise<Page> {
      const [popup] = await Promise.all([page.context().waitForEvent('page'), button(name).click()])
      await popup.waitForURL(`${round.provider.origin}/authorize?*`)
      return popup
    }

    async function refuse(): Promise<void> {
      const popup = await press(home('accounts.connect'))
      const closed = popup.waitForEvent('close')
      await button('Refuse', popup).click()
      await closed
      await page.getByText(home('accounts.error.access_denied')).waitFor()
      expect(await round.accounts(owner)).to.deep.equal([])
    }

    async function connect(): Promise<void> {
      const popup = await press(home('accounts.connect'))
      const closed = popup.waitForEvent('close')
      await button('Allow', popup).click()
      await closed
      await page.locator('#accounts-notice').getByText(home('accounts.connected')).waitFor()
    }

    it('is refused, connects, works, is refreshed behind the scenes, revoked, connected again in its place, and removed', async () => {
      await refuse()
      await connect()
      const [first] = await round.accounts(owner)
      expect(first?.oauth).to.include({ status: 'connected', scope: 'photos.read' })
      const before = first?.oauth['access_token'] ?? ''
      expect(await round.photos(before)).to.equal(200)

      const fetched = await stage.svc('konnector', 'run', owner.domain, 'demo-photos')
      expect(fetched.stdout, fetched.stderr).to.include('Lighthouse in the fog')

      const next = await round.until(owner, ({ oauth }) => oauth['access_token'] !== before)
      expect(next._id).to.equal(first?._id)
      expect(await round.photos(next.oauth['access_token'] ?? '')).to.equal(200)

      await round.revokeAll(await stage.visit())
      await round.until(owner, ({ oauth }) => oauth['status'] === 'reconnect_required')
      const listed = page.locator('#accounts')
      await listed.getByText(home('accounts.state.reconnect_required')).waitFor()

      await page.getByRole('link', { name: home('accounts.manage') }).click()
      await button(settings('accounts.again.label')).click()
      await button('Allow').click()
      await page.waitForURL((url) => url.origin === owner.app('settings'))
      await page.locator('#done').getByText(settings('accounts.connected')).waitFor()
      expect(new URL(page.url()).search).to.equal('')
      const [again, ...others] = await round.accounts(owner)
      expect(others).to.deep.equal([])
      expect(again?._id).to.equal(first?._id)
      expect(again?.oauth['status']).to.equal('connected')

      await button(settings('accounts.remove.label')).click()
      await page.locator('#ask-yes').click()
      await page.locator('#done').getByText(settings('accounts.removed')).waitFor()
      await page.getByText(settings('accounts.none'), { exact: true }).waitFor()
      expect(await round.accounts(owner)).to.deep.equal([])
      await page.goto(`${round.provider.origin}/grants`)
      await page.getByText('Nobody has access').waitFor()
    })
  })
}
