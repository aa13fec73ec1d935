import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import {
  CLIENT_NAME,
  type ClientRequest,
  type ClientRequestOptions,
  openRequest,
} from '../support/client-request.ts'
import type { TourOwner } from '../support/tour-owner.ts'
import { NESTED, suiteTour } from '../support/tour-stage.ts'
import { tourSteps } from '../support/tour-steps.ts'

const CONTACTS = 'io.svc.contacts:GET'
const FILES = 'io.svc.files:GET'

describe(`what the owner chooses at the consent page: ${NESTED.name}`, function () {
  this.timeout(60_000)
  const tour = suiteTour(NESTED)
  let owner: TourOwner
  let count = 0

  beforeEach(async () => {
    count += 1
    owner = await tour.owner(`erin${count}`)
  })
  async function askFor(scope: string, options?: ClientRequestOptions): Promise<ClientRequest> {
    const request = await openRequest(owner.origin, tour.port(), { scope, ...options })
    return request
  }

  /** The owner, logged in, on the consent page of a request. */
  async function reachConsent({ url }: ClientRequest): Promise<Page> {
    const page = await tour.visit()
    await page.goto(url)
    await tourSteps(page, owner, tour.texts).givePassphrase()
    await isAsked(page)
    return page
  }

  const isAsked = (page: Page): Promise<void> =>
    page
      .getByRole('heading', { name: tour.texts.ui('consent.title', { name: CLIENT_NAME }) })
      .waitFor()
  /** The box of a right to one kind of data, in a group that was opened. */
  const box = (page: Page, doctype: string): Locator =>
    page.getByRole('checkbox', {
      name: `${tour.texts.ui('consent.right.read')}: ${tour.texts.ui(`doctype.${doctype}`)}`,
      exact: true,
    })
  async function openGroups(page: Page): Promise<void> {
    for (const group of await page.locator('.group summary').all()) await group.click()
  }
  const allow = (page: Page): Promise<void> =>
    tourSteps(page, owner, tour.texts).allowButton().click()
  const press = (page: Page, name: string): Promise<void> =>
    tourSteps(page, owner, tour.texts).button(tour.texts.ui(name)).click()

  it('gives exactly what was left ticked, and only for an hour', async () => {
    const request = await askFor(`${CONTACTS} ${FILES}`)
    const page = await reachConsent(request)
    await openGroups(page)
    await box(page, 'contacts').uncheck()
    await tourSteps(page, owner, tour.texts).button(tour.texts.ui('consent.allow.30d')).waitFor()
    await page.getByLabel(tour.texts.ui('consent.for'), { exact: true }).selectOption('1h')
    await press(page, 'consent.allow.1h')
    const tokens = await request.isAnswered()
    expect(tokens.scope).to.equal(FILES)
    expect(tokens.expires_in).to.be.within(3500, 3600)
    for (const place of ['here', 'elsewhere'] as const) {
      const port = tour.port(place)
      const { access_token: token } = tokens
      expect(await request.call(token, '/data/io.svc.files', { port })).to.equal(200)
      expect(await request.call(token, '/data/io.svc.contacts', { port })).to.equal(403)
    }
    expect(await request.refresh(tokens.refresh_token ?? '')).to.include({ scope: FILES })
    await page.context().close()
  })

  it('helps without scripts, too', async () => {
    const request = await askFor(`${CONTACTS} ${FILES}`)
    const first = await reachConsent(request)
    const storageState = await first.context().storageState()
    await first.context().close()
    const page = await tour.visit('here', { javaScriptEnabled: false, storageState })
    await page.goto(request.url)
    await openGroups(page)
    for (const doctype of ['contacts', 'files']) await box(page, doctype).uncheck()
    tour.watch.allowRefusal('/auth/authorize')
    await allow(page)
    await page.getByText(tour.texts.ui('consent.choose.none'), { exact: true }).waitFor()
    await openGroups(page)
    await page.locator('[name=group-people-read]').check()
    await box(page, 'contacts').check()
    await allow(page)
    expect(await request.isAnswered()).to.include({ scope: CONTACTS })
    await page.context().close()
  })

  it('shows a known client with what is new in front, and what it has folded', async () => {
    const request = await askFor(CONTACTS)
    const page = await reachConsent(request)
    await allow(page)
    const before = await request.isAnswered()
    await request.ask(`${CONTACTS} ${FILES}`)
    await page.goto(request.url)
    await isAsked(page)
    expect(await page.locator('#could').innerText()).to.match(/^New: it can also read your files/u)
    await openGroups(page)
    expect(await box(page, 'files').isVisible(), 'what is new').to.equal(true)
    expect(await box(page, 'contacts').isVisible(), 'what it has').to.equal(false)
    await page.locator('.keeps summary').click()
    expect(await box(page, 'contacts').isChecked()).to.equal(true)
    await allow(page)
    const after = await request.isAnswered()
    expect(after.scope).to.equal(`${CONTACTS} ${FILES}`)
    for (const path of ['/data/io.svc.contacts', '/data/io.svc.files'])
      expect(await request.call(after.access_token, path)).to.equal(200)
    expect(await request.call(before.access_token, '/data/io.svc.contacts')).to.equal(200)
    await page.context().close()
  })

  it('says how well a client is known, and cautions once', async () => {
    const { ui } = tour.texts
    const request = await askFor(CONTACTS)
    const page = await reachConsent(request)
    const said = (key: string): Promise<number> =>
      page.getByText(ui(`consent.standing.${key}`), { exact: true }).count()
    const cautions = (): Promise<string[]> => page.getByRole('note').allInnerTexts()
    expect(await said('new')).to.equal(1)
    expect(await cautions()).to.have.lengthOf(1)
    expect((await cautions())[0]).to.include('Continue only if you just started')
    await allow(page)
    await request.isAnswered()
    await request.ask(CONTACTS)
    await page.goto(request.url)
    await isAsked(page)
    expect(await page.locator('#could').innerText()).to.match(/^Nothing new\. /u)
    expect(await said('known')).to.equal(1)
    expect(await cautions()).to.deep.equal([])
    await tour.svc('client', 'certify', owner.domain, request.clientId)
    await page.reload()
    await isAsked(page)
    expect(await said('certified')).to.equal(1)
    await page.context().close()
  })
})
