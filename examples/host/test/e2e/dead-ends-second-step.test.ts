import { MINUTE_MS } from '@svc/platform'
import { scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { suiteDeadEnds } from '../support/dead-end-stage.ts'
import type { DeadEndVisit } from '../support/dead-end-visit.ts'

describe('no dead end at the second step', function () {
  this.timeout(60_000)
  const stage = suiteDeadEnds()

  /** A client's request, with the passphrase given: the page of the second step is open. */
  async function passStep1(): Promise<DeadEndVisit> {
    const visit = await stage.visit({ hasSecondStep: true })
    await visit.tab.givePassphrase()
    await visit.tab.isAskedMore()
    return visit
  }

  /** The whole login again, from the form that is open. */
  async function logInAndFinish({ tab, passcode }: DeadEndVisit): Promise<void> {
    await tab.givePassphrase()
    await tab.giveCode(await passcode())
    await tab.finish()
  }

  async function startAgain(visit: DeadEndVisit): Promise<void> {
    const { page } = visit.tab
    await page.getByText(stage.texts.ui('passcode.expired')).waitFor()
    await page.locator('#expired').getByRole('link').click()
    await logInAndFinish(visit)
  }

  it('a code that expired on the open page', async () => {
    const visit = await passStep1()
    await visit.passcode()
    // What is left is what the page counts down by itself.
    stage.clock.advance(5 * MINUTE_MS - scaledLimit(2000))
    await visit.tab.page.reload()
    await startAgain(visit)
  })

  it('a code that is typed too late', async () => {
    const visit = await passStep1()
    const late = await visit.passcode()
    stage.clock.advance(5 * MINUTE_MS + 2000)
    await visit.tab.giveCode(late)
    await startAgain(visit)
  })

  it('the page of an expired step loaded again', async () => {
    const visit = await passStep1()
    await visit.passcode()
    stage.clock.advance(10 * MINUTE_MS)
    await visit.tab.page.reload()
    await visit.tab.followWayOn(stage.texts.ui('error.title.two_factor_expired'))
    await logInAndFinish(visit)
  })

  it('five wrong codes', async () => {
    const visit = await passStep1()
    const right = await visit.passcode()
    const wrong = right === '000000' ? '000001' : '000000'
    for (let tries = 1; tries <= 5; tries += 1) {
      const answered = visit.tab.page.waitForResponse('**/auth/twofactor')
      await visit.tab.giveCode(wrong)
      expect((await answered).status()).to.equal(401)
    }
    await visit.tab.giveCode(right)
    await startAgain(visit)
  })

  it('the page loaded again, before the code and after another one was asked for', async () => {
    const visit = await passStep1()
    const { tab } = visit
    const first = await visit.passcode()
    await tab.page.reload()
    await tab.isAskedMore()
    await tab.page.clock.install()
    await tab.page.reload()
    await tab.page.clock.fastForward(31_000)
    const before = tab.page.url()
    await tab.button(stage.texts.ui('passcode.resend')).click()
    // The page has the address of the new step, though it came with the answer to a form.
    await tab.page.waitForURL((url) => url.pathname === '/auth/twofactor' && url.href !== before)
    const second = await visit.passcode()
    expect(second).not.to.equal(first)
    await tab.page.reload()
    await tab.giveCode(second)
    await tab.finish()
    expect(stage.front.count('POST', '/auth/twofactor/resend')).to.equal(1)
  })

  it('a code that is sent twice', async () => {
    const visit = await passStep1()
    const code = await visit.passcode()
    const other = await visit.openTab(visit.tab.page.url())
    await other.isAskedMore()
    await visit.tab.giveCode(code)
    await visit.tab.isAsked()
    await other.giveCode(code)
    await other.finish()
  })

  it('the back button after the code, and the code once more', async () => {
    const visit = await passStep1()
    await visit.tab.giveCode(await visit.passcode())
    await visit.tab.isAsked()
    await visit.tab.page.goBack()
    await visit.tab.finish()
  })

  it('the second step switched off while its page is open', async () => {
    const visit = await passStep1()
    const code = await visit.passcode()
    await visit.admin('PATCH', '', { auth_mode: 'basic' })
    await visit.tab.giveCode(code)
    const { page } = visit.tab
    await page.locator('#expired').getByRole('link').click()
    await visit.tab.givePassphrase()
    await visit.tab.finish()
  })
})
