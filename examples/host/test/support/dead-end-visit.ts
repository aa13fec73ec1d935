import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { CLIENT_NAME, type ClientRequest } from './client-request.ts'
import { type AdminAccess, callAdmin, type TourOwner } from './tour-owner.ts'
import { type TourSteps, tourSteps } from './tour-steps.ts'
import type { TourTexts } from './tour-texts.ts'

/** An owner in a browser, whom a client has sent to the instance. */
export interface DeadEndVisit {
  readonly owner: TourOwner
  readonly context: BrowserContext
  readonly tab: Tab
  readonly request: ClientRequest
  /** Another tab of the same browser. @param url - of the request unless given */
  openTab(url?: string): Promise<Tab>
  /** A page of another browser, without cookies. */
  openElsewhere(url: string): Promise<Tab>
  /** Asks for a link to a new passphrase on the page for it. @returns the link that was mailed */
  askReset(on: Tab): Promise<string>
  /** The digits of the newest passcode that was mailed and not read. */
  passcode(): Promise<string>
  /** Calls the admin listener below the instance. */
  admin(method: string, path: string, body?: unknown): Promise<unknown>
}

/** One page, and what is done in it. */
export interface Tab extends TourSteps {
  readonly page: Page
  heading(name: string): Promise<void>
  /** Waits for the consent page of the request. */
  isAsked(): Promise<void>
  /** Allows on the consent page, and sees the client get its answer. */
  finish(): Promise<void>
  /** On the page that a reset link opens. */
  renewPassphrase(passphrase: string): Promise<void>
  /** Follows the one link of a page that went no further. */
  followWayOn(heading: string): Promise<void>
}

/** What {@link createVisit} needs. */
export interface VisitParts {
  readonly admin: AdminAccess
  readonly owner: TourOwner
  readonly context: BrowserContext
  readonly request: ClientRequest
  readonly texts: TourTexts
}

/** Its first tab is open, and empty. */
export async function createVisit(parts: VisitParts): Promise<DeadEndVisit> {
  const { admin, owner, context, request, texts } = parts
  return {
    owner,
    context,
    request,
    tab: tabOf(await context.newPage(), parts),
    async openTab(url = request.url) {
      const page = await context.newPage()
      await page.goto(url)
      return tabOf(page, parts)
    },
    async openElsewhere(url) {
      const other = await context.browser()?.newContext({ locale: 'en' })
      const page = await (other ?? context).newPage()
      await page.goto(url)
      return tabOf(page, parts)
    },
    async askReset({ page, button }) {
      await page.waitForURL((url) => url.pathname === '/auth/passphrase_reset')
      await button(texts.ui('reset.new.submit')).click()
      await page.waitForURL((url) => url.pathname === '/auth/login')
      return owner.mailed('passphrase_reset', /http\S+passphrase_renew\?\S+/)
    },
    passcode: () => owner.mailed('two_factor', /\b\d{6}\b/),
    admin: (method, path, body) =>
      callAdmin(admin, method, `/instances/${owner.domain}${path}`, body),
  }
}

function tabOf(page: Page, { owner, texts, request }: VisitParts): Tab {
  const { ui } = texts
  const steps = tourSteps(page, owner, texts)
  const heading = (name: string): Promise<void> =>
    page.getByRole('heading', { name, exact: true }).waitFor()
  const isAsked = (): Promise<void> => heading(ui('consent.title', { name: CLIENT_NAME }))
  return {
    ...steps,
    page,
    heading,
    isAsked,
    async finish() {
      await isAsked()
      await steps.allowButton().click()
      await request.isAnswered()
      await page.getByRole('heading', { name: 'Connected' }).waitFor()
    },
    async renewPassphrase(passphrase) {
      await page.getByLabel(ui('renew.passphrase'), { exact: true }).fill(passphrase)
      await steps.button(ui('renew.submit')).click()
      await steps.isLoggedOut()
    },
    async followWayOn(name) {
      await heading(name)
      const links = page.getByRole('main').getByRole('link')
      expect(await links.count(), 'ways on').to.equal(1)
      await links.click()
    },
  }
}
