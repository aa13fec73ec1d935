import { scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import type { TourOwner } from '../support/tour-owner.ts'
import { journeys, NESTED, type Place, suiteTour, TWO_PROCESSES_FR } from '../support/tour-stage.ts'
import { type TourSteps, tourSteps } from '../support/tour-steps.ts'

interface Visit {
  readonly page: Page
  readonly steps: TourSteps
}

/** What the app reads when it is open. */
const LIST = '/data/io.svc.safe.notes'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'

for (const run of journeys(TWO_PROCESSES_FR, NESTED)) {
  describe(`the tour, confirmation and sessions: ${run.name}`, function () {
    this.timeout(60_000)
    const tour = suiteTour(run)
    let owner: TourOwner
    let count = 0

    beforeEach(async () => {
      count += 1
      owner = await tour.owner(`dora${count}`)
    })
    async function logIn(place?: Place, look?: { readonly userAgent: string }): Promise<Visit> {
      const page = await tour.visit(place, look)
      const steps = tourSteps(page, owner, tour.texts)
      await steps.logIn()
      await steps.isHome()
      return { page, steps }
    }

    /** Opens an app that listens for changes. @returns what ends when the server closes its websocket */
    async function openSafe(page: Page): Promise<{ readonly closed: Promise<void> }> {
      const connecting = page.waitForEvent('websocket')
      await page.goto(`${owner.app('safe')}/`)
      const socket = await connecting
      const closed = new Promise<void>((resolve) => {
        socket.once('close', () => resolve())
      })
      await page.getByText(tour.texts.safe('live.on'), { exact: true }).waitFor()
      return { closed }
    }

    /** Holds the address that a confirmation leads to: the browser gets no further. */
    function holdAnswer(page: Page): Promise<Route> {
      return new Promise((resolve, reject) => {
        page.context().route('**/confirmed.html*', resolve).catch(reject)
      })
    }

    it('hears of a confirmation that was given in another browser', async () => {
      const { safe } = tour.texts
      const { page, steps } = await logIn()
      await openSafe(page)
      await page.getByLabel(safe('notes.title')).fill('Bank')
      await page.getByLabel(safe('notes.text')).fill('PIN 4711')
      await steps.button(safe('notes.add')).click()
      const [opened] = await Promise.all([
        page.context().waitForEvent('page'),
        steps.button(safe('lock.show')).click(),
      ])
      await opened.waitForURL((url) => url.pathname === '/auth/confirm')
      const other = await logIn('elsewhere')
      const answer = holdAnswer(other.page)
      await other.page.goto(opened.url())
      await other.steps.confirm()
      await answer
      await page.getByText(safe('lock.confirmed')).waitFor()
      expect(await page.content(), 'the code is in the other browser').to.not.include('4711')
      await other.page.context().close()
      await page.context().close()
    })

    it('leads from the mail about a new browser to the devices', async () => {
      const { settings } = tour.texts
      const first = await logIn('elsewhere')
      const { page } = await logIn('here', { userAgent: FIREFOX })
      const link = await owner.mailed('new_connection', /http\S+\bdevices\b/)
      await page.goto(link)
      const name = settings('devices.title')
      await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
      await page.getByText(settings('sessions.current'), { exact: true }).waitFor()
      await page.context().close()
      await first.page.context().close()
    })

    it('ends a session in the settings, and its browser is out at once', async () => {
      const { settings } = tour.texts
      const there = await logIn('elsewhere')
      const { closed } = await openSafe(there.page)
      const { page, steps } = await logIn()
      await steps.openSettings('devices')
      const items = page.locator('#content .item')
      expect(await items.count()).to.equal(2)
      await items.getByText(settings('sessions.end'), { exact: true }).click()
      const answered = page.waitForResponse((response) => response.request().method() === 'DELETE')
      await steps.button(settings('sessions.end'), page.getByRole('dialog')).click()
      expect((await answered).status()).to.equal(204)
      const endedAt = performance.now()
      await closed
      const tookMs = performance.now() - endedAt
      expect(tookMs, 'milliseconds until its websocket was closed').to.be.lessThan(
        scaledLimit(1000),
      )
      // Nobody touches the other browser: its app asks once more, and is refused.
      tour.watch.allowRefusal(LIST)
      await there.steps.isLoggedOut()
      await there.page.goto(`${owner.app('home')}/`)
      await there.steps.isLoggedOut()
      await page.reload()
      await page.getByText(settings('sessions.current'), { exact: true }).waitFor()
      expect(await items.count()).to.equal(1)
      await page.context().close()
      await there.page.context().close()
    })
  })
}
