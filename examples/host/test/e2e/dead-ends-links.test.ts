import { MINUTE_MS } from '@svc/platform'
import { suiteDeadEnds } from '../support/dead-end-stage.ts'
import type { DeadEndVisit } from '../support/dead-end-visit.ts'

const NEW_PASSPHRASE = 'eight blue lanterns hum at noon'

describe('no dead end behind a mailed link', function () {
  this.timeout(60_000)
  const stage = suiteDeadEnds()

  /** Asks for a link to log in. @returns the link, which nobody has opened */
  async function askMagicLink({ tab, owner }: DeadEndVisit): Promise<string> {
    await tab.button(stage.texts.ui('login.magicLink')).click()
    await tab.heading(stage.texts.ui('mailSent.title'))
    return owner.mailed('magic_link', /http\S+magic_link\?\S+/)
  }

  const forgot = ({ tab }: DeadEndVisit): Promise<void> =>
    tab.page.getByRole('link', { name: stage.texts.ui('login.forgot') }).click()

  it('a link to log in that was used', async () => {
    const visit = await stage.visit({ hasMagicLink: true })
    const link = await askMagicLink(visit)
    await visit.tab.page.goto(link)
    await visit.tab.isAsked()
    const other = await visit.openElsewhere(link)
    await other.followWayOn(stage.texts.ui('error.title.invalid_magic_code'))
    await other.givePassphrase()
    await other.finish()
  })

  it('a link to log in that is too old', async () => {
    const visit = await stage.visit({ hasMagicLink: true })
    const link = await askMagicLink(visit)
    stage.clock.advance(16 * MINUTE_MS)
    await visit.tab.page.goto(link)
    await visit.tab.followWayOn(stage.texts.ui('error.title.invalid_magic_code'))
    await visit.tab.page.goto(await askMagicLink(visit))
    await visit.tab.finish()
  })

  it('a link to log in that is opened after the login', async () => {
    const visit = await stage.visit({ hasMagicLink: true })
    const link = await askMagicLink(visit)
    const other = await visit.openTab()
    await other.givePassphrase()
    await other.isAsked()
    await visit.tab.page.goto(link)
    await visit.tab.finish()
  })

  it('a link to log in that is opened in another browser', async () => {
    const visit = await stage.visit({ hasMagicLink: true })
    const other = await visit.openElsewhere(await askMagicLink(visit))
    await other.heading(stage.texts.ui('magic.open.title'))
    await other.button(stage.texts.ui('magic.open.submit')).click()
    await other.finish()
  })

  it('a link to a new passphrase that was used', async () => {
    const visit = await stage.visit()
    await forgot(visit)
    const link = await visit.askReset(visit.tab)
    const other = await visit.openTab(link)
    await other.renewPassphrase(NEW_PASSPHRASE)
    await other.page.goto(link)
    await other.followWayOn(stage.texts.ui('error.title.invalid_token'))
    await other.page.goto(await visit.askReset(other))
    await other.renewPassphrase(`${NEW_PASSPHRASE} again`)
    // The page that the client had led to has kept its request.
    await visit.tab.givePassphrase(`${NEW_PASSPHRASE} again`)
    await visit.tab.finish()
  })

  it('a link to a new passphrase that is too old', async () => {
    const visit = await stage.visit()
    await forgot(visit)
    const link = await visit.askReset(visit.tab)
    stage.clock.advance(16 * MINUTE_MS)
    const other = await visit.openTab(link)
    await other.followWayOn(stage.texts.ui('error.title.invalid_token'))
    await other.page.goto(await visit.askReset(other))
    await other.renewPassphrase(NEW_PASSPHRASE)
    await visit.tab.givePassphrase(NEW_PASSPHRASE)
    await visit.tab.finish()
  })

  it('a link to a new passphrase after a newer one', async () => {
    const visit = await stage.visit()
    await forgot(visit)
    const older = await visit.askReset(visit.tab)
    stage.clock.advance(16 * MINUTE_MS)
    await forgot(visit)
    const newer = await visit.askReset(visit.tab)
    const other = await visit.openTab(older)
    await other.followWayOn(stage.texts.ui('error.title.invalid_token'))
    await other.page.goto(newer)
    await other.renewPassphrase(NEW_PASSPHRASE)
    await visit.tab.givePassphrase(NEW_PASSPHRASE)
    await visit.tab.finish()
  })

  it('a reminder that was never set', async () => {
    const visit = await stage.visit()
    const { tab } = visit
    await forgot(visit)
    await tab.button(stage.texts.ui('reset.hint.submit')).click()
    await tab.heading(stage.texts.ui('mailSent.title'))
    await tab.page.getByRole('link', { name: stage.texts.ui('mailSent.reset') }).click()
    const other = await visit.openTab(await visit.askReset(tab))
    await other.renewPassphrase(NEW_PASSPHRASE)
    // The page after the request for a link has kept what was asked for.
    await tab.givePassphrase(NEW_PASSPHRASE)
    await tab.finish()
  })

  it('a passphrase that changed while a code was waited for', async () => {
    const visit = await stage.visit({ hasSecondStep: true })
    await visit.tab.givePassphrase()
    await visit.tab.isAskedMore()
    const code = await visit.passcode()
    const other = await visit.openTab(`${visit.owner.origin}/auth/passphrase_reset`)
    await other.page.goto(await visit.askReset(other))
    await other.renewPassphrase(NEW_PASSPHRASE)
    await visit.tab.giveCode(code)
    await visit.tab.followWayOn(stage.texts.ui('error.title.two_factor_expired'))
    await visit.tab.givePassphrase(NEW_PASSPHRASE)
    await visit.tab.giveCode(await visit.passcode())
    await visit.tab.finish()
  })

  it('an onboarding link that was used', async () => {
    const visit = await stage.visit({ isOnboarded: false })
    const { tab, owner, context } = visit
    await tab.page.goto(owner.onboardingUrl)
    await onboard(visit)
    // The page would notice, and load itself again.
    await tab.page.goto('about:blank')
    await context.clearCookies()
    await tab.page.goto(owner.onboardingUrl)
    await tab.givePassphrase()
    await tab.isHome()
  })

  it('an onboarding link after newer ones', async () => {
    const visit = await stage.visit({ isOnboarded: false })
    const { tab, owner } = visit
    const wanted = /http\S+registerToken=\S+/
    const oldest = await owner.mailed('onboarding', wanted)
    for (let newer = 1; newer <= 3; newer += 1) await visit.admin('POST', '/onboarding-link')
    await tab.page.goto(oldest)
    await tab.heading(stage.texts.ui('activation.title.badToken'))
    await tab.button(stage.texts.ui('activation.resend')).click()
    await tab.heading(stage.texts.ui('mailSent.title'))
    await tab.page.goto(await owner.mailed('onboarding', wanted))
    await onboard(visit)
    // Now the client's request can be answered.
    await tab.page.goto(visit.request.url)
    await tab.finish()
  })

  async function onboard({ tab, owner }: DeadEndVisit): Promise<void> {
    const { ui } = stage.texts
    await tab.page.getByLabel(ui('choose.passphrase'), { exact: true }).fill(owner.passphrase)
    await tab.button(ui('choose.submit')).click()
    await tab.isHome()
  }
})
