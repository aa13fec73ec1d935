import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { suiteBrowser, suiteHost } from '../support/for-test.ts'
import { type OwnerVisit, visitOwner } from '../support/owner-visit.ts'

describe('safe app of the host, in a browser', function () {
  this.timeout(60_000)
  const host = suiteHost({}, 'first.localhost')
  const browser = suiteBrowser(host, { isWhole: true })
  let owner: OwnerVisit
  let count = 0
  beforeEach(async () => {
    count += 1
    owner = await visitOwner(host, browser, `safe${count}.localhost`)
  })
  afterEach(async () => {
    expect(owner.faults).to.deep.equal([])
    await owner.close()
  })

  const open = (page = owner.page) => page.goto(`${owner.app('safe')}/`)
  const button = (name: string | RegExp) => owner.page.getByRole('button', { name, exact: true })
  const note = (text: string, page = owner.page) =>
    page.getByRole('listitem').filter({ hasText: text })

  async function add(title: string, text: string): Promise<void> {
    await owner.page.getByLabel('Title').fill(title)
    await owner.page.getByLabel('Text').fill(text)
    await button('Put into the safe').click()
    await note(title).waitFor()
  }

  /** Presses a button that opens the window to confirm in. */
  async function confirmingWindow(press: () => Promise<void>): Promise<Page> {
    const [opened] = await Promise.all([owner.context.waitForEvent('page'), press()])
    return opened
  }

  it('hears of the confirmation over the websocket before the window has left its page', async () => {
    await open()
    await owner.page.getByText('Live', { exact: true }).waitFor()
    await add('Bank', 'PIN 4711')
    expect(await owner.page.content()).to.not.include('4711')
    const held: Route[] = []
    await owner.context.route('**/confirmed.html*', (route) => {
      held.push(route)
    })
    const opened = await confirmingWindow(() => button('Show the notes').click())
    await owner.page.getByText('Confirm in the window that opened.').waitFor()
    await owner.confirm(opened)
    await owner.page.getByText('Confirmed. Opening the safe…').waitFor()
    expect(await owner.page.content(), 'the event alone opens nothing').to.not.include('4711')

    while (held.length === 0) await opened.waitForRequest(/confirmed\.html/).catch(() => {})
    const [route] = held
    const query = new URL(route?.request().url() ?? '').searchParams
    const code = query.get('code') ?? ''
    const client = await host.browser(owner.instance.origin, { anonymous: true })
    const state = query.get('state') ?? ''
    expect((await client.get(`/auth/confirm/${code}?state=${state}`)).status).to.equal(204)
    expect((await client.get(`/auth/confirm/${code}?state=another`)).status).to.equal(401)
    await route?.continue()
    await note('PIN 4711').waitFor()
    await owner.page.getByText(/The safe is open until/).waitFor()

    await button('Close the safe').click()
    await owner.page.getByText('The safe is closed.').waitFor()
    expect(await owner.page.content()).to.not.include('4711')
  })

  it('goes on saying what it did while notes change elsewhere', async () => {
    await open()
    await owner.page.getByText('Live', { exact: true }).waitFor()
    await add('Bank', 'PIN 4711')
    await note('Bank').locator('summary').click()
    await note('Bank').locator('.remind__times').getByRole('button').first().click()
    const done = owner.page.getByRole('status').filter({ hasText: 'Bank' })
    await done.waitFor()
    const other = await owner.context.newPage()
    await open(other)
    await other.getByLabel('Title').fill('Diary')
    await other.getByLabel('Text').fill('Dear diary')
    await other.getByRole('button', { name: 'Put into the safe' }).click()
    await note('Diary').waitFor()
    expect(await done.isVisible()).to.equal(true)
  })

  const drops: readonly (readonly [reason: string, code: number, fetches: number])[] = [
    ['too slow', 1013, 0],
    ['token expired', 1008, 1],
  ]
  for (const [reason, code, fetches] of drops) {
    it(`comes back after the websocket closed with "${reason}", and hears of changes again`, async () => {
      let close = (): Promise<void> => Promise.reject(new Error('no websocket was opened'))
      await owner.page.routeWebSocket(/\/realtime\/$/, (socket) => {
        socket.connectToServer()
        close = () => socket.close({ code, reason })
      })
      await open()
      const live = owner.page.getByText('Live', { exact: true })
      await live.waitFor()
      const fetched: string[] = []
      owner.page.on('request', (request) => {
        if (request.url() === `${owner.app('safe')}/`) fetched.push(request.url())
      })
      await Promise.all([owner.page.getByText('Reconnecting…').waitFor(), close()])
      const other = await owner.context.newPage()
      await open(other)
      await other.getByLabel('Title').fill('Bank')
      await other.getByLabel('Text').fill('PIN 4711')
      await other.getByRole('button', { name: 'Put into the safe' }).click()
      await live.waitFor()
      await note('Bank').waitFor()
      expect(fetched, 'the page again, for its token').to.have.lengthOf(fetches)
    })
  }

  it('empties the safe after a question and a confirmation', async () => {
    await open()
    await add('Bank', 'PIN 4711')
    await add('Diary', 'Dear diary')
    await button('Empty the safe').click()
    const dialog = owner.page.getByRole('dialog')
    await dialog.getByText('Delete all 2 notes in the safe?').waitFor()
    const opened = await confirmingWindow(() =>
      dialog.getByRole('button', { name: 'Delete 2 notes' }).click(),
    )
    await owner.confirm(opened)
    await owner.page.getByText('No notes yet.').waitFor()
  })

  it('goes back to closed when the owner gives up', async () => {
    await open()
    await add('Bank', 'PIN 4711')
    const opened = await confirmingWindow(() => button('Show the notes').click())
    await button('Cancel').click()
    await owner.page.getByText('The safe is closed.').waitFor()
    await opened.close()
    expect(await owner.page.content()).to.not.include('4711')
  })

  it('waits for the last question when the owner asks twice', async () => {
    await open()
    await add('Bank', 'PIN 4711')
    const first = await confirmingWindow(() => button('Show the notes').click())
    const second = await confirmingWindow(() => button('Show the notes').click())
    await owner.page.getByText('Confirm in the window that opened.').waitFor()
    await owner.confirm(first)
    await first.waitForURL(/confirmed\.html/).catch(() => {})
    expect(await owner.page.content()).to.not.include('4711')
    await owner.confirm(second)
    await note('PIN 4711').waitFor()
  })

  it('confirms in the same window where the browser opens none, and goes on by itself', async () => {
    await owner.page.addInitScript(() => {
      window.open = () => null
    })
    await open()
    await add('Bank', 'PIN 4711')
    await button('Show the notes').click()
    await owner.confirm()
    await note('PIN 4711').waitFor()
    expect(new URL(owner.page.url()).search).to.equal('')
  })
})
