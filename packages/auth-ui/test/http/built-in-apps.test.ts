import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { RouteRow } from '@svc/platform'
import type { BrowserClient, Page } from '@svc/testkit'
import { expect } from 'chai'
import type { AuthUiOptions } from '../../src/index.ts'
import { sampleApp, sampleApps } from '../support/sample-instance.ts'
import { appToken } from '../support/settings-server.ts'
import {
  ALICE,
  createAlice,
  logIn,
  startUi,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

const HOME = 'https://home.alice.example.com'
const SETTINGS = 'https://settings.alice.example.com'

function sampleRow(path: string): RouteRow {
  return {
    method: 'GET',
    path,
    handler: () => {},
    auth: ['none'],
    family: 'json',
    statuses: [200],
    summary: 'Answers nothing.',
    source: 'owner.md 8.4',
  }
}

describe('the apps that come with the package (owner.md 8)', () => {
  let server: UiServer
  let browser: BrowserClient

  async function start(ui: Partial<AuthUiOptions> = {}, ofHost: string[] = []): Promise<void> {
    ;({ server, browser } = await withAlice(
      startUi({ ui, oauth: { apps: sampleApps(...ofHost) } }),
    ))
  }

  const page = async (address: string): Promise<Page> => (await browser.get(address)).page()

  it('are there without any app of the host: a login lands on home', async () => {
    await start()
    const stranger = await browser.get(`${HOME}/`)
    expect(stranger.location).to.equal(
      `${ALICE}/auth/login?redirect=${encodeURIComponent(`${HOME}/`)}`,
    )
    const landed = await browser.follow(await logIn(browser))
    expect(landed.url).to.equal(`${HOME}/`)
    expect(landed.contentType).to.equal('text/html')
    expect(landed.headers['cache-control']).to.equal('no-store')
    expect(landed.headers['content-security-policy']).to.contain("default-src 'none'")
    expect(landed.page().attribute('data-svc-token')).to.be.a('string')
  })

  it('home is told which apps there are, and no other app is', async () => {
    await start({}, ['drive'])
    await logIn(browser)
    const apps = [
      { slug: 'drive', name: 'drive' },
      { slug: 'settings', name: 'Settings' },
    ]
    expect((await page(`${HOME}/`)).attribute('data-svc-apps')).to.equal(JSON.stringify(apps))
    expect((await page(`${SETTINGS}/`)).attribute('data-svc-apps')).to.equal(undefined)
  })

  it('every app is told what this server has of what not every server has', async () => {
    await start({}, ['drive'])
    await logIn(browser)
    const parts = async (): Promise<unknown[]> =>
      Promise.all(
        [HOME, SETTINGS].map(async (host) => (await page(`${host}/`)).attribute('data-svc-parts')),
      )
    expect(await parts()).to.deep.equal(['', ''])
    server.oauth.mount(['/data/:doctype', '/notifications'].map(sampleRow))
    expect(await parts()).to.deep.equal(Array(2).fill('accounts notifications'))
  })

  it('their files and the kit are on their hosts, for GET alone', async () => {
    await start()
    await logIn(browser)
    for (const host of [HOME, SETTINGS]) {
      for (const file of ['main.js', 'locales/fr.json', '_kit/tokens.css', '_kit/api.js']) {
        expect((await browser.get(`${host}/${file}`)).status, host + file).to.equal(200)
      }
      for (const file of ['none.js', '_kit/none.js', '../manifest.json', 'auth/login']) {
        expect((await browser.get(host, { target: `/${file}` })).status, file).to.equal(404)
      }
      const posted = await browser.post(`${host}/`, {})
      expect(posted.status).to.equal(405)
      expect(posted.headers['allow']).to.equal('GET, HEAD')
    }
  })

  it('home reads the check-up, as its manifest says, and no other app does', async () => {
    await start({}, ['drive'])
    await logIn(browser)
    const answerTo = async (host: string): Promise<number> => {
      const token = (await page(`${host}/`)).attribute('data-svc-token') ?? ''
      const headers = { authorization: `Bearer ${token}` }
      return (await browser.request('GET', '/settings/checkup', { from: host, headers })).status
    }
    expect(await answerTo(HOME)).to.equal(200)
    expect(await answerTo(SETTINGS)).to.equal(200)
    await start({}, ['home'])
    await logIn(browser)
    const own = await appToken(browser, 'home')
    const refused = await browser.request('GET', '/settings/checkup', {
      from: HOME,
      headers: { authorization: `Bearer ${own}` },
    })
    expect(refused.status, 'an app of the host that does not say so').to.equal(403)
  })

  it('an app of the host with that slug is the host’s to serve', async () => {
    await start({}, ['home'])
    await logIn(browser)
    expect((await browser.get(`${HOME}/`)).contentType).to.equal('application/json')
    expect((await browser.get(`${SETTINGS}/`)).contentType).to.equal('text/html')
  })

  it('false leaves one out', async () => {
    await start({ builtInApps: { settings: false } })
    await logIn(browser)
    expect((await browser.get(`${SETTINGS}/`)).status).to.equal(404)
    expect((await browser.get(`${HOME}/`)).status).to.equal(200)
  })

  it('a folder of the host replaces one', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'svc-home-'))
    writeFileSync(path.join(folder, 'index.html'), '<p data-svc-app>Ours</p>')
    await start({ builtInApps: { home: { folder, manifest: sampleApp('home') } } })
    const landed = await browser.follow(await logIn(browser))
    expect(landed.page().text).to.equal('Ours')
    expect(landed.page().attribute('data-svc-token')).to.be.a('string')
    rmSync(folder, { recursive: true })
  })

  it('a path of the instance is home instead of the app', async () => {
    await start({ home: '/welcome' })
    expect((await logIn(browser)).location).to.equal(`${ALICE}/welcome#`)
    expect((await browser.get(`${ALICE}/`)).location).to.equal(`${ALICE}/welcome#`)
    expect((await browser.get(`${HOME}/`)).status).to.equal(404)
    expect((await browser.get(`${SETTINGS}/`)).status).to.equal(200)
  })

  it('the default redirection of an instance goes before', async () => {
    server = await startUi({ ui: { home: '/welcome' }, oauth: { apps: sampleApps('drive') } })
    await createAlice(server, { defaultRedirection: 'drive/#/inbox' })
    expect((await logIn(server.browser())).location).to.equal(
      'https://drive.alice.example.com/#/inbox',
    )
  })

  it('are told to the log once, with the first instance', async () => {
    await start()
    const reached = (): unknown[] =>
      server.logged.filter(([event]) => event === 'pages.reached').map(([, fields]) => fields)
    expect(reached()).to.deep.equal([])
    await server.ui.start()
    await server.ui.start()
    await server.ui.owners.createInstance({ domain: 'bob.example.com' })
    expect(reached()).to.deep.equal([{ home: `${HOME}/`, settings: `${SETTINGS}/` }])
  })

  it('are told to the log when the first instance is made after the start', async () => {
    server = await startUi({
      ui: { home: '/welcome', builtInApps: { settings: false } },
      oauth: { apps: sampleApps() },
    })
    await server.ui.start()
    await createAlice(server)
    const reached = server.logged.filter(([event]) => event === 'pages.reached')
    expect(reached).to.deep.equal([['pages.reached', { home: `${ALICE}/welcome` }]])
  })
})
