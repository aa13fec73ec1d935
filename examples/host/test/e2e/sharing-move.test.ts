import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  type ClientRequest,
  type ClientRequestOptions,
  openRequest,
} from '../support/client-request.ts'
import { openCallbackServer } from '../support/callback-server.ts'
import { type Mover, MOVER_NAME, openMover as openMoverOf } from '../support/mover.ts'
import type { TourOwner } from '../support/tour-owner.ts'
import { NESTED, suiteTour } from '../support/tour-stage.ts'
import { type TourSteps, tourSteps } from '../support/tour-steps.ts'

const SHARING = '/auth/authorize/sharing'
const FILES = 'io.svc.files'
const FOLDER = 'Holidays 2026'

describe(`sharing and moving: ${NESTED.name}`, function () {
  this.timeout(60_000)
  const opened: { close(): Promise<void> }[] = []
  const tour = suiteTour(NESTED)
  let owner: TourOwner
  let page: Page
  let steps: TourSteps
  let count = 0

  after(async () => {
    for (const each of opened) await each.close()
  })
  beforeEach(async () => {
    count += 1
    owner = await tour.owner(`paul${count}`)
    page = await tour.visit()
    steps = tourSteps(page, owner, tour.texts)
  })
  afterEach(() => page.context().close())

  const heading = (name: string): Promise<void> =>
    page.getByRole('heading', { name, exact: true }).waitFor()

  async function svc(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await tour.svc(...args)
    expect(code, stderr).to.equal(0)
    return stdout.trim()
  }

  async function askAs(
    of: TourOwner,
    scope: string,
    options: Omit<ClientRequestOptions, 'scope'> = {},
  ): Promise<ClientRequest> {
    const request = await openRequest(of.origin, tour.port(), { scope, ...options })
    return request
  }

  /** A file of an owner, put there by a client that may. */
  async function keepFile(of: TourOwner, name: string) {
    const request = await askAs(of, FILES, { name: 'Uploader' })
    const token = await svc('token', 'oauth', of.domain, request.clientId, FILES)
    const added = await request.send(token, `/data/${FILES}`, { method: 'POST', json: { name } })
    const { _id: id } = (await added.json()) as { _id: string } // of `POST /data/…`
    return { request, token, id }
  }

  /** Another owner offers a file. @returns what the invited owner opens */
  async function invite(): Promise<URL> {
    const sharer = await tour.owner(`quentin${count}`)
    const { request, token, id } = await keepFile(sharer, 'Beach.jpg')
    const offer = { to: owner.domain, type: FILES, ids: [id], description: FOLDER }
    const offered = await request.send(token, '/sharings', { method: 'POST', json: offer })
    expect(offered.status).to.equal(201)
    return new URL(((await offered.json()) as { url: string }).url) // of `POST /sharings`
  }

  const isInvited = (): Promise<void> =>
    heading(tour.texts.ui('sharing.title.named', { name: 'Alice', what: FOLDER }))

  it('takes part in a sharing, once', async () => {
    const { ui } = tour.texts
    await svc('app', 'install', owner.domain, 'drive')
    const url = await invite()
    await page.goto(url.href)
    await steps.givePassphrase()
    await isInvited()
    await page.getByText(ui('sharing.from', { host: `quentin${count}` })).waitFor()
    await page.getByRole('link', { name: ui('sharing.refuse') }).click()
    await steps.isHome()
    await page.goto(url.href)
    await steps.button(ui('sharing.accept')).click()
    await page.waitForURL(({ origin }) => origin === owner.app('drive'))
    await page.getByText('Beach.jpg').waitFor()
    const id = url.searchParams.get('sharing_id')
    expect(new URL(page.url()).searchParams.get('sharing')).to.equal(id)
    tour.watch.allowRefusal(SHARING)
    await page.goto(url.href)
    await page.getByText(ui('error.text.this-item-is-no-longer-available')).waitFor()
  })

  it('leads to where the callback of a client leads on, another origin', async () => {
    const id = (await invite()).searchParams.get('sharing_id') ?? ''
    const end = await openCallbackServer()
    opened.push(end)
    const request = await askAs(owner, `${FILES}:GET`, { leadsTo: end.redirectUri })
    const url = new URL(request.url)
    url.pathname = SHARING
    url.searchParams.set('sharing_id', id)
    await page.goto(url.href)
    await steps.givePassphrase()
    await isInvited()
    await steps.button(tour.texts.ui('sharing.accept')).click()
    await page.waitForURL(end.redirectUri)
    await request.isAnswered()
  })

  async function openMover(): Promise<Mover> {
    const mover = await openMoverOf(owner.origin, tour.port())
    opened.push(mover)
    return mover
  }

  /** Gives the passphrase on the page that asks whether to move. */
  async function allowMove(passphrase = owner.passphrase): Promise<void> {
    const { ui } = tour.texts
    await heading(ui('move.title', { name: MOVER_NAME }))
    await page.getByLabel(ui('login.passphrase'), { exact: true }).fill(passphrase)
    await steps.button(ui('move.submit')).click()
  }

  async function isMoved(mover: Mover): Promise<void> {
    await heading('Connected')
    const { answer, scope } = await mover.isAnswered()
    expect(scope).to.equal('io.svc.exports.requests io.svc.imports')
    expect(answer.get('used')).to.match(/^\d+$/)
    expect(answer.get('vault')).to.equal('false')
    expect(answer.get('quota'), 'the default of SVC_LIMITS_DISK').to.equal(String(1024 ** 3))
  }

  it('moves with the passphrase alone, and opens no session', async () => {
    const mover = await openMover()
    await page.goto(mover.url)
    tour.watch.allowRefusal('/auth/authorize/move')
    await allowMove('some other passphrase')
    await page.getByText(tour.texts.ui('problem.invalid_passphrase'), { exact: true }).waitFor()
    await allowMove()
    await isMoved(mover)
    await page.goto(`${owner.origin}/`)
    await steps.isLoggedOut()
  })

  it('asks who is logged in on a trusted browser for passphrase and code', async () => {
    const { ui } = tour.texts
    await svc('instance', 'update', owner.domain, '--auth-mode', 'two_factor_mail')
    await steps.logIn()
    await steps.isAskedMore()
    await page.getByLabel(ui('passcode.trust')).check()
    await steps.giveCode(await owner.mailed('two_factor', /\b\d{6}\b/))
    await steps.isHome()
    const mover = await openMover()
    await page.goto(mover.url)
    await allowMove()
    await steps.isAskedMore()
    expect(await page.getByRole('checkbox').count(), 'an offer to trust').to.equal(0)
    const code = await owner.mailed('two_factor', /\b\d{6}\b/)
    tour.watch.allowRefusal('/auth/twofactor')
    for (const typed of [String((Number(code) + 1) % 1_000_000).padStart(6, '0'), code]) {
      await page.locator('#passcode').fill(typed)
      await steps.button(ui('passcode.submit.other')).click()
      if (typed === code) continue
      await page.getByText(ui('problem.two_factor_invalid'), { exact: true }).waitFor()
    }
    await isMoved(mover)
  })
})
