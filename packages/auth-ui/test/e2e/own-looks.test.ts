import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { axeFaults, launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import type { Slots } from '../../src/index.ts'
import { testConsentPage } from '../../src/testing/consent-page.ts'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'
import { createAlice, startUi, type UiServer } from '../support/ui-server.ts'

const WIDTHS = [320, 1280]
const PAGES = ['login-magic', 'consent', 'error-bad-request']
const help = { text: 'Help and contact', href: 'https://help.example.com/' }
const SLOTS: Slots = {
  'page.top': () => ['This space moves to a faster computer on Saturday.'],
  'page.footer': () => [['Something does not work? ', help]],
  'login.before': () => ['Use the passphrase of your recipe box.'],
  'login.after': () => [['New here? ', { text: 'Ask for a space', href: '/join' }]],
  'consent.before': ({ client }) => [`We do not know ${client?.metadata.client_name ?? ''}.`],
  'consent.after': () => ['You can take access away at any time.'],
  'error.after': () => [[{ text: 'State of our servers', href: '/status' }]],
}

describe('looks of the host in a browser', function () {
  this.timeout(60_000)
  let browser: Browser
  let folder: string
  let themed: SampleServer
  let ui: UiServer

  before(async function () {
    needsChromium(this)
    folder = await mkdtemp(join(tmpdir(), 'svc-own-looks-'))
    const cssFile = join(folder, 'own.css')
    await writeFile(cssFile, '.card{border-block-start:4px solid var(--color-accent)}')
    themed = await sampleServer({
      slots: SLOTS,
      theme: (_, client) => ({
        name: 'Recipe Box',
        accent: client === undefined ? '#7a1fa2' : '#0b4f8a',
        cssFile,
        links: [{ label: 'Imprint', href: '/imprint' }],
      }),
    })
    ui = await startUi({ stays: true })
    browser = await launchChromium({ port: themed.port, domains: [] })
  })
  after(async () => {
    await browser?.close()
    await Promise.all([themed?.close(), ui?.close()])
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  for (const name of PAGES) {
    it(`${name} fits, is readable, and loads what it needs`, async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await browser.newPage({ colorScheme, reducedMotion: 'reduce' })
        const failed: string[] = []
        page.on('response', (answer) => {
          if (answer.status() >= 400 && answer.url().includes('/auth/assets/'))
            failed.push(answer.url())
        })
        page.on('console', (line) => {
          if (line.type() === 'error' && line.text().includes('Content Security'))
            failed.push(line.text())
        })
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 })
          await page.goto(`${themed.origin}/${name}`)
          expect(await widthOf(page), `${width} px`).to.be.at.most(width)
          await picture(page, `${name}-${colorScheme}-${width}`)
        }
        expect(await axeFaults(page)).to.deep.equal([])
        expect(failed).to.deep.equal([])
        await page.close()
      }
    })
  }

  it('is mirrored where the language is', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 800 } })
    await page.goto(`${themed.origin}/login-magic?locale=ar-XB`)
    expect(await widthOf(page)).to.be.at.most(360)
    await picture(page, 'login-magic-rtl-360')
    await page.close()
  })

  for (const [scheme, screen] of [
    ['dark', 'light'],
    ['light', 'dark'],
  ] as const) {
    it(`is always ${scheme} where the theme says so`, async () => {
      const fixed = await sampleServer({ theme: { scheme, accent: '#7a1fa2' } })
      const page = await browser.newPage({ colorScheme: screen })
      try {
        await page.goto(`${fixed.origin}/login-magic`)
        const colour = await page
          .locator('.card')
          .evaluate((card) => getComputedStyle(card).backgroundColor)
        expect(colour).to.equal(scheme === 'dark' ? 'rgb(26, 33, 30)' : 'rgb(255, 255, 255)')
        expect(await axeFaults(page)).to.deep.equal([])
        await picture(page, `login-always-${scheme}`)
      } finally {
        await page.close()
        await fixed.close()
      }
    })
  }

  it('has a consent page that testConsentPage measures', async () => {
    const { instance } = await createAlice(ui)
    const page = await browser.newPage()
    const measure = async (url: string, width: number): Promise<number> => {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(url)
      return widthOf(page)
    }
    const { pages, routes } = ui.ui
    await testConsentPage(pages.consent, { instance, files: routes(), measure })
    await page.close()
  })
})

function widthOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth)
}

/** Kept to be looked at, where a run asks for pictures. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SVC_SHOTS']
  if (folder === undefined) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `own-${name}.png`), fullPage: true })
}
