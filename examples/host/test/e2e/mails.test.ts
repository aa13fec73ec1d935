import { MAIL_LOCALES } from '@svc/notify'
import { axeFaults, launchChromium, type Listening, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { MAIL_NAMES, mailServer } from '../support/mail-server.ts'

/** The height of a small phone: what shows without scrolling. */
const SCREENFUL = { width: 360, height: 640 }
/** Mails that only tell something: without a button, or with so many words before it that it cannot be seen at once. */
const WITHOUT_ACTION =
  /^(?:digest|notification\.(?:long|plain)|email_changed\.final|email_undone\.gone|\w+\.copy$)/
/** One of each template; the variants of these two differ in words only. */
const NAMES = MAIL_NAMES.filter(
  (name) =>
    !/^(?:two_factor|auth_mode_changed)\./.test(name) ||
    /^two_factor\.move|factor_on\.totp|codes_created|code_used\.0/.test(name),
)

describe('mails, in a browser', function () {
  this.timeout(60_000)
  let server: Listening
  let browser: Browser
  let page: Page

  before(async function () {
    needsChromium(this)
    server = await mailServer()
    browser = await launchChromium({ port: server.port, domains: [] })
    const context = await browser.newContext({ viewport: SCREENFUL })
    page = await context.newPage()
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  async function open(locale: string, name: string): Promise<void> {
    await page.goto(`${server.origin}/${name}?locale=${locale}`)
  }

  for (const [at, name] of NAMES.entries()) {
    it(`${name}: no accessibility fault`, async () => {
      // Every language with every theme among the mails: they have one layout.
      const locale = MAIL_LOCALES[at % MAIL_LOCALES.length] ?? 'en'
      const colorScheme = Math.floor(at / MAIL_LOCALES.length) % 2 === 0 ? 'light' : 'dark'
      await page.emulateMedia({ colorScheme })
      await open(locale, name)
      // A mail has no landmarks: mail programs put it inside of theirs.
      const faults = (await axeFaults(page)).filter((fault) => !/^(?:region|landmark)/.test(fault))
      expect(faults, `${locale} ${colorScheme}`).to.deep.equal([])
    })

    it(`${name}: fits a phone, and what to act on is in its first screenful`, async () => {
      for (const locale of MAIL_LOCALES) {
        await open(locale, name)
        const { bottom, overflow } = await page.evaluate(() => {
          const target = document.querySelector('a.button-words, [style*="user-select:all"]')
          const { scrollWidth, clientWidth } = document.documentElement
          return {
            bottom: target?.getBoundingClientRect().bottom,
            overflow: scrollWidth - clientWidth,
          }
        })
        if (!WITHOUT_ACTION.test(name)) {
          expect(bottom, locale).to.be.greaterThan(0).and.at.most(SCREENFUL.height)
        }
        expect(overflow, locale).to.be.at.most(0)
      }
    })
  }

  it('is dark in the dark, and selects the code as a whole', async () => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await open('en', 'two_factor.login')
    await page.locator('[style*="user-select:all"]').click({ position: { x: 60, y: 20 } })
    const [background, selected] = await page.evaluate(() => [
      getComputedStyle(document.body).backgroundColor,
      getSelection()?.toString().trim(),
    ])
    expect(background).to.equal('rgb(17, 22, 20)')
    expect(selected).to.equal('482916')
  })
})
