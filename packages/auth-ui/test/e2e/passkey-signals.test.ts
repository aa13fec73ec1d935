import { launchChromium, needsChromium, until } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { appFolders } from '../../src/app-folders.ts'
import { type AppServer, appServer, type AppServerOptions } from '../support/app-server.ts'
import { settingsAnswers } from '../support/settings-samples.ts'

type Told = readonly [signal: string, about: Readonly<Record<string, unknown>>]

/** @see owner.md 2.5 */
describe('what the settings app tells the password manager of the browser', function () {
  this.timeout(30_000)
  let browser: Browser
  let server: AppServer
  let page: Page
  let told: Told[]

  before(async function () {
    needsChromium(this)
    browser = await launchChromium({ port: 1, domains: [] })
  })
  after(() => browser?.close())
  beforeEach(async () => {
    const answers: AppServerOptions['answers'] = {
      ...settingsAnswers(),
      'PATCH /settings/profile': (ctx) => {
        ctx.body = {}
      },
    }
    server = await appServer({ folder: appFolders.settings, answers })
    page = await browser.newPage()
    told = []
    await page.exposeFunction('told', (...one: Told) => told.push(one))
    // The browser's own manager shows nothing to a test: what it is asked is heard in its place.
    await page.addInitScript(() => {
      const here = globalThis as unknown as {
        PublicKeyCredential: Record<string, unknown>
        told(signal: string, about: unknown): Promise<void>
      }
      for (const signal of ['signalAllAcceptedCredentials', 'signalCurrentUserDetails'])
        here.PublicKeyCredential[signal] = (about: unknown) => here.told(signal, about)
    })
  })
  afterEach(async () => {
    await page.close()
    await server.close()
  })

  const user = { rpId: '127.0.0.1', userId: 'dXNlcg' }
  const isTold = (signal: string): Promise<Told> =>
    until(() => told.find(([name]) => name === signal))

  it('is which passkeys are left and whose they are, wherever they are shown', async () => {
    await page.goto(`${server.origin}/#factors`)
    expect((await isTold('signalAllAcceptedCredentials'))[1]).to.deep.equal({
      ...user,
      allAcceptedCredentialIds: ['k1', 'k2', 'k3'],
    })
    expect((await isTold('signalCurrentUserDetails'))[1]).to.deep.equal({
      ...user,
      name: 'alice.example.com',
      displayName: 'Alice',
    })
  })

  it('is a new public name, before the page comes anew', async () => {
    await page.goto(`${server.origin}/#/profile`)
    await page.getByLabel('Name', { exact: true }).fill('Alice Anew')
    told.length = 0
    await page.getByRole('button', { name: 'Save' }).first().click()
    await isTold('signalCurrentUserDetails')
    expect(server.calls.some((call) => call.startsWith('PATCH /settings/profile'))).to.equal(true)
  })
})
