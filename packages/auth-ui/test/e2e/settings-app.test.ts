import { launchChromium, needsChromium, until } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { appFolders } from '../../src/app-folders.ts'
import { type AppServer, appServer } from '../support/app-server.ts'
import { settingsAnswers, sixtyClients } from '../support/settings-samples.ts'

describe('settings app, in a browser', function () {
  this.timeout(30_000)
  let browser: Browser
  let server: AppServer
  let page: Page

  before(async function () {
    needsChromium(this)
    browser = await launchChromium({ port: 1, domains: [] })
  })
  after(() => browser?.close())
  beforeEach(async () => {
    server = await appServer({ folder: appFolders.settings, answers: settingsAnswers() })
    page = await browser.newPage()
  })
  afterEach(async () => {
    await page.close()
    await server.close()
  })

  const open = (rest = ''): Promise<unknown> => page.goto(`${server.origin}/${rest}`)
  const dialog = () => page.getByRole('dialog')

  async function openDrive(): Promise<void> {
    await open('#/apps')
    const drive = page.getByRole('listitem').filter({ hasText: 'Drive for Android' })
    await drive.getByText('What it can do').click()
  }

  it('shows what has access, with its permissions in words and raw', async () => {
    await open('#/apps')
    const item = page.getByRole('listitem').filter({ hasText: 'Drive for Android' })
    await item.getByText('What it can do').click()
    expect(await item.innerText())
      .to.include('Mobile app')
      .and.include('Android')
      .and.include('Last used yesterday')
      .and.include('Contacts')
      .and.include('Doesn’t expire')
    expect(
      await item.getByRole('checkbox', { name: 'Delete: Files and folders' }).isChecked(),
    ).to.equal(true)
    expect(await item.getByRole('checkbox', { name: /: Contacts$/u }).count()).to.equal(1)
    await item.getByText('Technical details').click()
    expect(await item.innerText())
      .to.include('io.svc.contacts:GET')
      .and.include('com.example.drive')
  })

  it('shows how much room is used, in words and as a bar', async () => {
    await open('#storage')
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
    const meter = page.getByRole('meter', { name: 'Storage' })
    expect(await meter.getAttribute('aria-valuetext')).to.equal('381 MB of 1 GB used')
    expect(await page.getByText('381 MB of 1 GB used').isVisible()).to.equal(true)
    expect(await meter.getAttribute('data-level')).to.equal('room')
    const card = page.locator('[data-part=storage]')
    expect((await card.innerText()).split(/\n+/u)).to.deep.equal([
      'Storage',
      '381 MB of 1 GB used (37%)',
    ])
  })

  it('asks once, names what ends, and ends it', async () => {
    await openDrive()
    await page.getByRole('button', { name: 'Remove access of Drive for Android' }).click()
    expect(await dialog().innerText())
      .to.include('Remove access of Drive for Android?')
      .and.include('Files and folders: read, add, change, delete')
    await dialog().getByRole('button', { name: 'Remove access' }).click()
    await dialog().waitFor({ state: 'hidden' })
    await page.getByText('Drive for Android no longer has access.').first().waitFor()
    expect(await page.getByRole('heading', { name: 'Drive for Android' }).count()).to.equal(0)
    expect(server.calls).to.include('DELETE /settings/clients/c1 Bearer token-1')
  })

  it('ends nothing when the owner thinks again', async () => {
    await openDrive()
    await page.getByRole('button', { name: 'Remove access of Drive for Android' }).click()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    await dialog().waitFor({ state: 'hidden' })
    expect(server.calls.filter((call) => call.startsWith('DELETE'))).to.deep.equal([])
  })

  it('says so in the dialog when it did not work, which stays open', async () => {
    await page.route('**/settings/clients/c1', (route) => route.fulfill({ status: 503 }))
    await openDrive()
    await page.getByRole('button', { name: 'Remove access of Drive for Android' }).click()
    await dialog().getByRole('button', { name: 'Remove access' }).click()
    await dialog().getByText('That didn’t work. Try again in a moment.').waitFor()
    expect(await dialog().isVisible()).to.equal(true)
  })

  it('takes single rights away, which it names before', async () => {
    await openDrive()
    const drive = page.getByRole('listitem').filter({ hasText: 'Drive for Android' })
    const save = drive.getByRole('button', { name: 'Remove these permissions' })
    expect(await save.isVisible()).to.equal(false)
    await drive.getByRole('checkbox', { name: 'Delete: Files and folders' }).uncheck()
    await drive.getByRole('checkbox', { name: 'Read: Contacts' }).uncheck()
    await save.click()
    expect(await page.locator('#ask-losses li').allInnerTexts()).to.deep.equal([
      'Files and folders: Delete',
      'Contacts: Read',
    ])
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.method() === 'PATCH'),
      dialog().getByRole('button', { name: 'Remove these permissions' }).click(),
    ])
    expect(new URL(request.url()).pathname).to.equal('/settings/clients/c1')
    expect(request.postDataJSON()).to.deep.equal({ scope: 'io.svc.files:GET,POST,PUT,PATCH' })
    await page.getByText('Drive for Android has fewer permissions now.').first().waitFor()
  })

  it('takes the new token of its page after a 401, and repeats what it reads', async () => {
    await open('#/apps')
    await page.getByRole('heading', { name: 'Drive for Android' }).waitFor()
    // Asked for beside the section: it is not what meets the old token.
    await until(() => server.calls.includes('GET /settings/restored Bearer token-1'))
    server.expireToken()
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByRole('heading', { name: 'Chromium on Linux' }).waitFor()
    expect(server.calls.filter((call) => call.includes('/settings/devices'))).to.deep.equal([
      'GET /settings/devices Bearer token-1',
      'GET /settings/devices Bearer token-2',
    ])
  })

  it('never repeats a change with a new token by itself', async () => {
    await open('#/devices')
    await page.getByRole('button', { name: 'Remove Firefox on Android' }).waitFor()
    await until(() => server.calls.includes('GET /settings/restored Bearer token-1'))
    server.expireToken()
    await page.getByRole('button', { name: 'Remove Firefox on Android' }).click()
    await dialog().getByRole('button', { name: 'Remove' }).click()
    await dialog().getByText('That didn’t work. Try again in a moment.').waitFor()
    const changes = () => server.calls.filter((call) => call.startsWith('DELETE'))
    expect(changes()).to.deep.equal(['DELETE /settings/devices/v2 Bearer token-1'])
    await dialog().getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Firefox on Android was removed.').first().waitFor()
    expect(changes().at(-1)).to.equal('DELETE /settings/devices/v2 Bearer token-2')
  })

  it('shows each browser once, this one first, and logs one out', async () => {
    await open('#/devices')
    await page.getByRole('heading', { name: 'Chromium on Linux' }).waitFor()
    const rows = await page.locator('#content .item').allInnerTexts()
    expect(rows).to.have.lengthOf(4)
    expect(rows[0]).to.match(/^Chromium on Linux\s+This device\s+Logged in/u)
    expect(rows[1])
      .to.match(/Logged in\s+Skips the second step/u)
      .and.include('France')
    expect(await page.getByRole('button', { name: 'Log out Chromium' }).count()).to.equal(0)
    await page.getByRole('button', { name: 'Log out Firefox on Android' }).click()
    await dialog().getByRole('button', { name: 'Log out' }).click()
    await dialog().waitFor({ state: 'hidden' })
    await page.getByText('Firefox on Android is logged out.').first().waitFor()
    expect(server.calls).to.include('DELETE /settings/sessions/sv2 Bearer token-1')
  })

  it('forgets a browser, sessions and trust together', async () => {
    await open('#/devices')
    await page.getByRole('button', { name: 'Remove Firefox on Android' }).click()
    await dialog().getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Firefox on Android was removed.').first().waitFor()
    expect(server.calls.filter((call) => call.startsWith('DELETE'))).to.deep.equal([
      'DELETE /settings/devices/v2 Bearer token-1',
    ])
  })

  it('logs out the other devices', async () => {
    await open('#/devices')
    await page.getByRole('button', { name: 'Log out the other 2 devices' }).click()
    await dialog().getByRole('button', { name: 'Log out the other 2 devices' }).click()
    await dialog().waitFor({ state: 'hidden' })
    expect(server.calls).to.include('DELETE /auth/login/others Bearer token-1')
  })

  it('logs out and leads to the login page', async () => {
    await open()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL(`${server.origin}/auth/login`)
    expect(server.calls).to.include('DELETE /auth/login Bearer token-1')
  })

  it('offers to try again when the server is gone', async () => {
    const gone = /\/settings\/clients$|\/\.well-known\//u
    await page.route(gone, (route) => route.abort(), { times: 2 })
    await open('#/apps')
    await page.getByText('The server cannot be reached.').waitFor()
    await page.getByText('No account is connected yet.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Drive for Android' }).waitFor()
  })

  it('never says that a server cannot be reached whose answer the browser keeps from it', async () => {
    // What browsers do with an answer without CORS headers.
    await page.route('**/settings/clients', (route) => route.abort(), { times: 1 })
    await open('#/apps')
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.innerText()).to.equal('This could not be loaded. Try again in a moment.')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Drive for Android' }).waitFor()
  })

  const asked: readonly [
    name: string,
    factors: object,
    words: string,
    label: string | undefined,
  ][] = [
    [
      'a recovery code where nothing else can be typed',
      { recovery: { left: 3, created_at: '2026-01-01T00:00:00Z' } },
      'Enter one of your recovery codes. Each works once.',
      'Recovery code',
    ],
    [
      'the app alone where every recovery code is used up',
      {
        totp: { created_at: '2026-01-01T00:00:00Z' },
        recovery: { left: 0, created_at: '2026-01-01T00:00:00Z' },
      },
      'Enter the code that your authenticator app shows.',
      'Code',
    ],
    [
      'recovery codes to be made where only passkeys are left',
      { recovery: { left: 0, created_at: '2026-01-01T00:00:00Z' } },
      'Create recovery codes first, then use one of them.',
      undefined,
    ],
  ]
  for (const [name, factors, words, label] of asked) {
    it(`asks for ${name} before the passphrase changes`, async () => {
      const passkeys = [{ id: 'k1', label: 'Laptop', created_at: '2026-01-01T00:00:00Z' }]
      const attributes = { mail: { enabled: false }, totp: null, passkeys, ...factors }
      const own = await appServer({
        folder: appFolders.settings,
        answers: {
          ...settingsAnswers(),
          'GET /settings/factors': (ctx) => {
            ctx.body = { data: { attributes } }
          },
          'PUT /settings/passphrase': (ctx) => {
            ctx.body = { two_factor_token: 't' }
          },
        },
      })
      await page.goto(`${own.origin}/#passphrase`)
      await page.getByLabel('Current passphrase', { exact: true }).fill('the old one')
      await page.getByLabel('New passphrase', { exact: true }).fill('four other words entirely')
      await page.getByRole('button', { name: 'Change the passphrase' }).click()
      await page.getByText(words).waitFor()
      expect(await page.getByText('Or use a recovery code').count()).to.equal(0)
      if (label !== undefined) await page.getByLabel(label, { exact: true }).waitFor()
      else {
        await page.getByRole('link', { name: 'Go to the second step' }).click()
        await page.getByRole('heading', { name: 'Second step' }).waitFor()
        expect(new URL(page.url()).hash).to.equal('#/security')
      }
      await own.close()
    })
  }

  it('finds one of sixty apps', async () => {
    const many = await appServer({
      folder: appFolders.settings,
      answers: settingsAnswers(sixtyClients()),
    })
    await page.goto(`${many.origin}/#/apps`)
    await page.getByText('60 apps').waitFor()
    await page.getByLabel('Find an app').fill('number 42')
    await page.getByText('1 app', { exact: true }).waitFor()
    expect(await page.locator('.item:visible').count()).to.equal(1)
    await many.close()
  })

  it('speaks French on a French instance', async () => {
    await open('?locale=fr-FR')
    await page.getByRole('heading', { name: 'Bilan de sécurité' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).to.equal('fr')
    await page.getByRole('link', { name: 'Appareils', exact: true }).click()
    await page.getByRole('button', { name: 'Déconnecter les 2 autres appareils' }).waitFor()
  })
})
