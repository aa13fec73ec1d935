import { MINUTE_MS } from '@svc/platform'
import { expect } from 'chai'
import { suiteDeadEnds } from '../support/dead-end-stage.ts'
import type { DeadEndVisit } from '../support/dead-end-visit.ts'

describe('no dead end at the consent page', function () {
  this.timeout(60_000)
  const stage = suiteDeadEnds()

  /** A client's request, up to its consent page. */
  async function reachConsent(): Promise<DeadEndVisit> {
    const visit = await stage.visit()
    await visit.tab.givePassphrase()
    await visit.tab.isAsked()
    return visit
  }

  const allow = ({ tab }: DeadEndVisit): Promise<void> => tab.allowButton().click()

  it('a session that ended while the page was open', async () => {
    const visit = await reachConsent()
    stage.clock.advance(6 * MINUTE_MS)
    await allow(visit)
    await visit.tab.followWayOn(stage.texts.ui('error.status.401.title'))
    await visit.tab.givePassphrase()
    await visit.tab.finish()
  })

  it('a form token that is too old', async () => {
    const visit = await reachConsent()
    await visit.context.clearCookies({ name: '_csrf' })
    await allow(visit)
    await visit.tab.followWayOn(stage.texts.ui('error.title.csrf_invalid'))
    await visit.tab.finish()
  })

  it('a page from before another login', async () => {
    const visit = await reachConsent()
    const { tab } = visit
    const other = await visit.openTab(`${visit.owner.origin}/`)
    await other.logOut()
    await other.givePassphrase()
    await other.isHome()
    await other.page.close()
    await allow(visit)
    await tab.followWayOn(stage.texts.ui('error.title.consent_outdated'))
    await tab.finish()
  })

  it('a page that was open for more than an hour', async () => {
    const visit = await stage.visit()
    // Home first: that session lasts longer than the page.
    await visit.tab.logIn()
    await visit.tab.isHome()
    await visit.tab.page.goto(visit.request.url)
    await visit.tab.isAsked()
    // The client of somebody who takes so long has been allowed before: pending ones live an hour.
    const other = await visit.openTab()
    await other.finish()
    stage.clock.advance(61 * MINUTE_MS)
    await allow(visit)
    await visit.tab.followWayOn(stage.texts.ui('error.title.consent_outdated'))
    await visit.tab.finish()
  })

  it('a button that is clicked twice', async () => {
    const { tab, request } = await reachConsent()
    const before = stage.front.count('POST', '/auth/authorize')
    await tab.allowButton().dblclick()
    await request.isAnswered()
    await tab.heading('Connected')
    expect(stage.front.count('POST', '/auth/authorize') - before).to.equal(1)
  })

  it('the back button after the answer, and allowed once more', async () => {
    const { tab } = await reachConsent()
    await tab.finish()
    await tab.page.goBack()
    await tab.finish()
  })

  it('a button that is pressed while offline', async () => {
    const visit = await reachConsent()
    const { tab, context } = visit
    await context.setOffline(true)
    const failed = tab.page.waitForEvent('requestfailed')
    await allow(visit)
    await failed
    await context.setOffline(false)
    await tab.page.goto(visit.request.url)
    await tab.finish()
  })

  it('a client that was removed while the page was open', async () => {
    const visit = await reachConsent()
    const { tab, request } = visit
    await visit.admin('DELETE', `/clients/${request.clientId}`)
    await allow(visit)
    await tab.followWayOn(stage.texts.ui('error.unknown.title'))
    await tab.isHome()
    // All that helps: the client registers again, and asks again.
    await request.renew()
    await tab.page.goto(request.url)
    await tab.finish()
  })

  it('an access that was given back while the page for more was open', async () => {
    const { tab, request } = await reachConsent()
    await tab.allowButton().click()
    const { refresh_token: token = '' } = await request.isAnswered()
    await request.ask('io.svc.contacts:GET io.svc.files:GET')
    await tab.page.goto(request.url)
    await tab.isAsked()
    await request.revoke(token)
    await tab.allowButton().click()
    await tab.followWayOn(stage.texts.ui('error.title.consent_outdated'))
    await tab.finish()
  })

  it('nothing left ticked', async () => {
    const { tab } = await reachConsent()
    const box = tab.page.getByRole('checkbox').first()
    await box.uncheck()
    await tab.allowButton().click()
    await tab.page.getByText(stage.texts.ui('consent.choose.none'), { exact: true }).waitFor()
    await box.check()
    await tab.finish()
  })

  it('a session code that is used twice', async () => {
    const { tab, request, admin, openTab, context } = await stage.visit()
    const { session_code: code } = (await admin('POST', '/session-code')) as {
      session_code: string
    }
    const url = `${request.url}&session_code=${code}`
    await tab.page.goto(url)
    await tab.isAsked()
    await context.clearCookies()
    const other = await openTab(url)
    await other.givePassphrase()
    await other.finish()
  })
})
