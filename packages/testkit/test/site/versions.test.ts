import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { minorOf, minorsOf, versionOf } from '../../../../docs/site/build/version.ts'
import { launchChromium, type Listening, needsChromium, timeBudget } from '../../src/index.ts'
import { serveSite } from './serve-site.ts'
import { SmallRepository } from './small-repository.ts'

describe('which versions have a site', () => {
  it('is none without a release', () => {
    expect(minorsOf([])).to.deep.equal([])
    expect(minorsOf(['nightly', 'v1', 'v0.1.0-rc.1', '0.1.0', ''])).to.deep.equal([])
  })

  it('is the newest tag of each of the last three minor versions', () => {
    const tags = ['v0.1.0', 'v0.2.0', 'v0.2.1', 'v0.3.0', 'v0.4.0', 'v0.4.1-rc.1']
    expect(minorsOf(tags)).to.deep.equal([
      { name: 'v0.4', tag: 'v0.4.0' },
      { name: 'v0.3', tag: 'v0.3.0' },
      { name: 'v0.2', tag: 'v0.2.1' },
    ])
    expect(minorsOf(tags.toReversed())).to.deep.equal(minorsOf(tags))
  })

  it('goes by numbers, not by letters', () => {
    const tags = ['v0.9.9', 'v0.9.10', 'v0.10.0', 'v1.0.0', 'v0.2.0']
    expect(minorsOf(tags).map(({ tag }) => tag)).to.deep.equal(['v1.0.0', 'v0.10.0', 'v0.9.10'])
  })

  it('has no place for other names', () => {
    expect(minorOf('v0.4.2')).to.equal('v0.4')
    expect(() => minorOf('v0.4')).to.throw(TypeError, 'v0.4')
    expect(versionOf('latest').state).to.equal('latest')
    for (const name of ['', '../next', 'v0.4.2', 'main']) {
      expect(() => versionOf(name), name).to.throw(TypeError)
    }
  })
})

const VERSIONS = ['latest', 'next', 'v0.1', 'v0.2']

