import { createHash } from 'node:crypto'
import { loopbackFetch, until } from '@svc/testkit'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type CallbackServer, openCallbackServer } from '../support/callback-server.ts'
import { type ClientRequest, openRequest } from '../support/client-request.ts'
import { closeAfterTest } from '../support/for-test.ts'
import type { TourOwner } from '../support/tour-owner.ts'
import { NESTED, suiteTour } from '../support/tour-stage.ts'
import { tourSteps } from '../support/tour-steps.ts'

const CHALLENGE = createHash('sha256').update('v'.repeat(43)).digest('base64url')

// A client's callback is often not the end: it leads on to a page of another origin, or to a program of the device.
describe(`where an answer to a consent leads: ${NESTED.name}`, function () {
  this.timeout(60_000)
  const tour = suiteTour(NESTED)
  let owner: TourOwner
  let page: Page
  let count = 0

  beforeEach(async () => {
    count += 1
    owner = await tour.owner(`rosa${count}`)
    page = await tour.visit()
    tour.watch.allowRefusal('/done')
  })
  afterEach(() => page.context().close())

  const words = (key: string): string => tour.texts.ui(key)

  async function openCallback(leadsTo?: string): Promise<CallbackServer> {
    const callback = await openCallbackServer(leadsTo)
    closeAfterTest(() => callback.close())
    return callback
  }

  async function open(url: string): Promise<void> {
    await page.goto(url)
    await tourSteps(page, owner, tour.texts).givePassphrase()
    await page.locator('#answer').waitFor()
  }

  /** A client with a secret. */
  async function ask(leadsTo?: string): Promise<ClientRequest> {
    const options = leadsTo === undefined ? {} : { leadsTo }
    const request = await openRequest(owner.origin, tour.port(), options)
    return request
  }

  /** An assistant that registered. @returns what it sends the owner to */
  async function askAsAssistant(redirectUri: string): Promise<string> {
    const registered = await loopbackFetch({ port: tour.port() })(`${owner.origin}/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        client_name: 'Quill',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
      }),
    })
    const { client_id } = (await registered.json()) as { client_id: string } // of RFC 7591
    const query = new URLSearchParams({
      client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      state: 's',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    })
    return `${owner.origin}/auth/authorize?${query.toString()}`
  }

  const allow = (): Promise<void> => page.locator('#answer button').first().click()
  const refuse = (): Promise<void> =>
    page.locator('#answer').getByText(words('consent.refuse')).click()

  it('is another origin, for Allow and Don’t allow of the ordinary page', async () => {
    const { redirectUri: end } = await openCallback()
    const request = await ask(end)
    await open(request.url)
    await allow()
    await page.waitForURL(end)
    await request.isAnswered()
    await page.goto(request.url)
    await refuse()
    await page.waitForURL(end)
  })

  it('is another origin, for Allow and Don’t allow of the assistants’ page', async () => {
    const { redirectUri: end } = await openCallback()
    const callback = await openCallback(end)
    const url = await askAsAssistant(callback.redirectUri)
    await open(url)
    await allow()
    await page.waitForURL(end)
    expect(await callback.nextVisit()).to.match(/[?&]code=[\w-]+&state=s&iss=/u)
    await page.goto(url)
    await refuse()
    await page.waitForURL(end)
    expect(await callback.nextVisit()).to.include('error=access_denied&state=s&iss=')
  })

  for (const target of ['https://elsewhere.example/done', 'quillapp://done']) {
    it(`is ${target}`, async () => {
      const asked: string[] = []
      const session = await page.context().newCDPSession(page)
      await session.send('Network.enable')
      session.on('Network.requestWillBeSent', ({ request }) => asked.push(request.url))
      const request = await ask(target)
      await open(request.url)
      await allow()
      await request.isAnswered()
      await until(() => (asked.includes(target) ? true : undefined), {
        describe: () => asked.join(' '),
      })
    })
  }
})
