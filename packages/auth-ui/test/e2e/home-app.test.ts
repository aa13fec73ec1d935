import { axeFaults, launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { appFolders } from '../../src/app-folders.ts'
import { type AppServer, appServer } from '../support/app-server.ts'
import { HOME_APPS, homeAnswers } from '../support/home-samples.ts'

describe('home app, in a browser', function () {
  this.timeout(30_000)
  let browser: Browser
  let server: AppServer
  let page: Page

  before(async function () {
    needsChromium(this)
    browser = await launchChromium({ port: 1, domains: [] })
  })
  after(() => browser?.close())
  afterEach(async () => {
    await page.close()
    await server.close()
  })

  async function open(answers: ReturnType<typeof homeAnswers>, locale = 'en'): Promise<void> {
    server = await appServer({ folder: appFolders.home, apps: HOME_APPS, answers, locale })
    page = await browser.newPage({ viewport: { width: 320, height: 640 } })
    await page.goto(server.origin, { waitUntil: 'networkidle' })
  }
  const section = (name: string | RegExp) => page.getByRole('region', { name })
  const calls = (): string[] => server.calls.map((call) => call.split(' ').slice(0, 2).join(' '))

  it('shows who waits, what is unread and which apps there are, and has sent nothing but GETs', async () => {
    await open(homeAnswers())
    expect(await page.getByRole('heading', { level: 1 }).innerText()).to.equal(
      'Welcome, Alice Martin',
    )
    const checkup = section('Security check-up')
    expect(await checkup.innerText()).to.include('12 wrong passphrases in the last hour.')
    expect(await checkup.getByRole('link').innerText()).to.equal('Check the second step')
    expect(await checkup.getByRole('link').getAttribute('href')).to.match(
      /settings[^/]*\/#\/security\/second-step$/u,
    )
    expect(await section('Accounts that need attention').innerText())
      .to.include('Bank needs reconnecting.')
      .and.not.include('Photos')
    expect(await section('7 unread notifications').innerText())
      .to.include('Dana shared “Contracts”')
      .and.include('Backup done')
      .and.include('5 more unread notifications.')
      .and.not.include('Read long ago')
    expect(await section('Apps').getByRole('link').allInnerTexts()).to.have.lengthOf(2)
    expect(calls().filter((call) => !call.startsWith('GET '))).to.deep.equal([])
  })

  it('leaves out what the server has not, without a word', async () => {
    await open({})
    expect(await page.getByRole('heading').allInnerTexts()).to.deep.equal([
      'Welcome, Alice Martin',
      'Apps',
    ])
    expect(await page.getByRole('alert').count()).to.equal(0)
  })

  it('says of the check-up what is urgent, else the first advice, else nothing', async () => {
    const finding = (id: string, state: string): object => ({
      id,
      attributes: { state, href: '#/devices', count: 2, name: 'Old \u202eapp' },
    })
    const lines: string[] = []
    for (const data of [
      [
        finding('tomorrow', 'urgent'),
        finding('unseen-device', 'advice'),
        finding('passkeys', 'urgent'),
      ],
      [finding('no-email', 'ok'), finding('unused-app', 'advice'), finding('magic-link', 'advice')],
      [finding('no-email', 'ok')],
    ]) {
      await open({
        'GET /settings/checkup': (ctx) => {
          ctx.body = { data }
        },
      })
      const isShown = await page.locator('#checkup-section').isVisible()
      lines.push(isShown ? ((await page.locator('#checkup').textContent()) ?? '') : 'nothing')
      await page.close()
      await server.close()
    }
    await open({})
    expect(lines).to.deep.equal([
      'Urgent: Your passphrase was reset. 2 passkeys are paused until you confirm that they’re yours.',
      'Advice: 2 apps, Old app among them, can delete your data and haven’t been used for 90 days.',
      'nothing',
    ])
  })

  it('marks everything as read when the owner asks for it', async () => {
    await open(homeAnswers())
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await page.locator('#news-section').waitFor({ state: 'hidden' })
    expect(calls().at(-1)).to.equal('PATCH /notifications')
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('title')
  })

  for (const locale of ['en', 'fr', 'de', 'es']) {
    it(`fits 320 px and passes axe in ${locale}`, async () => {
      await open(homeAnswers(), locale)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(320)
      expect(await axeFaults(page)).to.deep.equal([])
    })
  }
})
