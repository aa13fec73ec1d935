import '@svc/store/node-version'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AuthorizePages, ConsentView } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import Koa, { type Middleware } from 'koa'
import { type CaseTools, CONSENT_CASES, type Measure, type ShownPage } from './consent-cases.ts'
import { sampleView } from './consent-samples.ts'
import { formsIn, tagsOf, wordsOf } from '../pages/html-tags.ts'

const PATH = '/auth/authorize'

/** What {@link testConsentPage} needs. */
export interface ConsentPageTest {
  /** An instance of the server that the page is of. */
  readonly instance: Instance
  /** Serves the files of the page, such as `ui.routes()`; a page that is measured needs them. @defaultValue nothing does */
  readonly files?: Middleware
  /**
   * How wide the page at an address is in a window of that width, both in CSS pixels: of a browser, such as
   * `document.documentElement.scrollWidth`. @defaultValue the case of 320 pixels looks at the page's source alone
   */
  readonly measure?: Measure
}

/**
 * Holds a consent page of the host against what it owes its reader: {@link CONSENT_CASES} names the cases.
 * @returns the names of the cases
 * @throws Error naming each case that failed, and why
 * @example
 * await testConsentPage(ownPages(ui).consent, { instance })
 */
export async function testConsentPage(
  page: AuthorizePages['consent'],
  { instance, files, measure }: ConsentPageTest,
): Promise<readonly string[]> {
  let current = sampleView()
  const app = new Koa()
  app.silent = true
  app.use(async (ctx, next) => {
    Object.assign(ctx.state, { instance })
    if (ctx.path === PATH) await page(ctx, current)
    else await files?.(ctx, next)
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const show = async (view: ConsentView): Promise<ShownPage> => {
    current = view
    return shownPage(`http://127.0.0.1:${port}${PATH}`, view)
  }
  try {
    const faults: string[] = []
    for (const [name, check] of Object.entries(CONSENT_CASES)) {
      const fault = await faultOf(check, { measure, show })
      if (fault !== undefined) faults.push(`${name}: ${fault}`)
    }
    if (faults.length > 0) throw new Error(`the consent page fails\n${faults.join('\n')}`)
    return Object.keys(CONSENT_CASES)
  } finally {
    await closed(server)
  }
}

async function faultOf(
  check: (tools: CaseTools) => Promise<string | undefined>,
  tools: CaseTools,
): Promise<string | undefined> {
  try {
    return await check(tools)
  } catch (error) {
    return String(error)
  }
}

async function shownPage(url: string, view: ConsentView): Promise<ShownPage> {
  const response = await fetch(url, { headers: { accept: 'text/html' } })
  const html = await response.text()
  const tags = tagsOf(html)
  const form = formsIn(tags).find(({ attributes }) => attributes.get('action') === PATH)
  const { status, headers } = response
  return { view, status, headers, html, tags, words: wordsOf(html), form, url }
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  const ended = once(server, 'close')
  server.close()
  await ended
}
