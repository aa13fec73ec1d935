import { type DevProvider, startDevProvider } from '../../src/demo/provider/dev-provider.ts'
import { suiteBrowser, suiteHost } from '../support/for-test.ts'
import { eachLook } from '../support/looks.ts'
import type { OwnerVisit } from '../support/owner-visit.ts'

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
  const host = suiteHost({}, 'first.localhost')
  const browser = suiteBrowser(host)
  let provider: DevProvider

  before(async () => {
    provider = await startDevProvider({ port: 0, tokenLifeMs: 3_600_000 })
    await host.admin('PUT', '/admin/account_types/demo-photos', provider.entry)
  })
  after(() => provider?.close())

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

  eachLook(host, browser, 'de', async (owner, look) => {
    const { page, app, instance } = owner
    await host.host.app.konnectors.install(instance, 'demo-photos')
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
  })
})
