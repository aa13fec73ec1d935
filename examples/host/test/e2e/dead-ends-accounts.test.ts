import { MINUTE_MS } from '@svc/platform'
import { browserClient } from '@svc/testkit'
import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { type DevProvider, startDevProvider } from '../../src/demo/provider/dev-provider.ts'
import { type DeadEndStage, openDeadEnds } from '../support/dead-end-stage.ts'
import type { DeadEndVisit } from '../support/dead-end-visit.ts'
import { callAdmin } from '../support/tour-owner.ts'

const NAME = { name: 'Demo photos' }

describe('no dead end while an account is connected', function () {
  this.timeout(60_000)
  let provider: DevProvider
  let stage: DeadEndStage
  let visit: DeadEndVisit
  let page: Page

  before(async () => {
    provider = await startDevProvider({ port: 0, tokenLifeMs: 3_600_000 })
  })
  after(() => provider.close())
  afterEach(() => stage?.close())

  /** An owner on the start page, in a browser that lets no window open. */
  async function open(suite: Mocha.Context, env: Readonly<Record<string, string>> = {}) {
    stage = await openDeadEnds(suite, { env })
    await callAdmin(stage.admin, 'PUT', '/admin/account_types/demo-photos', provider.entry)
    visit = await stage.visit()
    await visit.admin('POST', '/konnectors', { slug: 'demo-photos' })
    page = visit.tab.page
    await page.addInitScript(() => {
      window.open = () => null
    })
    await visit.tab.logIn()
    await visit.tab.isHome()
  }

  const home = (key: string): string => stage.texts.home(key, NAME)
  const answer = (name: 'Allow' | 'Refuse'): Promise<void> => visit.tab.button(name).click()

  async function ask(): Promise<void> {
    await visit.tab.button(home('accounts.connect')).click()
    await page.waitForURL(`${provider.origin}/authorize?*`)
  }

  /** The way on ends with an account. */
  async function connect(): Promise<void> {
    await ask()
    await answer('Allow')
    await page.getByText(home('accounts.connected')).waitFor()
  }

  async function accounts(): Promise<readonly { _id: string }[]> {
    const found = await visit.admin('GET', '/accounts')
    return (found as { accounts: readonly { _id: string }[] }).accounts // as the admin listener answers
  }

  const isLost = (): Promise<void> => visit.tab.followWayOn(stage.texts.ui('error.title.bad_state'))

  it('an owner who refuses at the provider', async function () {
    await open(this)
    await ask()
    await answer('Refuse')
    await page.getByText(home('accounts.error.access_denied')).waitFor()
    await connect()
  })

  it('an answer of the provider that is loaded again', async function () {
    await open(this)
    await ask()
    const answered = page.waitForRequest((request) => request.url().includes('/redirect?'))
    await answer('Allow')
    await page.getByText(home('accounts.connected')).waitFor()
    await page.goto((await answered).url())
    await isLost()
    await visit.tab.isHome()
    await page.getByText(home('accounts.state.connected'), { exact: true }).waitFor()
    expect(await accounts()).to.have.length(1)
  })

  it('an answer after more than a quarter of an hour at the provider', async function () {
    await open(this)
    await ask()
    stage.clock.advance(16 * MINUTE_MS)
    await answer('Allow')
    await isLost()
    await visit.tab.isHome()
    await connect()
  })

  it('an answer that takes too long from the callback host to the instance', async function () {
    await open(this, { SVC_CONNECTORS_CALLBACK_URL: 'http://oauth.localhost' })
    await ask()
    // The callback host is asked here, so that its redirect can wait.
    const answered = new Promise<string>((resolve, reject) => {
      page
        .route('**/authorize', async (route) => {
          const { headers } = await fetchOnce(route)
          resolve(headers['location'] ?? '')
          await route.abort()
        })
        .catch(reject)
    })
    await answer('Allow')
    const callback = browserClient({ base: 'http://oauth.localhost', port: stage.front.port })
    const { location: complete = '' } = await callback.get(await answered)
    await page.unroute('**/authorize')
    stage.clock.advance(2 * MINUTE_MS)
    await page.goto(complete)
    await isLost()
    await visit.tab.isHome()
    await connect()
  })

  it('an account that is removed while it is connected again', async function () {
    await open(this)
    await connect()
    const [account] = await accounts()
    const { settings } = stage.texts
    await page.goto(`${visit.owner.app('settings')}/?section=accounts`)
    await visit.tab.button(settings('accounts.again.label', NAME)).click()
    await page.waitForURL(`${provider.origin}/authorize?*`)
    await visit.admin('DELETE', `/accounts/${account?._id}`)
    await answer('Allow')
    await page.getByText(settings('accounts.error.account_not_found', NAME)).waitFor()
    await page.goto(`${visit.owner.app('home')}/`)
    await connect()
  })

  it('a session that ends before the provider is asked', async function () {
    await open(this)
    await visit.tab.button(home('accounts.connect')).waitFor()
    // What the page itself asks for would be refused, and lead to the login before the owner presses anything.
    await page.route(/\/(?:data|konnectors|notifications)\b/, () => {})
    await visit.context.clearCookies()
    await visit.tab.button(home('accounts.connect')).click()
    await visit.tab.followWayOn(stage.texts.ui('error.title.login_required'))
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await visit.tab.givePassphrase()
    await visit.tab.isHome()
    await connect()
  })
})

/** The answer itself, not where it leads. */
async function fetchOnce(route: Route): Promise<{ readonly headers: Record<string, string> }> {
  const response = await route.fetch({ maxRedirects: 0 })
  return { headers: response.headers() }
}