describe('the sites of all versions, of a small repository', function () {
  this.timeout(timeBudget(300_000))

  let repository: SmallRepository
  let dist: string
  let server: Listening
  let browser: Browser | undefined

  before(async function () {
    needsChromium(this)
    repository = new SmallRepository(mkdtempSync(path.join(tmpdir(), 'svc-versions-')))
    dist = path.join(repository.folder, 'docs/site/dist')
    repository.writePages(['docs/gone'])
    repository.release('v0.1.0')
    repository.remove('docs/gone.md')
    repository.release('v0.2.0')
    repository.writePages(['docs/added'])
    repository.release('v0.2.1', 'v0.3.0-rc.1', 'nightly')
    repository.writePages(['docs/unreleased'])
    repository.build('--all')
    server = await serveSite(dist)
    browser = await launchChromium({ port: server.port, domains: [] })
  })

  after(async () => {
    await browser?.close()
    await server?.close()
    rmSync(repository.folder, { recursive: true, force: true })
  })

  it('are a folder for each minor version, one for the latest and one for what comes next', () => {
    const made = ['index.html', 'latest', 'next', 'v0.1', 'v0.2']
    expect(readdirSync(dist).toSorted()).to.deep.equal(made)
    expect(slugsOf('latest')).to.deep.equal(slugsOf('v0.2'))
    expect(slugsOf('latest')).to.include('added').and.not.to.include('gone')
    expect(slugsOf('next')).to.include('unreleased')
    expect(slugsOf('v0.1')).to.include('gone').and.not.to.include('added')
  })

  it('begin with the latest one', async () => {
    const page = await browser?.newPage()
    await page?.goto(`http://127.0.0.1:${server.port}/`)
    await page?.waitForURL(`http://127.0.0.1:${server.port}/latest/`)
    await page?.close()
    expect(pageOf('', '')).to.include('<a href="/latest/">')
  })

  it('say on each page what they are, and where the same page of the latest version is', () => {
    for (const name of ['latest', 'v0.2']) {
      expect(slugsOf(name).filter((slug) => successorOf(name, slug) !== undefined)).to.be.empty
      expect(pageOf(name, 'owners')).not.to.include('main branch').and.not.to.include('This is v')
    }
    for (const name of ['v0.1', 'next']) {
      const said =
        name === 'next' ? 'This is the main branch, which is not released yet' : 'This is v0.1.'
      for (const slug of slugsOf(name)) {
        const isGone = ['gone', 'unreleased'].includes(slug)
        const target = slug === '' || isGone ? '/latest/' : `/latest/${slug}/`
        expect(successorOf(name, slug), `${name}/${slug}`).to.equal(target)
        expect(pageOf(name, slug), `${name}/${slug}`).to.include(said)
      }
    }
  })

  it('lead to nothing that is not there, and from one to another by what they say alone', () => {
    const faults = VERSIONS.flatMap((name) =>
      globSync('**/*.html', { cwd: path.join(dist, name) }).flatMap((file) => {
        const html = readFileSync(path.join(dist, name, file), 'utf8')
        const banner = successorOf(name, path.dirname(file).replace(/^\.$/, ''))
        return [...html.matchAll(/\s(?:href|src)="(\/[^"#?]*)/g)]
          .map(([, address = '']) => address)
          .filter((address) => address !== banner)
          .filter((address) => !address.startsWith(`/${name}/`) || !isServed(address))
          .map((address) => `${name}/${file}: ${address}`)
      }),
    )
    expect(faults).to.deep.equal([])
  })

  it('are searched each by itself', async () => {
    expect(await found('v0.1', 'gone')).to.equal('/v0.1/gone/')
    expect(await found('next', 'unreleased')).to.equal('/next/unreleased/')
    expect(await found('latest', 'added')).to.equal('/latest/added/')
  })

  it('are not built when an export has no use, or an example does not compile', () => {
    repository.write(
      'packages/wipe/dist/index.d.ts',
      '/**\n * Wipes a text.\n * @example\n * wipe(1)\n */\nexport declare function wipe(text: string): void;\n/** Nobody knows why. */\nexport declare const LOST: string;\n',
    )
    const said = [
      '@svc/wipe LOST has no example, and nothing shows its use',
      '@svc/wipe wipe, example of wipe:1 does not compile: ',
    ]
    let printed = ''
    try {
      repository.build()
    } catch (error) {
      // execFileSync's errors carry what the command printed.
      printed = (error as { stderr: string }).stderr
    }
    for (const fault of said) expect(printed).to.include(fault)
  })

  function slugsOf(name: string): string[] {
    return globSync('**/index.html', { cwd: path.join(dist, name) })
      .map((file) => path.dirname(file).replace(/^\.$/, ''))
      .toSorted()
  }

  function pageOf(name: string, slug: string): string {
    return readFileSync(path.join(dist, name, slug, 'index.html'), 'utf8')
  }

  /** Where a page says that its successor is. */
  function successorOf(name: string, slug: string): string | undefined {
    return /<a href="([^"]+)">The (?:same page|latest version)/.exec(pageOf(name, slug))?.[1]
  }

  function isServed(address: string): boolean {
    const file = path.join(dist, address, address.endsWith('/') ? 'index.html' : '')
    return globSync(file).length === 1
  }

  /** The first page that the search of a version finds. */
  async function found(name: string, words: string): Promise<string | null> {
    if (browser === undefined) throw new Error('no browser')
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${server.port}/${name}/`, { waitUntil: 'load' })
    await page.getByRole('button', { name: 'Search' }).first().click()
    await page.locator('.pagefind-ui__search-input').fill(words)
    const link = page.locator('.pagefind-ui__result-title > a').first()
    const href = await link.getAttribute('href', { timeout: timeBudget(20_000) })
    await page.close()
    return href
  }
})
