import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type ClientRequest, type ClientTokens, openRequest } from '../support/client-request.ts'
import type { TourOwner } from '../support/tour-owner.ts'
import { type Place, suiteTour, TWO_PROCESSES_FR } from '../support/tour-stage.ts'
import { tourSteps } from '../support/tour-steps.ts'

/** What the app of the demo store may use, and something that it may not. */
const FILES = '/data/io.svc.files'
const CONTACTS = '/data/io.svc.contacts'
/** As the store has it. */
const APP = { slug: 'drive', name: 'Drive' }
/** As the client calls itself. */
const CLIENT = 'Drive on my phone'

describe(`a client that is an app of the space: ${TWO_PROCESSES_FR.name}`, function () {
  this.timeout(60_000)
  const tour = suiteTour(TWO_PROCESSES_FR)
  let owner: TourOwner
  let page: Page
  let count = 0

  beforeEach(async () => {
    count += 1
    owner = await tour.owner(`nora${count}`)
    page = await tour.visit()
  })
  afterEach(() => page.context().close())

  /** The client asks, and the owner is on the consent page. */
  async function reachConsent(): Promise<ClientRequest> {
    const request = await openRequest(owner.origin, tour.port(), {
      scope: '',
      name: CLIENT,
      softwareId: `registry://${APP.slug}`,
    })
    await page.goto(request.url)
    await tourSteps(page, owner, tour.texts).givePassphrase()
    await heading(tour.texts.ui('consent.title', { name: APP.name }))
    return request
  }

  async function connect(): Promise<{ request: ClientRequest; tokens: ClientTokens }> {
    const request = await reachConsent()
    await tourSteps(page, owner, tour.texts).button(tour.texts.ui('consent.allow')).click()
    await heading('Connected')
    return { request, tokens: await request.isAnswered() }
  }

  async function svc(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await tour.svc(...args)
    expect(code, stderr).to.equal(0)
    return stdout
  }

  const heading = (name: string): Promise<void> =>
    page.getByRole('heading', { name, exact: true }).waitFor()
  const installed = (): Promise<string> => svc('app', 'list', owner.domain)
  const places: readonly Place[] = ['here', 'elsewhere']

  it('says that it is one, and that nothing can be left out', async () => {
    await reachConsent()
    const { ui } = tour.texts
    await page.getByText(ui('consent.linked'), { exact: true }).waitFor()
    await page.getByText(ui('consent.whole.linked'), { exact: true }).waitFor()
    expect(await page.getByRole('checkbox').count(), 'boxes to untick').to.equal(0)
    const lists = await page.getByRole('main').innerText()
    expect(lists).to.include(ui('doctype.files')).and.not.include(ui('doctype.contacts'))
  })

  it('brings the app along when it is allowed, and not when it is refused', async () => {
    const request = await reachConsent()
    const refuse = tour.texts.ui('consent.refuse')
    await page.getByRole('link', { name: refuse, exact: true }).click()
    await heading('Connected')
    expect(await request.isAnswered().catch(({ error }: { error?: string }) => error)).to.equal(
      'access_denied',
    )
    expect(await installed()).to.not.include(APP.slug)
    await page.goto(request.url)
    await tourSteps(page, owner, tour.texts).button(tour.texts.ui('consent.allow')).click()
    await heading('Connected')
    await request.isAnswered()
    expect(await installed()).to.include(APP.slug)
    await page.goto(`${owner.app(APP.slug)}/`)
    await page.getByRole('heading', { name: APP.name, level: 1, exact: true }).waitFor()
  })

  it('may do what the app may, on every process, and no more', async () => {
    const { request, tokens } = await connect()
    const { access_token: token } = tokens
    for (const place of places) {
      const port = tour.port(place)
      expect(await request.call(token, CONTACTS, { port })).to.equal(403)
      const json = { name: `Notes from ${place}.txt` }
      const added = await request.send(token, FILES, { method: 'POST', json, port })
      expect(added.status).to.equal(201)
    }
    await page.goto(`${owner.app(APP.slug)}/`)
    for (const place of places) await page.getByText(`Notes from ${place}.txt`).waitFor()
  })

  it('is cut off everywhere by uninstalling the app, and stays so', async () => {
    const { request, tokens } = await connect()
    const { access_token: token, refresh_token: next = '' } = tokens
    for (const place of places)
      expect(await request.call(token, FILES, { port: tour.port(place) })).to.equal(200)
    await tourSteps(page, owner, tour.texts).openSettings('apps')
    await page.getByText(CLIENT).first().waitFor()
    await svc('app', 'uninstall', owner.domain, APP.slug)
    for (const place of places) await request.untilEnded(token, FILES, { port: tour.port(place) })
    await svc('app', 'install', owner.domain, APP.slug)
    expect(await request.call(token, FILES), 'with the app back').to.equal(401)
    const refusal = await request.refresh(next).then(
      () => 'refreshed',
      ({ error }: { error?: string }) => error,
    )
    expect(refusal).to.equal('invalid_client')
    const list = await svc('client', 'list', owner.domain)
    expect(list).to.not.include(request.clientId)
    await page.reload()
    await page.locator('#content[aria-busy=false]').waitFor()
    expect(await page.getByText(CLIENT).count(), 'in the settings').to.equal(0)
  })
})
