import { axeFaults, launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { appFolders } from '../../src/app-folders.ts'
import { type AppServer, appServer } from '../support/app-server.ts'
import { assistantAnswers, settingsAnswers } from '../support/settings-samples.ts'

describe('assistants in the settings app, in a browser', function () {
  this.timeout(30_000)
  let browser: Browser
  let server: AppServer
  let page: Page

  before(async function () {
    needsChromium(this)
    browser = await launchChromium({ port: 1, domains: [] })
  })
  after(() => browser?.close())

  async function open(answers = assistantAnswers()): Promise<void> {
    server = await appServer({ folder: appFolders.settings, answers })
    page = await browser.newPage()
    await page.goto(`${server.origin}/#/apps`)
    await page.getByRole('heading', { name: 'Apps', exact: true, level: 2 }).waitFor()
  }
  afterEach(async () => {
    await page.close()
    await server.close()
  })

  const group = () => page.locator('[data-part=assistants]')
  const sage = () => page.locator('[data-part=as1]')

  it('stand above the apps, with where they come from and what they did in a day', async () => {
    await open()
    const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts()
    expect(headings.indexOf('Assistants')).to.equal(headings.indexOf('Apps') - 1)
    expect(await sage().innerText())
      .to.include('From sage.example')
      .and.include('Last 24 hours: 12 requests, 40 documents')
    expect(await group().innerText())
      .to.include('isn’t verified')
      .and.include('Its name was “Helper” before')
      .and.include('No requests in the last 24 hours')
  })

  it('show what they did, once that is opened', async () => {
    await open()
    await sage().getByText('What it did').click()
    await sage().getByText('Read: Contacts').waitFor()
    expect(await sage().innerText())
      .to.include('Changed: Contacts')
      .and.include('Refused')
      .and.include('Jan 10, 2026')
      .and.include('120 requests')
    expect(await axeFaults(page)).to.deep.equal([])
  })

  it('end with one tap and no question, one or all of them', async () => {
    await open()
    await page.getByRole('button', { name: 'Remove access of Sage' }).click()
    await page.getByText('Sage no longer has access.').first().waitFor()
    await sage().waitFor({ state: 'detached' })
    expect(server.calls.some((call) => call.includes('DELETE /settings/assistants/as1'))).to.equal(
      true,
    )
    expect(await page.getByRole('dialog').count()).to.equal(0)
  })

  it('are let in again by the switch that shut them out', async () => {
    await open(assistantAnswers(false))
    await page.getByRole('button', { name: 'Block assistants' }).click()
    await group().getByText('Assistants are blocked. None can connect to your space.').waitFor()
    expect(await group().getByRole('listitem').count()).to.equal(0)
    await page.getByRole('button', { name: 'Allow assistants again' }).click()
    await group().waitFor({ state: 'detached' })
  })

  it('are undone beside what they did, which says so then', async () => {
    await open()
    await sage().getByText('What it did').click()
    await sage().getByText('Deleted: Contacts').waitFor()
    await sage().getByRole('button', { name: 'Put back Bob Martin' }).press('Enter')
    const back = sage().getByText('Already put back')
    await back.waitFor()
    expect(await page.getByRole('button', { name: 'Put back Bob Martin' }).count()).to.equal(0)
    expect(await back.evaluate((element) => element === document.activeElement)).to.equal(true)
    expect(await page.locator('#announce').innerText()).to.equal('Bob Martin is as it was before.')
    expect(await axeFaults(page)).to.deep.equal([])
  })

  it('are undone when they are gone, over the work of others once the owner said so', async () => {
    await open()
    await page.getByRole('button', { name: 'Remove all access' }).click()
    await sage().waitFor({ state: 'detached' })
    await group().getByText('What assistants changed').click()
    const button = page.getByRole('button', { name: 'Put back Shopping' })
    await button.click()
    const question = page.getByRole('dialog', { name: 'Put back Shopping anyway?' })
    await question.waitFor()
    expect(await axeFaults(page)).to.deep.equal([])
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'hidden' })
    // A turn after the question has closed.
    await button.and(page.locator(':enabled')).waitFor()
    expect(await group().getByText('Already put back').count()).to.equal(1)
    await button.click()
    await button.waitFor({ state: 'detached' })
    expect(await group().getByText('Already put back').count()).to.equal(2)
    expect(await axeFaults(page)).to.deep.equal([])
  })

  it('are no group where there is none', async () => {
    await open(settingsAnswers())
    expect(await group().count()).to.equal(0)
  })
})
