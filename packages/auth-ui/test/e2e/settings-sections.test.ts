import { text } from 'node:stream/consumers'
import { launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { appFolders } from '../../src/app-folders.ts'
import { deriveLoginValue } from '../../src/index.ts'
import { type AppServer, appServer } from '../support/app-server.ts'
import { LONG_NAME, RTL_NAME } from '../support/sample-models.ts'
import { settingsAnswers } from '../support/settings-samples.ts'

const SECTIONS = ['profile', 'security', 'devices', 'apps', 'notifications']

/** Addresses of before, and where they lead. */
const OLD: readonly (readonly [from: string, to: string, shown: string])[] = [
  ['#clients', '#/apps', 'Drive for Android'],
  ['#access', '#/apps', 'Drive for Android'],
  ['#accounts', '#/apps', 'Connected accounts'],
  ['#/assistants', '#/apps', 'Drive for Android'],
  ['#sessions', '#/devices', 'Chromium on Linux'],
  ['#devices', '#/devices', 'Chromium on Linux'],
  ['#factors', '#/security', 'Second step'],
  ['#passphrase', '#/security', 'Change the passphrase'],
  ['#hint', '#/security', 'Reminder'],
  ['#/profile/email', '#/security', 'Change the passphrase'],
  ['#storage', '#/profile', 'Storage'],
  ['#nowhere', '#/', 'Security check-up'],
]

/** Endpoints of what not every server has. */
const ABSENT = /^\w+ \/(?:data|konnectors|notifications|settings\/activity)\b/u

describe('sections of the settings app, in a browser', function () {
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
  const settled = (): Promise<void> => page.locator('#content[aria-busy=false]').waitFor()
  const focused = (): Promise<string> =>
    page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')

  it('leads every address of before to where the thing is now', async () => {
    for (const [from, to, shown] of OLD) {
      await page.goto('about:blank')
      await open(from)
      await page.getByRole('heading', { name: shown, exact: true }).first().waitFor()
      expect(new URL(page.url()).hash, from).to.equal(to)
    }
    await open('?section=accounts')
    await page.getByRole('heading', { name: 'Connected accounts', exact: true }).waitFor()
  })

  it('shows no record in two sections', async () => {
    const places = new Map<string, string[]>()
    for (const section of SECTIONS) {
      await page.goto('about:blank')
      await open(`#/${section}`)
      await settled()
      const names = await page
        .locator('#content h3, #content h4, #content .item h2')
        .allInnerTexts()
      for (const name of new Set(names.map((text) => text.split('\n')[0] ?? ''))) {
        places.set(name, [...(places.get(name) ?? []), section])
      }
    }
    // Two names that stand for many.
    const shared = [LONG_NAME, RTL_NAME].map((name) => name.replaceAll('\u202e', '').slice(0, 20))
    const twice = [...places].filter(
      ([name, where]) => where.length > 1 && !shared.includes(name.slice(0, 20)),
    )
    expect(places.size, 'things that are listed').to.be.greaterThan(10)
    expect(twice).to.deep.equal([])
  })

  it('names section, settings and owner in the title, and moves focus to the heading', async () => {
    await open()
    await settled()
    expect(await page.title()).to.equal('Overview - Settings - Alice Martin')
    await page.getByRole('link', { name: 'Devices', exact: true }).click()
    await page.getByRole('heading', { name: 'Chromium on Linux' }).waitFor()
    expect(await page.title()).to.equal('Devices - Settings - Alice Martin')
    expect(await focused()).to.equal('Devices')
  })

  it('is walked by the keyboard: home and out first, then the menu, then the section', async () => {
    await open()
    await settled()
    await page.getByRole('link', { name: 'Activity', exact: true }).waitFor()
    const reached: string[] = []
    for (let at = 0; at < 11; at += 1) {
      await page.keyboard.press('Tab')
      reached.push(await focused())
    }
    expect(reached).to.deep.equal([
      'Home',
      'Log out',
      'Overview',
      ...[
        'Profile',
        'Login and security',
        'Devices',
        'Apps and access',
        'Notifications',
        'Activity',
      ].map((name) => reached.find((text) => text.startsWith(name))),
      'Review the address',
      'Check the second step',
    ])
  })

  it('shows at most five findings of the check-up, in order, each with the way to its control', async () => {
    await open()
    const rows = page.locator('[data-check]')
    await rows.first().waitFor()
    expect(
      await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-check'))),
    ).to.deep.equal(['email-pending', 'login-failures', 'recovery-codes', 'passkeys', 'unused-app'])
    expect(await rows.nth(1).innerText()).to.include('12 wrong passphrases in the last hour.')
    await page.getByRole('link', { name: 'Review access' }).click()
    const drive = page.locator('[data-part=c1]')
    await drive.getByRole('button', { name: 'Remove access of Drive for Android' }).waitFor()
    expect(new URL(page.url()).hash).to.equal('#/apps')
  })

  it('names an app that renamed itself with the name it was allowed by (D103)', async () => {
    await open('#/apps')
    await page.locator('[data-part=c4]').getByText('You allowed it as “Weather”.').waitFor()
    await open('#/activity')
    const entry = page.getByRole('heading', { name: 'changed its details' })
    const words = (await entry.innerText()).replaceAll(/[\u2068\u2069]/gu, '')
    expect(words).to.include('(formerly Weather) changed its details.')
  })

  it('says in one sentence until when access was given', async () => {
    await open('#/activity')
    const entry = page.getByRole('heading', { name: /^You gave/u })
    const words = (await entry.innerText()).replaceAll(/[\u2068\u2069]/gu, '')
    expect(words).to.match(/^You gave Drive for Android access until \w+ \d+, \d{4}\.$/u)
  })

  it('says urgently that an app calls itself like a part of the space (D103)', async () => {
    const named = { name: 'Settings', former: 'Weather' }
    const attributes = { state: 'urgent', href: '#/apps/c1', ...named }
    const data = [{ type: 'io.svc.checkup', id: 'renamed-app', attributes }]
    await server.close()
    server = await appServer({
      folder: appFolders.settings,
      answers: {
        ...settingsAnswers(),
        'GET /settings/checkup': (ctx) => {
          ctx.body = { data }
        },
      },
    })
    await open()
    const row = page.locator('[data-check=renamed-app]')
    await row.getByText('Weather now calls itself Settings, like a part of your space.').waitFor()
    await row.getByRole('link', { name: 'Review access' }).click()
    await page.locator('[data-part=c1]').waitFor()
  })

  it('knows whether there is a reminder without asking for one that is absent', async () => {
    await server.close()
    const derivation = { salt: 'me@alice.example.com', kdf: 0, iterations: 50_000 }
    server = await appServer({
      folder: appFolders.settings,
      answers: {
        ...settingsAnswers(),
        'GET /settings/passphrase': (ctx) => {
          ctx.body = { data: { attributes: derivation } }
        },
        'GET /settings/restored': (ctx) => {
          ctx.body = { data: [] }
        },
      },
    })
    const absent: string[] = []
    page.on('response', (answer) => {
      if (answer.status() === 404) absent.push(new URL(answer.url()).pathname)
    })
    await open('#/security')
    await settled()
    const row = page.locator('[data-part=reminder]')
    expect(await row.innerText()).to.include('Add a reminder')
    expect(absent).to.deep.equal([])
    Object.assign(derivation, { hint_defined: true })
    await page.reload()
    await settled()
    expect(await row.innerText()).to.include('Change the reminder')
  })

  it('changes a passphrase that is stored in the other spelling, to a composed one', async () => {
    await server.close()
    const sent: Record<string, unknown>[] = []
    server = await appServer({
      folder: appFolders.settings,
      answers: {
        ...settingsAnswers(),
        'PUT /settings/passphrase': async (ctx) => {
          sent.push(JSON.parse(await text(ctx.req)) as Record<string, unknown>)
          ctx.status = sent.length === 1 ? 400 : 204
          if (sent.length === 1) ctx.body = { error: 'x', code: 'invalid_passphrase' }
        },
      },
    })
    await open('#/security/passphrase')
    await settled()
    const typed = 'pâssphräse €'
    const chosen = 'plume cadran hibôu tisáne'
    await page.locator('#current').fill(typed)
    await page.locator('#new').fill(chosen.normalize('NFD'))
    await page.locator('#new').press('Enter')
    await page.locator('#done', { hasText: 'Your passphrase is changed.' }).waitFor()
    const salt = 'me@alice.example.com'
    expect(sent.map((body) => body['current_passphrase'])).to.deep.equal([
      await deriveLoginValue(typed, salt, 50_000),
      await deriveLoginValue(typed.normalize('NFD'), salt, 50_000),
    ])
    const derived = await deriveLoginValue(chosen, salt, 650_000)
    for (const body of sent) expect(body['new_passphrase']).to.equal(derived)
  })

  it('marks the row that a mail names', async () => {
    await open('#/devices?highlight=v3')
    await page.locator('[data-part=v3].is-named').waitFor()
  })

  it('is a menu below the overview on a phone, with home one click away at 320 pixels', async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    await open()
    await settled()
    const home = page.getByRole('link', { name: 'Home', exact: true })
    expect(await home.getAttribute('href')).to.equal(`${server.origin}/`)
    for (const control of [home, page.getByRole('button', { name: 'Log out' })]) {
      const box = await control.boundingBox()
      expect(box?.y, 'in the first row').to.be.lessThan(60)
      expect((box?.x ?? 0) + (box?.width ?? 999), 'within the page').to.be.at.most(320)
    }
    const menu = page.getByRole('navigation')
    await menu.getByRole('link', { name: 'Activity' }).waitFor()
    expect(await menu.getByRole('link').count(), 'the overview is here').to.equal(6)
    await menu.getByRole('link', { name: 'Apps and access' }).click()
    await page.getByRole('heading', { name: 'Drive for Android' }).waitFor()
    expect(await menu.isVisible()).to.equal(false)
    await page.getByRole('link', { name: 'All settings' }).click()
    await menu.getByRole('link', { name: 'Profile' }).waitFor()
  })

  it('says nothing of loading for a moment, then that it loads, and leaves the frame as it is', async () => {
    let answer = (): void => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/settings/devices', async (route) => {
      await held
      await route.continue()
    })
    await page.clock.install({ time: 0 })
    await page.clock.pauseAt(1000)
    await open('#/devices')
    await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
    expect(await page.locator('.loading').count()).to.equal(0)
    await page.clock.runFor(250)
    const status = page.getByRole('status').filter({ hasText: 'Loading…' })
    await status.waitFor()
    expect(await page.locator('.loading__row').count()).to.equal(3)
    answer()
    await page.getByRole('heading', { name: 'Chromium on Linux' }).waitFor()
    expect(await status.count()).to.equal(0)
  })

  it('leaves the rest of a section alone when a part of it fails, and tries that part again', async () => {
    await page.route('**/settings/disk-usage', (route) => route.fulfill({ status: 503 }), {
      times: 1,
    })
    await open('#/profile')
    await page.getByText('This could not be loaded. Try again in a moment.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Alice M.')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('meter', { name: 'Storage' }).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Alice M.')
  })

  it('says beside the control that it saved', async () => {
    await open('#/profile')
    await page.getByLabel('Time zone').fill('Europe/Madrid')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const said = page.getByRole('status').filter({ hasText: 'Saved.' })
    await said.waitFor()
    const [button, words] = await Promise.all([
      page.getByRole('button', { name: 'Save', exact: true }).boundingBox(),
      said.boundingBox(),
    ])
    expect(Math.abs((words?.y ?? 0) - (button?.y ?? 999)), 'pixels apart').to.be.lessThan(44)
  })

  it('says that there is no connection, and lets nothing be changed until there is one', async () => {
    await open('#/devices')
    const forget = page.getByRole('button', { name: 'Remove Firefox on Android' })
    await forget.waitFor()
    await page.context().setOffline(true)
    await page.getByText('You’re offline.').waitFor()
    await forget.and(page.locator(':disabled')).waitFor()
    await page.context().setOffline(false)
    await page.getByText('You’re offline.').waitFor({ state: 'hidden' })
    await forget.and(page.locator(':enabled')).waitFor()
  })

  it('neither shows nor requests what the server has not', async () => {
    await open()
    const menu = page.locator('#sections')
    const names = ['Notifications', 'Activity']
    for (const name of names) await menu.getByRole('link', { name }).waitFor()
    const answers = Object.fromEntries(
      Object.entries(settingsAnswers()).filter(([endpoint]) => !ABSENT.test(endpoint)),
    )
    const other = await appServer({ folder: appFolders.settings, answers })
    for (const hash of ['#/', '#/activity', '#/notifications']) {
      await page.goto('about:blank')
      await page.goto(`${other.origin}/${hash}`)
      await page.getByRole('heading', { name: 'Security check-up' }).waitFor()
      expect(await page.getByRole('alert').count(), hash).to.equal(0)
    }
    for (const name of names) expect(await menu.getByRole('link', { name }).count()).to.equal(0)
    await page.goto(`${other.origin}/#/apps`)
    await page.getByRole('heading', { name: 'Drive for Android' }).waitFor()
    expect(await page.locator('[data-part=services]').count()).to.equal(0)
    expect(other.calls.filter((call) => ABSENT.test(call))).to.deep.equal([])
    await other.close()
  })
})
