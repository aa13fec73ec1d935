import { launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { type DevProvider, startDevProvider } from '../../src/demo/provider/dev-provider.ts'
import { LOOKS, startLooking } from '../support/looks.ts'
import { type OwnerVisit, visitOwner } from '../support/owner-visit.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

/** Accounts in every state, of names that people do not choose. */
const ACCOUNTS = [
  { name: '', oauth: { status: 'connected', scope: 'photos.read' } },
  {
    name: 'Pictures of a very long name that goes on and on, withoutanyplacewhereitcouldbebroken'.repeat(
      2,
    ),
    oauth: { status: 'reconnect_required', scope: 'photos.read' },
  },
  { name: 'صور العائلة', oauth: { status: 'refresh_failing', scope: 'photos.read' } },
  { name: 'Bank', auth: { login: 'alice' } },
]

/** Every view of accounts; pictures of them go to `SVC_SHOTS`. Found by their place, since the words differ. */
describe('accounts in home and settings, in each language and both themes', function () {
  this.timeout(60_000)
  let host: TestHost
  let provider: DevProvider
  let browser: Browser

  before(async function () {
    needsChromium(this)
    provider = await startDevProvider({ port: 0, tokenLifeMs: 3_600_000 })
    host = await startTestHost({}, 'first.localhost')
    await host.admin('PUT', '/admin/account_types/demo-photos', provider.entry)
    browser = await launchChromium({ port: host.host.port, domains: ['localhost'] })
  })
  after(async () => {
    await browser?.close()
    await host?.stop()
    await provider?.close()
  })

  async function addAccounts({ instance }: OwnerVisit): Promise<void> {
    const { store } = host.host.app.accounts
    for (const [place, { oauth, ...account }] of ACCOUNTS.entries()) {
      const refreshed = { refresh_seq: 1, refreshed_at: '2026-01-02T10:00:00.000Z' }
      await store.create(instance, {
        ...account,
        _id: `account${place}`,
        account_type: account.auth === undefined ? 'demo-photos' : 'demo-bank',
        ...(oauth !== undefined && { oauth: { ...oauth, ...refreshed } }),
      })
    }
  }

  /** As it comes back from a provider, which was asked here. */
  async function comeBack({ page, app }: OwnerVisit, slug: string, error: string): Promise<void> {
    await page.goto(`${app(slug)}/`)
    const pending = { state: 's', name: 'Demo photos', isPopup: false }
    await page.evaluate((text) => {
      localStorage.setItem('svc.connecting', text)
    }, JSON.stringify(pending))
    await page.goto(`${app(slug)}/?state=s&error=${error}`)
  }

  for (const each of LOOKS) {
    const { locale, width } = each
    it(`have nothing for axe to find, and nothing wider than the page: ${locale}, ${width} px`, async () => {
      const owner = await visitOwner(host, browser, `accounts-${locale}-${width}.localhost`, {
        locale,
        look: { viewport: { width, height: 760 } },
      })
      const { page, app, instance } = owner
      await host.host.app.konnectors.install(instance, 'demo-photos')
      const { look, found } = startLooking(page, each)
      const shows = (selector: string): Promise<void> => page.locator(selector).first().waitFor()

      await page.goto(`${app('home')}/`)
      await shows('#accounts-connect button')
      await look('home-accounts-none')
      const [popup] = await Promise.all([
        page.context().waitForEvent('page'),
        page.locator('#accounts-connect button').click(),
      ])
      await popup.close()
      await shows('#accounts-notice button')
      await look('home-accounts-waiting')
      await comeBack(owner, 'home', 'access_denied')
      await shows('#accounts-notice.notice--danger')
      await look('home-accounts-refused')
      await page.goto(`${app('settings')}/?section=accounts`)
      await shows('.empty')
      await look('settings-accounts-none')

      await addAccounts(owner)
      await page.goto(`${app('home')}/`)
      await shows('.account')
      await look('home-accounts')
      await comeBack(owner, 'settings', 'account_mismatch')
      await shows('.notice--danger:not([hidden])')
      await look('settings-accounts')
      await page.locator('.item__buttons .button--danger-quiet').first().click()
      await look('settings-accounts-remove')
      expect(found).to.deep.equal([])
      expect(owner.faults).to.deep.equal([])
      await owner.close()
    })
  }
})
