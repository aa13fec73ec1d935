import { MINUTE_MS, SECOND_MS } from '@svc/platform'
import { expect } from 'chai'
import { CLIENT_NAME } from '../support/client-request.ts'
import { suiteDeadEnds } from '../support/dead-end-stage.ts'
import type { DeadEndVisit, Tab } from '../support/dead-end-visit.ts'
import { type PageWatch, watchPages } from '../support/tour-watch.ts'

describe('no dead end at the page for a code of an app that asks for everything', function () {
  this.timeout(60_000)
  const stage = suiteDeadEnds()
  let watch: PageWatch
  before(() => {
    watch = watchPages()
  })
  afterEach(() => {
    expect(watch.take(), 'what went wrong in pages').to.deep.equal([])
  })

  const text = (key: string): string => stage.texts.ui(key, { name: CLIENT_NAME })
  const mailedCode = ({ owner }: DeadEndVisit): Promise<string> =>
    owner.mailed('confirm_flagship', /\b\d{6}\b/)

  /** A request for everything, up to the page for its code, by an owner who stays logged in. */
  async function reachCertify(): Promise<DeadEndVisit> {
    const visit = await stage.visit()
    await watch.add(visit.context)
    await visit.tab.logIn()
    await visit.tab.isHome()
    await visit.request.ask('*')
    await visit.tab.page.goto(visit.request.url)
    await visit.tab.heading(text('certify.title'))
    return visit
  }

  async function give({ page, button }: Tab, code: string): Promise<void> {
    await page.getByLabel(text('passcode.label'), { exact: true }).fill(code)
    await button(text('certify.submit')).click()
  }

  /** The page stays as it is, and says beside the field what is wrong. */
  async function isRefused({ tab, request }: DeadEndVisit, code: string): Promise<void> {
    const path = `/auth/clients/${request.clientId}/flagship`
    watch.allowRefusal(path)
    const answered = tab.page.waitForResponse((answer) => new URL(answer.url()).pathname === path)
    await give(tab, code)
    expect((await answered).status()).to.equal(401)
    const problem = tab.page.locator('#code-error')
    await problem.filter({ hasText: text('problem.two_factor_invalid') }).waitFor()
  }

  const askAnew = ({ page }: Tab): Promise<void> =>
    page.getByRole('link', { name: text('passcode.resend'), exact: true }).click()

  const another = (code: string): string =>
    code.replace(/.$/, (last) => String((Number(last) + 1) % 10))

  it('a code that is too old', async () => {
    const visit = await reachCertify()
    const code = await mailedCode(visit)
    stage.clock.advance(6 * MINUTE_MS)
    await isRefused(visit, code)
    await askAnew(visit.tab)
    await give(visit.tab, await mailedCode(visit))
    await visit.tab.finish()
  })

  it('five wrong codes', async () => {
    const visit = await reachCertify()
    const code = await mailedCode(visit)
    for (let tries = 0; tries < 5; tries += 1) await isRefused(visit, another(code))
    await isRefused(visit, code)
    await askAnew(visit.tab)
    await visit.tab.page.getByText(text('certify.none'), { exact: true }).waitFor()
    stage.clock.advance(31 * SECOND_MS)
    await askAnew(visit.tab)
    await give(visit.tab, await mailedCode(visit))
    await visit.tab.finish()
  })

  it('a new code asked for at once, and the first one entered', async () => {
    const visit = await reachCertify()
    await askAnew(visit.tab)
    await visit.tab.heading(text('certify.title'))
    expect(await visit.owner.countMails('confirm_flagship')).to.equal(1)
    await give(visit.tab, await mailedCode(visit))
    await visit.tab.finish()
  })

  it('the code entered in another tab', async () => {
    const visit = await reachCertify()
    const code = await mailedCode(visit)
    const other = await visit.openTab()
    await give(other, code)
    await other.isAsked()
    await isRefused(visit, code)
    await askAnew(visit.tab)
    await visit.tab.finish()
  })

  it('a session that ended while the code was waited for', async () => {
    const visit = await reachCertify()
    const code = await mailedCode(visit)
    const other = await visit.openTab(`${visit.owner.origin}/`)
    await other.logOut()
    await give(visit.tab, code)
    await visit.tab.givePassphrase()
    await visit.tab.finish()
  })

  it('an app that was removed while its code was waited for', async () => {
    const visit = await reachCertify()
    const { tab, request } = visit
    const code = await mailedCode(visit)
    await visit.admin('DELETE', `/clients/${request.clientId}`)
    watch.allowRefusal(`/auth/clients/${request.clientId}/flagship`)
    watch.allowRefusal('/auth/authorize')
    await give(tab, code)
    await tab.followWayOn(text('error.unknown.title'))
    await tab.isHome()
    await request.renew()
    await tab.page.goto(request.url)
    await give(tab, await mailedCode(visit))
    await tab.finish()
  })

  it('a code that is sent while offline', async () => {
    const visit = await reachCertify()
    const code = await mailedCode(visit)
    await visit.context.setOffline(true)
    await give(visit.tab, code)
    await visit.tab.page
      .locator('#code-error')
      .filter({ hasText: text('page.offline') })
      .waitFor()
    await visit.context.setOffline(false)
    // The browser reports the request that got nowhere.
    expect(watch.take()).to.have.lengthOf(1)
    await give(visit.tab, code)
    await visit.tab.finish()
  })

  it('a browser without scripts', async () => {
    const visit = await reachCertify()
    const code = await mailedCode(visit)
    const storageState = await visit.context.storageState()
    const context = await visit.context.browser()?.newContext({
      locale: 'en',
      javaScriptEnabled: false,
      storageState,
    })
    if (context === undefined) throw new Error('no browser')
    await watch.add(context)
    const page = await context.newPage()
    await page.goto(visit.request.url)
    await page.getByLabel(text('passcode.label'), { exact: true }).fill(code)
    const answered = page.waitForResponse((answer) => answer.request().method() === 'POST')
    await page.getByRole('button', { name: text('certify.submit') }).click()
    expect((await answered).status()).to.equal(204)
    await page.getByRole('link', { name: text('certify.continue') }).click()
    await page.getByRole('heading', { name: text('consent.title'), exact: true }).waitFor()
    await page.getByRole('button', { name: text('consent.allow'), exact: true }).click()
    expect(await visit.request.isAnswered()).to.include({ scope: '*' })
    await context.close()
  })
})
