import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type ClientRequest, type ClientTokens, openRequest } from '../support/client-request.ts'
import { callAdmin, type TourOwner } from '../support/tour-owner.ts'
import { suiteTour, TWO_PROCESSES_FR } from '../support/tour-stage.ts'
import { tourSteps } from '../support/tour-steps.ts'

/** Where the operator sends owners who need more. */
const MORE = 'https://shop.example/more?from=space&what=clients'
const CONTACTS = '/data/io.svc.contacts'
/** How often the page looks by itself. */
const LOOK_MS = 20_000

/** A client with the tokens that the owner gave it. */
interface Connected {
  readonly request: ClientRequest
  readonly tokens: ClientTokens
}

describe(`an owner with as many clients as there may be: ${TWO_PROCESSES_FR.name}`, function () {
  this.timeout(90_000)
  const tour = suiteTour(TWO_PROCESSES_FR, { SVC_RAISE_LIMIT_URL: MORE })
  let owner: TourOwner
  let page: Page
  let count = 0

  beforeEach(async () => {
    count += 1
    owner = await tour.owner(`lena${count}`)
    await allow(1)
    page = await logIn()
  })
  afterEach(() => page.context().close())

  async function logIn(place?: 'elsewhere'): Promise<Page> {
    const opened = await tour.visit(place)
    const its = tourSteps(opened, owner, tour.texts)
    await its.logIn()
    await its.isHome()
    return opened
  }

  /** How many clients there may be, as the operator says it. */
  const operate = (method: string, path: string, body?: object): Promise<unknown> =>
    callAdmin(tour.admin, method, `/instances/${owner.domain}${path}`, body)
  /** How many clients there may be, as the operator says it. */
  const allow = (max: number): Promise<unknown> => operate('PATCH', '', { oauthClientsMax: max })
  const askAs = (name: string): Promise<ClientRequest> =>
    openRequest(owner.origin, tour.port(), { name })

  const heading = (on: Page, name: string): Promise<void> =>
    on.getByRole('heading', { name, exact: true }).waitFor()
  const isFull = (on: Page): Promise<void> => heading(on, tour.texts.ui('limit.title'))
  const isAsked = (on: Page, name: string): Promise<void> =>
    heading(on, tour.texts.ui('consent.title', { name }))
  const press = (on: Page): Promise<void> => tourSteps(on, owner, tour.texts).allowButton().click()

  /** The only client that there may be. */
  async function connectFirst(on = page): Promise<Connected> {
    const request = await askAs('Viewer')
    await on.goto(request.url)
    await isAsked(on, 'Viewer')
    await press(on)
    return { request, tokens: await request.isAnswered() }
  }

  /** Resolves when the page that waits has said over its websocket what it listens to. */
  function listens(): Promise<void> {
    return new Promise((resolve) => {
      page.on('websocket', (socket) => {
        socket.on('framesent', ({ payload }) => {
          if (String(payload).includes('SUBSCRIBE')) resolve()
        })
      })
    })
  }

  /** Removes the first client in the connected apps of the settings, which are open. */
  async function removeFirst(on: Page): Promise<void> {
    const { settings } = tour.texts
    const its = tourSteps(on, owner, tour.texts)
    await on.getByText(settings('clients.may'), { exact: true }).click()
    await its.button(settings('clients.revoke.label', { name: 'Viewer' })).click()
    await its.button(settings('clients.revoke.confirm'), on.getByRole('dialog')).click()
  }

  /** The waiting page goes on, long before it would have looked by itself; nobody touches it. */
  async function goesOn(first: Connected, second: ClientRequest): Promise<void> {
    await isAsked(page, 'Backup')
    await press(page)
    const tokens = await second.isAnswered()
    for (const place of ['here', 'elsewhere'] as const) {
      const port = tour.port(place)
      expect(await second.call(tokens.access_token, CONTACTS, { port })).to.equal(200)
      await first.request.untilEnded(first.tokens.access_token, CONTACTS, { port })
    }
  }

  it('connects another one as soon as one is removed in the window it leads to', async () => {
    const first = await connectFirst()
    const second = await askAs('Backup')
    const listening = listens()
    await page.goto(second.url)
    await isFull(page)
    // How many there may be, and how many there are.
    expect(await page.locator('main').innerText()).to.match(/1\D+1\D/)
    const more = page.getByRole('link', { name: tour.texts.ui('limit.raise') })
    expect(await more.getAttribute('href')).to.equal(MORE)
    await listening
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: tour.texts.ui('limit.settings') }).click(),
    ])
    await heading(opened, tour.texts.settings('apps.title'))
    await removeFirst(opened)
    await goesOn(first, second)
  })

  it('goes on in this browser when one is removed in another', async () => {
    const first = await connectFirst()
    const second = await askAs('Backup')
    const other = await logIn('elsewhere')
    await tourSteps(other, owner, tour.texts).openSettings('apps')
    const listening = listens()
    await page.goto(second.url)
    await isFull(page)
    await listening
    await removeFirst(other)
    await goesOn(first, second)
    await other.context().close()
  })

  it('asks again when somebody else took the last place while it was asked', async () => {
    const second = await askAs('Backup')
    await page.goto(second.url)
    await isAsked(page, 'Backup')
    const other = await page.context().newPage()
    const first = await connectFirst(other)
    tour.watch.allowRefusal('/auth/authorize')
    const listening = listens()
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      press(page),
    ])
    expect(answer.status()).to.equal(403)
    await isFull(page)
    await listening
    await tourSteps(other, owner, tour.texts).openSettings('apps')
    await removeFirst(other)
    await goesOn(first, second)
  })

  it('looks from time to time: nothing tells it of a higher limit', async () => {
    const first = await connectFirst()
    const second = await askAs('Backup')
    await page.clock.install()
    await page.goto(second.url)
    await isFull(page)
    await page.clock.runFor(LOOK_MS)
    await isFull(page)
    await allow(2)
    await page.clock.runFor(LOOK_MS)
    await isAsked(page, 'Backup')
    await press(page)
    await second.isAnswered()
    expect(await first.request.call(first.tokens.access_token, CONTACTS)).to.equal(200)
  })

  it('goes on without scripts: by a press, or when the page looks again', async () => {
    const first = await connectFirst()
    const second = await askAs('Backup')
    const storageState = await page.context().storageState()
    const plain = await tour.visit('here', { javaScriptEnabled: false, storageState })
    await plain.goto(second.url)
    await isFull(plain)
    const retry = plain.getByRole('link', { name: tour.texts.ui('page.retry') })
    await retry.click()
    await isFull(plain)
    await allow(2)
    await retry.click()
    await isAsked(plain, 'Backup')
    await allow(1)
    await plain.goto(second.url)
    await isFull(plain)
    await operate('DELETE', `/clients/${first.request.clientId}`)
    expect(await plain.content()).to.include(`http-equiv="refresh" content="${LOOK_MS / 1000}"`)
    await retry.click()
    await isAsked(plain, 'Backup')
    await press(plain)
    await second.isAnswered()
    await plain.context().close()
  })
})
