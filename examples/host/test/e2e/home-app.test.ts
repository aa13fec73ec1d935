import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { suiteBrowser, suiteHost } from '../support/for-test.ts'
import { type OwnerVisit, visitOwner } from '../support/owner-visit.ts'

describe('home app, in a browser', function () {
  this.timeout(30_000)
  const host = suiteHost({}, 'first.localhost')
  const browser = suiteBrowser(host)
  let owner: OwnerVisit
  let page: Page
  let visits = 0
  beforeEach(async () => {
    visits += 1
    owner = await visitOwner(host, browser, `home-${visits}.localhost`)
    ;({ page } = owner)
  })
  afterEach(() => owner.close())

  const open = (): Promise<unknown> => page.goto(`${owner.app('home')}/`)
  const note = (text: string) => page.getByRole('listitem').filter({ hasText: text })

  it('keeps a note in the instance, shows it after the page is opened again, and removes it', async () => {
    const text = 'Train at 18:40 <b>platform 3</b>'
    await open()
    await page.getByText('No notes yet.').waitFor()
    await page.getByLabel('New note').fill(text)
    await page.getByRole('button', { name: 'Add' }).click()
    await note(text).waitFor()

    await open()
    await note(text).waitFor()
    await page.getByRole('button', { name: `Delete the note ${text}` }).click()
    await note(text).waitFor({ state: 'detached' })
    expect(owner.faults).to.deep.equal([])
  })

  it('lets what it still reads be answered before it ends the session', async () => {
    await page.route('**/data/**', async (route) => {
      await page.getByRole('button', { name: 'Logging out' }).waitFor()
      await route.continue()
    })
    await open()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL(`${owner.instance.origin}/auth/login`)
    expect(owner.faults).to.deep.equal([])
  })
})
