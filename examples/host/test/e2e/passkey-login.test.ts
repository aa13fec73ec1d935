import { relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { addPasskeyDevice, type PasskeyDevice } from '../support/authenticators.ts'
import { type CallbackServer, openCallbackServer } from '../support/callback-server.ts'
import { tourFactors } from '../support/tour-factors.ts'
import type { TourOwner } from '../support/tour-owner.ts'
import { FLAT_FR, journeys, NESTED, suiteTour } from '../support/tour-stage.ts'
import { type TourSteps, tourSteps } from '../support/tour-steps.ts'

const DAY_S = 86_400

for (const run of journeys(FLAT_FR, NESTED)) {
  // One owner from the first login on: each step goes on where the one before ended.
  describe(`logging in with a passkey: ${run.name}`, function () {
    this.timeout(60_000)
    const tour = suiteTour(run)
    let owner: TourOwner
    let laptop: Page
    let device: PasskeyDevice
    let steps: TourSteps
    let callback: CallbackServer

    before(async () => {
      owner = await tour.owner('alice')
      callback = await openCallbackServer()
      laptop = await tour.visit()
      steps = tourSteps(laptop, owner, tour.texts)
      device = await addPasskeyDevice(laptop)
    })
    after(() => callback?.close())
    const ui = (key: string): string => tour.texts.ui(key)
    const openLogin = () => laptop.goto(`${owner.origin}/auth/login`)
    const button = () => steps.button(ui('login.passkey'))
    const heading = (key: string) => laptop.getByRole('heading', { name: ui(key), exact: true })

    async function logOut(): Promise<void> {
      await device.answers(false)
      await steps.logOut()
    }

    /** Seconds that the session's cookie still lives; undefined: until the browser closes. */
    async function cookieLife(): Promise<number | undefined> {
      const cookies = await laptop.context().cookies(owner.origin)
      const cookie = cookies.find(({ name }) => name.endsWith('svcsessid'))
      if (cookie === undefined) throw new Error('no session')
      return cookie.expires < 0 ? undefined : cookie.expires - Date.now() / 1000
    }

    it('is offered after a login by passphrase, and added without typing it again', async () => {
      await steps.logIn()
      await heading('offer.title').waitFor()
      await steps.button(ui('passkey.task')).click()
      await heading('offer.added.title').waitFor()
      await laptop.getByText(ui('offer.added'), { exact: true }).waitFor()
      await laptop.getByRole('link', { name: ui('offer.continue'), exact: true }).click()
      await steps.isHome()
    })

    it('logs in as soon as it is chosen in the list of the browser', async () => {
      await logOut()
      await laptop.goto('about:blank')
      await device.answers(true)
      await openLogin()
      await steps.isHome()
      expect(await cookieLife()).to.equal(undefined)
    })

    it('logs in at the press of the button, for long when the owner ticked that', async () => {
      await logOut()
      await openLogin()
      await button().waitFor()
      await laptop.getByLabel(ui('login.longRun')).check()
      await device.answers(true)
      await button().click()
      await steps.isHome()
      expect(await cookieLife()).to.be.greaterThan(300 * DAY_S)
    })

    it('serves an authorization, whose session is short, and the client gets its token', async () => {
      await logOut()
      const { redirectUri } = callback
      const client = relyingParty({ issuer: owner.origin, port: tour.port(), redirectUri })
      await client.register()
      const pending = await client.authorize({ scope: 'io.svc.contacts:GET' })
      await device.answers(true)
      await laptop.goto(pending.url)
      await steps.allowButton().waitFor()
      expect(await cookieLife()).to.be.within(200, 301)
      await steps.allowButton().click()
      const tokens = await client.exchange(await callback.nextVisit(), pending)
      expect(tokens['access_token']).to.be.a('string')
    })

    it('confirms in place of the passphrase', async () => {
      const back = new URLSearchParams({ state: 'tour', redirect: `${owner.app('settings')}/` })
      const asked = laptop.waitForURL((url) => url.searchParams.get('state') === 'tour')
      // The settings ask for it last, beside their sections.
      const last = laptop.waitForResponse((answer) => answer.url().endsWith('/settings/restored'))
      await laptop.goto(`${owner.origin}/auth/confirm?${back}`)
      await asked
      await laptop.waitForURL((url) => url.origin === owner.app('settings'))
      // What it still loads would be refused once the next step takes the cookies away.
      await laptop.locator('#content[aria-busy=false]').waitFor()
      await last
    })

    it('is not accepted without user verification', async () => {
      await laptop.context().clearCookies()
      await device.answers(false)
      await openLogin()
      await button().waitFor()
      await device.verifies(false)
      await device.answers(true)
      await button().click()
      await laptop.getByText(ui('problem.passkey_invalid'), { exact: true }).waitFor()
      // The page offers passkeys in the list again: a device that verified its owner would now log in.
      await device.answers(false)
      await device.verifies(true)
      await openLogin()
      await button().waitFor()
    })

    it('answers no app, which could name the same relying party', async () => {
      await laptop.goto(`${owner.app('home')}/_kit/dom.js`)
      // With nobody there the request would wait: so it ends by the refusal or by an answer.
      await device.answers(true)
      const refusal = await laptop.evaluate(async (rpId) => {
        const publicKey = { challenge: new Uint8Array(32), rpId }
        return navigator.credentials.get({ publicKey }).then(
          () => '',
          (error: Error) => error.name,
        )
      }, owner.domain)
      expect(refusal).to.be.oneOf(['NotAllowedError', 'SecurityError'])
    })

    it('is not needed where the device is not at hand', async () => {
      const page = await tour.visit('elsewhere')
      const there = tourSteps(page, owner, tour.texts)
      await there.logIn()
      await there.isHome()
      await page.context().close()
    })

    it('is suspended when a copy shows an old counter, and the owner is told', async () => {
      await device.answers(false)
      await openLogin()
      await device.setCounters(1)
      tour.watch.allowRefusal('/auth/login/passkey')
      await device.answers(true)
      await button().click()
      await laptop.getByText(ui('problem.passkey_invalid'), { exact: true }).waitFor()
      await owner.mailed('passkey_suspended', /http\S+/)
    })

    it('is unknown once it was removed', async () => {
      await device.answers(false)
      await steps.logIn()
      await steps.isHome()
      await steps.openSettings('security')
      const label = await laptop.locator('[data-factor=passkey] h4').innerText()
      const factors = tourFactors(laptop, owner, tour.texts)
      const putBack = await device.keep()
      await factors.removePasskey(label, () => steps.confirm())
      await logOut()
      // The page after logging out offers passkeys, too: it would ask first, and the browser forget the passkey.
      await laptop.goto('about:blank')
      // Where the settings may speak for the space's passkeys, the device has heard of it; this one did not.
      await putBack()
      tour.watch.allowRefusal('/auth/login/passkey')
      await device.answers(true)
      await openLogin()
      await laptop.getByText(ui('problem.passkey_unknown'), { exact: true }).waitFor()
    })
  })
}
