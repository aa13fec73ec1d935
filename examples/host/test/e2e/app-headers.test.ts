import { fileURLToPath } from 'node:url'
import { appFolders } from '@svc/auth-ui'
import { launchChromium, needsChromium, takeShot } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { appServer } from '../../../../packages/auth-ui/test/support/app-server.ts'

const own = (slug: string): string => fileURLToPath(new URL(`../../apps/${slug}`, import.meta.url))
const APPS = { home: own('home'), safe: own('safe'), settings: appFolders.settings } as const
const UNREAD = { data: [], links: {}, meta: { unread: 120 } }
const LONG = { name: 'Maximiliane Mustermann-Oberhuber', domain: 'maximiliane.familie.example.org' }
/** Narrow phones, and the one most people have. */
const WIDTHS = [320, 360, 390] as const

/** Names of the header's parts that stand below another one, or do not fit. */
async function misplaced(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const bar = document.querySelector('.bar')!
    const parts = [...bar.children].flatMap((part) =>
      part.matches('.bar__buttons') ? [...part.children] : [part],
    )
    const boxes = parts
      .map((part) => ({ id: part.id || part.className, box: part.getBoundingClientRect() }))
      .filter(({ box }) => box.height > 0)
    const lowestTop = Math.max(...boxes.map(({ box }) => box.top))
    return boxes
      .filter(({ box }) => box.bottom <= lowestTop || box.right > document.body.clientWidth)
      .map(({ id }) => id)
  })
}

describe('the header of the apps', function () {
  this.timeout(60_000)
  let browser: Browser

  before(async function () {
    needsChromium(this)
    browser = await launchChromium({ port: 1, domains: [] })
  })
  after(() => browser?.close())

  for (const [slug, folder] of Object.entries(APPS)) {
    for (const [what, about] of [
      ['', {}],
      [', with long names', LONG],
    ] as const) {
      it(`is one row on phones in every language: ${slug}${what}`, async () => {
        const server = await appServer({
          ...about,
          folder,
          answers: {
            'GET /notifications': (ctx) => {
              ctx.body = UNREAD
            },
          },
        })
        const page = await browser.newPage()
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 760 })
          for (const locale of ['en', 'fr', 'de', 'es']) {
            await page.goto(`${server.origin}/?locale=${locale}`)
            if (slug === 'home') await page.locator('#bell-count:not(:empty)').waitFor()
            else await page.locator('#where-name:not(:empty)').waitFor()
            expect(await misplaced(page), `${width} px, ${locale}`).to.deep.equal([])
            const leave = page.locator('#log-out')
            if ((await leave.count()) > 0) {
              const name = (await leave.innerText()).trim()
              expect(name, 'the words are there for whoever hears the page').to.have.length.above(5)
            }
          }
          await takeShot(page, `header-${slug}${what === '' ? '' : '-long'}-${width}`)
        }
        await page.close()
        await server.close()
      })
    }
  }
})
