import { launchChromium, needsChromium, takeShot } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const PASSPHRASE = 'seven green kettles sing at dawn'

for (const subdomains of ['nested', 'flat'] as const) {
  const domain = subdomains === 'nested' ? 'bob.localhost' : 'bob.svc.localhost'
  const home = subdomains === 'nested' ? `home.${domain}` : 'bob-home.svc.localhost'
  const INSTANCE = `/instances/${domain}`

  describe(`magic links and session codes in a browser, ${subdomains}`, function () {
    this.timeout(60_000)
    let host: TestHost
    let browser: Browser

    before(async function () {
      needsChromium(this)
      host = await startTestHost({ SVC_SUBDOMAINS: subdomains }, 'alice.svc.localhost')
      const created = await host.admin('POST', '/instances', {
        domain,
        email: 'bob@mail.example',
        passphrase: PASSPHRASE,
        magic_link: true,
      })
      expect(created.status).to.equal(201)
      browser = await launchChromium({ port: host.host.port, domains: [domain, 'svc.localhost'] })
    })
    after(async () => {
      await browser?.close()
      await host?.stop()
    })

    async function newPage(): Promise<{ context: BrowserContext; page: Page }> {
      const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
      return { context, page: await context.newPage() }
    }

    /** Asks for a link on the login page that an app led to. @returns the link of the mail */
    async function askLink(page: Page): Promise<string> {
      await page.goto(`http://${home}/`)
      await page.getByRole('button', { name: 'Email me a login link' }).click()
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
      const answer = await host.admin('GET', `${INSTANCE}/mails`)
      const { mails } = (await answer.json()) as { mails: { template: string; text: string }[] }
      const links = mails.filter(({ template }) => template === 'magic_link')
      const found = links.map(({ text }) => /http\S+magic_link\?\S+/.exec(text)?.[0] ?? '')
      // The newest is the first or the last: codes differ, so the one not seen yet.
      const link = found.find((each) => !seen.has(each)) ?? ''
      expect(link).not.to.equal('')
      for (const each of found) seen.add(each)
      return link
    }
    const seen = new Set<string>()

    const isHome = async (page: Page): Promise<void> => {
      await page.waitForURL((url) => url.host.startsWith(home))
      await page.locator('h1').waitFor()
    }

    it('logs in the browser that asked with one click, back where it wanted to go', async () => {
      const { context, page } = await newPage()
      const link = await askLink(page)
      await takeShot(page, `magic-link-${subdomains}-1-sent`)
      const mailbox = await context.newPage()
      await mailbox.goto(link)
      await isHome(mailbox)
      expect(mailbox.url()).not.to.include('session_code')
      await context.close()
    })

    it('logs in another browser with the button, once', async () => {
      const { context, page } = await newPage()
      const link = await askLink(page)
      await context.close()
      const other = await newPage()
      await other.page.goto(link)
      await other.page.getByRole('heading', { name: 'Log in with this link' }).waitFor()
      await takeShot(other.page, `magic-link-${subdomains}-2-button`)
      await other.page.getByRole('button', { name: 'Log in' }).click()
      await isHome(other.page)
      await other.context.close()

      const third = await newPage()
      await third.page.goto(link)
      await third.page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
      await takeShot(third.page, `magic-link-${subdomains}-3-used`)
      await third.page.getByRole('link').last().click()
      await third.page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
      await third.page.getByRole('button', { name: 'Log in', exact: true }).click()
      await isHome(third.page)
      await third.context.close()
    })

    it('asks for the passphrase while the second factor is on', async () => {
      await host.admin('PATCH', INSTANCE, { auth_mode: 'two_factor_mail' })
      const { context, page } = await newPage()
      await page.goto(await askLink(page))
      await page.getByRole('heading', { name: 'Enter your passphrase' }).waitFor()
      await page.getByLabel('Passphrase', { exact: true }).fill('wrong')
      await page.getByRole('button', { name: 'Log in', exact: true }).click()
      await page.getByRole('alert').filter({ hasText: /\S/ }).first().waitFor()
      await takeShot(page, `magic-link-${subdomains}-4-wrong`)
      await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
      await page.getByRole('button', { name: 'Log in', exact: true }).click()
      await isHome(page)
      await context.close()
      await host.admin('PATCH', INSTANCE, { auth_mode: 'basic' })
    })

    it('opens a page of an app with a session code, and leaves none in its address', async () => {
      const answer = await host.admin('POST', `${INSTANCE}/session-code`)
      const { session_code: code } = (await answer.json()) as { session_code: string }
      const { context, page } = await newPage()
      await page.goto(`http://${home}/?session_code=${code}`)
      await isHome(page)
      expect(page.url()).not.to.include(code)
      await page.reload()
      await isHome(page)
      await context.close()
    })
  })
}
