import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import {
  axeFaults,
  launchChromium,
  type Listening,
  needsChromium,
  timeBudget,
} from '../../src/index.ts'
import { serveSite } from './serve-site.ts'

const SITE = path.resolve(import.meta.dirname, '../../../../docs/site')
const DIST = path.join(SITE, 'dist')
const BASE = '/next'
/** Of each kind one: the first page, guides, long tables, code, generated references. */
const LOOKED_AT = [
  '',
  'owner/lost-device',
  'embedding',
  'operating',
  'configuration',
  'recipes/own-looks',
  'glossary',
  'reference/options',
  'reference/api/realtime',
  'decisions',
]
const FIRST_PAGE_BYTES = 150_000
const TITLE = '.pagefind-ui__result-title > a'

interface Question {
  readonly about: 'errors' | 'tasks' | 'names'
  readonly question: string
  /** Slugs: the first three results have one of them. */
  readonly pages: readonly string[]
}

// A test asks for it by the level `site`, after the site was built.
const QUESTIONS = JSON.parse(readFileSync(path.join(SITE, 'questions.json'), 'utf8')) as Question[]

describe('the site of the documents', function () {
  this.timeout(120_000)

  let server: Listening
  let browser: Browser | undefined

  before(async function () {
    needsChromium(this)
    server = await serveSite(DIST)
    browser = await launchChromium({ port: server.port, domains: [] })
  })

  after(async () => {
    await browser?.close()
    await server?.close()
  })

  it('has a title and a description on every page', () => {
    const pages = htmlFiles()
    expect(pages.length).to.be.greaterThan(300)
    const faults = pages.filter(({ html }) => {
      const [, title = ''] = /<title>([^<]*)<\/title>/.exec(html) ?? []
      const [, description = ''] = /<meta name="description" content="([^"]*)"/.exec(html) ?? []
      return title.trim() === '' || description.trim().length < 20
    })
    expect(faults.map(({ file }) => file)).to.deep.equal([])
  })

  it('loads nothing from another origin', () => {
    const loaded =
      /<(?:script|img|iframe|source|video|audio)\b[^>]*\ssrc="((?:https?:)?\/\/[^"]+)"|<link\b(?![^>]*rel="(?:canonical|alternate)")[^>]*href="((?:https?:)?\/\/[^"]+)"/g
    const faults = htmlFiles().flatMap(({ file, html }) =>
      [...html.matchAll(loaded)].map((match) => `${file}: ${match[1] ?? match[2]}`),
    )
    expect(faults).to.deep.equal([])
  })

  it('gives every page as Markdown, and lists it with a sentence', () => {
    const list = readFileSync(path.join(DIST, BASE, 'llms.txt'), 'utf8')
    const whole = readFileSync(path.join(DIST, BASE, 'llms-full.txt'), 'utf8')
    const listed = [...list.matchAll(/^- \[(.+)\]\(([^)]+\.md)\): (.+)$/gm)]
    const pages = htmlFiles().filter(({ file }) => path.basename(file) !== '404.html')
    expect(listed.length).to.equal(pages.length)
    const faults = listed.filter(([, title = '', address = '', sentence = '']) => {
      const markdown = readFileSync(path.join(DIST, address), 'utf8')
      return (
        !markdown.startsWith(`# ${title}\n`) ||
        !whole.includes(`# ${title}\n`) ||
        sentence.length < 20
      )
    })
    expect(faults.map(([line]) => line)).to.deep.equal([])
  })

  it('leads through five doors, page by page, back to them', async () => {
    const page = await openPage('')
    const doors = await page.$$eval('.door', (found) =>
      found.map((door) =>
        [...door.querySelectorAll('li a')].map((link) => link.getAttribute('href')),
      ),
    )
    await page.close()
    expect(doors).to.have.length(5)
    for (const door of doors) {
      expect(door.length).to.be.within(1, 6)
      const followed = door.map((address) => {
        const html = readFileSync(path.join(DIST, address ?? '', 'index.html'), 'utf8')
        return /<a href="([^"]+)" rel="next"/.exec(html)?.[1]
      })
      expect(followed).to.deep.equal([...door.slice(1), `${BASE}/`])
    }
  })

  it('sends a first page of at most 150 kB', async () => {
    const context = await newContext({ width: 390, height: 844 }, 'light')
    const page = await context.newPage()
    const sizes: Promise<number>[] = []
    page.on('response', (response) => void sizes.push(response.body().then(({ length }) => length)))
    await page.goto(`${origin()}${BASE}/`, { waitUntil: 'load' })
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    await context.close()
    expect(bytes).to.be.within(5_000, FIRST_PAGE_BYTES)
  })

  for (const slug of LOOKED_AT) {
    it(`has no fault of accessibility at /${slug}, light and dark, and fits 320 px`, async () => {
      const faults: string[] = []
      for (const scheme of ['light', 'dark'] as const) {
        const context = await newContext({ width: 1280, height: 900 }, scheme)
        const page = await context.newPage()
        page.on('pageerror', (error) => void faults.push(`error: ${error.message}`))
        page.on('request', (request) => {
          const url = request.url()
          if (!url.startsWith(origin()) && !url.startsWith('data:')) faults.push(`asks ${url}`)
        })
        await page.goto(addressOf(slug), { waitUntil: 'load' })
        faults.push(...(await axeFaults(page)).map((fault) => `${scheme}: ${fault}`))
        if (scheme === 'light') {
          await page.setViewportSize({ width: 320, height: 640 })
          const width = await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)
          if (width > 320) faults.push(`is ${width} px wide`)
        }
        await context.close()
      }
      expect(faults).to.deep.equal([])
    })
  }

  it('finds the page of thirty questions among the first three', async () => {
    for (const kind of ['errors', 'tasks', 'names']) {
      expect(QUESTIONS.filter(({ about }) => about === kind)).to.have.length(10)
    }
    const page = await openPage('')
    await page.getByRole('button', { name: 'Search' }).first().click()
    const field = page.locator('.pagefind-ui__search-input')
    const missed: string[] = []
    for (const { question, pages } of QUESTIONS) {
      await field.fill(question)
      const message = page.locator('.pagefind-ui__message', {
        hasText: new RegExp(`^\\s*\\d+ results? for ${question}\\s*$`),
      })
      await message.waitFor({ timeout: timeBudget(20_000) })
      const count = Number.parseInt((await message.textContent()) ?? '', 10)
      const first: string[] = []
      for (let at = 0; at < Math.min(3, count); at += 1) {
        // Each result is loaded by itself: the page first, then its parts that match.
        const link = page.locator('.pagefind-ui__result').nth(at).locator(TITLE).first()
        const href = await link.getAttribute('href', { timeout: timeBudget(20_000) })
        first.push((href ?? '').replace(/[?#].*$/, ''))
      }
      const wanted = new Set(pages.map((slug) => `${BASE}/${slug}/`))
      if (!first.some((href) => wanted.has(href))) missed.push(`${question}: ${first.join(', ')}`)
    }
    await page.close()
    expect(missed).to.deep.equal([])
  })

  function origin(): string {
    return `http://127.0.0.1:${server.port}`
  }

  function addressOf(slug: string): string {
    return `${origin()}${BASE}/${slug === '' ? '' : `${slug}/`}`
  }

  async function newContext(
    viewport: { width: number; height: number },
    colorScheme: 'light' | 'dark',
  ): Promise<BrowserContext> {
    if (browser === undefined) throw new Error('no browser')
    return browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
  }

  async function openPage(slug: string): Promise<Page> {
    if (browser === undefined) throw new Error('no browser')
    const page = await browser.newPage()
    await page.goto(addressOf(slug), { waitUntil: 'load' })
    return page
  }
})

function htmlFiles(): { readonly file: string; readonly html: string }[] {
  return globSync('**/*.html', { cwd: path.join(DIST, BASE) }).map((file) => ({
    file,
    html: readFileSync(path.join(DIST, BASE, file), 'utf8'),
  }))
}
