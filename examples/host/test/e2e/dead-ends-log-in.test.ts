import { pbkdf2Sync } from 'node:crypto'
import { MINUTE_MS } from '@svc/platform'
import { loopbackFetch } from '@svc/testkit'
import { expect } from 'chai'
import { suiteDeadEnds } from '../support/dead-end-stage.ts'
import { TOUR_PASSPHRASE as PASSPHRASE } from '../support/tour-owner.ts'

const NEW_PASSPHRASE = 'eight blue lanterns hum at noon'

describe('no dead end at the login', function () {
  this.timeout(60_000)
  const stage = suiteDeadEnds({ env: { SVC_LIMITS_AUTH_IP: '2' } })

  it('a form that is clicked twice', async () => {
    const { tab } = await stage.visit()
    const { ui } = stage.texts
    const before = stage.front.count('POST', '/auth/login')
    await tab.page.getByLabel(ui('login.passphrase'), { exact: true }).fill(PASSPHRASE)
    await tab.button(ui('login.submit')).dblclick()
    await tab.finish()
    expect(stage.front.count('POST', '/auth/login') - before).to.equal(1)
  })

  it('the back button after the login', async () => {
    const { tab } = await stage.visit()
    await tab.givePassphrase()
    await tab.isAsked()
    await tab.page.goBack()
    await tab.finish()
  })

  it('two tabs of a browser with the form, sent at once', async () => {
    const { tab, openTab, request } = await stage.visit()
    const { ui } = stage.texts
    const other = await openTab()
    await Promise.all([tab.givePassphrase(), other.givePassphrase()])
    await Promise.all([tab.isAsked(), other.isAsked()])
    for (const each of [tab, other]) {
      // The browser keeps one of the two sessions: the other's page is out of date, and says so.
      await each.allowButton().click()
      const outdated = each.page.getByRole('heading', { name: ui('error.title.consent_outdated') })
      const connected = each.page.getByRole('heading', { name: 'Connected' })
      await outdated.or(connected).waitFor()
      if (await outdated.isVisible()) {
        await each.followWayOn(ui('error.title.consent_outdated'))
        await each.finish()
      } else await request.isAnswered()
    }
  })

  it('a form that is sent after another tab has logged in', async () => {
    const { tab, openTab } = await stage.visit()
    const other = await openTab()
    await other.givePassphrase()
    await other.isAsked()
    await other.page.close()
    await tab.givePassphrase()
    await tab.finish()
  })

  it('a form from before a login and a logout elsewhere', async () => {
    const { tab, openTab, owner } = await stage.visit()
    const other = await openTab(`${owner.origin}/auth/login`)
    await other.givePassphrase()
    await other.isHome()
    await other.logOut()
    await other.page.close()
    await tab.givePassphrase()
    await tab.finish()
  })

  it('a form whose token is too old', async () => {
    const { tab, context } = await stage.visit()
    // An answer that is still on its way would set it once more.
    await tab.page.waitForLoadState('networkidle')
    // What the browser does an hour later.
    await context.clearCookies({ name: '_csrf' })
    const before = stage.front.count('POST', '/auth/login')
    await tab.givePassphrase()
    await tab.finish()
    expect(stage.front.count('POST', '/auth/login') - before, 'tries').to.equal(2)
  })

  it('a form whose token is too old, after another tab has logged in', async () => {
    const { tab, context, openTab } = await stage.visit()
    const other = await openTab()
    await other.givePassphrase()
    await other.isAsked()
    await context.clearCookies({ name: '_csrf' })
    await other.page.close()
    await tab.givePassphrase()
    await tab.finish()
  })

  it('too many wrong passphrases', async () => {
    const { tab } = await stage.visit()
    const { ui } = stage.texts
    for (const wrong of ['one', 'two']) {
      await tab.givePassphrase(wrong)
      await tab.page.getByText(ui('problem.invalid_passphrase')).waitFor()
    }
    await tab.givePassphrase()
    await tab.page.getByText(ui('problem.rate_limited', { minutes: 15 })).waitFor()
    stage.clock.advance(15 * MINUTE_MS)
    await tab.givePassphrase()
    await tab.finish()
  })

  it('a form that is sent while offline', async () => {
    const { tab, context } = await stage.visit()
    await context.setOffline(true)
    await tab.givePassphrase()
    await tab.page.getByText(stage.texts.ui('page.offline')).waitFor()
    await context.setOffline(false)
    await tab.givePassphrase()
    await tab.finish()
  })

  it('a form that is sent offline once its token is too old', async () => {
    const { tab, context } = await stage.visit()
    await context.clearCookies({ name: '_csrf' })
    await context.setOffline(true)
    await tab.givePassphrase()
    await tab.page.getByText(stage.texts.ui('page.offline')).waitFor()
    await context.setOffline(false)
    await tab.givePassphrase()
    await tab.finish()
  })

  it('a form from before a passphrase that is derived otherwise', async () => {
    const { tab, admin, owner } = await stage.visit()
    // By the schema of the admin listener.
    const { token, cookie } = (await admin('POST', '/app-tokens', { slug: 'settings' })) as {
      token: string
      cookie: string
    }
    const salt = `me@${owner.domain}`
    const changed = await loopbackFetch({ port: stage.front.port })(
      `${owner.origin}/settings/passphrase`,
      {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, cookie, 'content-type': 'application/json' },
        body: JSON.stringify({
          current_passphrase: loginValue(PASSPHRASE, salt, 650_000),
          new_passphrase: loginValue(NEW_PASSPHRASE, salt, 60_000),
          iterations: 60_000,
        }),
      },
    )
    expect(changed.status).to.equal(204)
    await tab.givePassphrase(NEW_PASSPHRASE)
    await tab.finish()
  })
})

/** What a browser derives. @see login.md 3.1 */
function loginValue(passphrase: string, salt: string, iterations: number): string {
  const master = pbkdf2Sync(passphrase, salt, iterations, 32, 'sha256')
  return pbkdf2Sync(master, passphrase, 1, 32, 'sha256').toString('base64')
}
