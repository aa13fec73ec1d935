import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { type ClientRequest, type ClientTokens, openRequest } from '../support/client-request.ts'
import { openClientSocket } from '../support/client-socket.ts'
import type { TourOwner } from '../support/tour-owner.ts'
import { openTour, type Place, TWO_PROCESSES, type TourStage } from '../support/tour-stage.ts'
import { type TourSteps, tourSteps } from '../support/tour-steps.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'

interface Visit {
  readonly page: Page
  readonly steps: TourSteps
}

/** A client with the tokens that the owner gave it. */
interface Connected {
  readonly request: ClientRequest
  readonly tokens: ClientTokens
}

for (const run of TWO_PROCESSES) {
  describe(`everything that has access, in the settings: ${run.name}`, function () {
    this.timeout(60_000)
    const requests: ClientRequest[] = []
    let tour: TourStage
    let owner: TourOwner
    let count = 0

    before(async function () {
      tour = await openTour(run, this)
    })
    after(async () => {
      for (const request of requests) await request.close()
      await tour?.close()
    })
    beforeEach(async () => {
      count += 1
      owner = await tour.owner(`grace${count}`)
    })
    afterEach(() => {
      expect(tour.faults(), 'what went wrong in pages and hosts').to.deep.equal([])
    })

    async function logIn(place?: Place, look?: { readonly userAgent: string }): Promise<Visit> {
      const page = await tour.visit(place, look)
      const steps = tourSteps(page, owner, tour.texts)
      await steps.logIn()
      await steps.isHome()
      return { page, steps }
    }

    /** Allows a client what it asks for. */
    async function connect(
      { page, steps }: Visit,
      name: string,
      scope: string,
      span: 'until_revoked' | '1h' = 'until_revoked',
    ): Promise<Connected> {
      const { ui } = tour.texts
      const request = await openRequest(owner.origin, tour.port(), { scope, name })
      requests.push(request)
      await page.goto(request.url)
      await page.getByLabel(ui('consent.for'), { exact: true }).selectOption(span)
      await steps.button(ui(span === '1h' ? 'consent.allow.1h' : 'consent.allow')).click()
      await page.getByRole('heading', { name: 'Connected' }).waitFor()
      return { request, tokens: await request.isAnswered() }
    }

    const card = (page: Page, name: string): Locator =>
      page.locator('#content .item').filter({ has: page.getByRole('heading', { name }) })

    const opens = (page: Page, name: string): Promise<void> =>
      card(page, name).getByText(tour.texts.settings('clients.may'), { exact: true }).click()

    /** Ends an entry and waits until the server has. @returns what the question named as lost */
    async function end({ page, steps }: Visit, button: string, confirm: string): Promise<string> {
      await steps.button(button).click()
      const dialog = page.getByRole('dialog')
      const question = await dialog.innerText()
      const answered = page.waitForResponse((response) => response.request().method() === 'DELETE')
      await steps.button(confirm, dialog).click()
      expect((await answered).status()).to.equal(204)
      return question
    }

    it('says what each may do, from where and until when', async () => {
      const { settings, ui } = tour.texts
      const visit = await logIn()
      const { page, steps } = visit
      const { request, tokens } = await connect(visit, 'Viewer', 'io.svc.contacts:GET', '1h')
      await connect(visit, 'Backup', 'io.svc.files')
      expect(await request.call(tokens.access_token, '/data/io.svc.contacts')).to.equal(200)
      await steps.openSettings('apps')
      for (const name of ['Viewer', 'Backup']) await opens(page, name)
      const lasting = settings('access.lasting')
      expect(await card(page, 'Viewer').innerText()).to.not.include(lasting)
      expect(await card(page, 'Backup').innerText()).to.include(lasting)
      const [until = ''] = settings('access.until', { time: '\n' }).split('\n')
      await card(page, 'Viewer').getByText(until).first().waitFor()
      await card(page, 'Viewer')
        .getByText(settings('access.from', { name: '127.0.0.1' }))
        .waitFor()
      await card(page, 'Viewer').locator('.ticks').getByText(ui('doctype.contacts')).waitFor()
      expect(await card(page, 'Viewer').getByRole('checkbox').count(), 'only read').to.equal(1)
      await card(page, 'Viewer').getByText(settings('clients.raw'), { exact: true }).click()
      await card(page, 'Viewer').getByText('io.svc.contacts:GET', { exact: true }).waitFor()
      await page.context().close()
    })

    it('ends a client, which the other process refuses within a second', async () => {
      const { settings, ui } = tour.texts
      const visit = await logIn()
      const { page, steps } = visit
      const ended = await connect(visit, 'Viewer', 'io.svc.contacts:GET')
      const kept = await connect(visit, 'Backup', 'io.svc.files')
      const port = tour.port('elsewhere')
      const { access_token: token, refresh_token: next = '' } = ended.tokens
      expect(await ended.request.call(token, '/data/io.svc.contacts', { port })).to.equal(200)
      const there = { port, domain: owner.domain }
      const socket = await openClientSocket(there, token, 'io.svc.contacts')
      await steps.openSettings('apps')
      await opens(page, 'Viewer')
      const button = settings('clients.revoke.label', { name: 'Viewer' })
      const question = await end(visit, button, settings('clients.revoke'))
      await ended.request.untilEnded(token, '/data/io.svc.contacts', { port })
      await socket.isCut()
      expect(question, 'what is lost').to.include(ui('doctype.contacts'))
      await card(page, 'Viewer').waitFor({ state: 'detached' })
      expect(await card(page, 'Backup').count()).to.equal(1)
      const refusal = await ended.request.refresh(next).then(
        () => 'refreshed',
        ({ status }: { status?: number }) => status,
      )
      expect(refusal).to.equal(401)
      const { access_token: other } = kept.tokens
      expect(await kept.request.call(other, '/data/io.svc.files', { port })).to.equal(200)
      await page.context().close()
    })

    it('ends the login of another browser', async () => {
      const { settings } = tour.texts
      const other = await logIn('elsewhere', { userAgent: FIREFOX })
      const visit = await logIn()
      await visit.steps.openSettings('devices')
      const heading = card(visit.page, 'Firefox').getByRole('heading')
      const name = await heading.innerText()
      const label = settings('sessions.end.label', { name })
      // An open start page would hear of its end, and leave for the login by itself.
      await other.page.goto('about:blank')
      await end(visit, label, settings('sessions.end'))
      await other.page.goto(`${owner.app('home')}/`)
      await other.steps.isLoggedOut()
      await card(visit.page, 'Firefox').waitFor({ state: 'detached' })
      await other.page.context().close()
      await visit.page.context().close()
    })
  })
}
