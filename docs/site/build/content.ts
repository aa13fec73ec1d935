import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Door, doorFaults, readDoors } from './doors.ts'
import { hrefOf, type Page, type Pages, publicPath, readPages } from './pages.ts'
import { type SidebarItem, sidebarOf } from './sidebar.ts'
import type { Version } from './version.ts'

const SITE = path.resolve(import.meta.dirname, '..')
const CONTENT = path.join(SITE, 'src/content/docs')
const PUBLIC = path.join(SITE, '.generated/public')

/** What the configuration of the site reads. */
export interface SiteData {
  readonly version: Omit<Version, 'successors'>
  readonly sidebar: readonly SidebarItem[]
  /** Slugs of the pages behind the doors: the search has them first. */
  readonly first: readonly string[]
}

/**
 * Writes what the site is built from, out of the Markdown of a repository: pages with front matter, the same pages as
 * Markdown beside them, the lists for programs that read, and the files that pages link to.
 * @param root - of the repository that the site is of
 * @param written - what other tools made, such as the reference of the packages' exports: pages, and files that they link to
 * @returns what is wrong with the pages; nothing of it stops the writing
 */
export function writeContent(
  root: string,
  version: Version,
  written: Omit<Pages, 'faults'>,
): string[] {
  for (const folder of [CONTENT, PUBLIC]) rmSync(folder, { recursive: true, force: true })
  const { pages: own, linked, faults } = readPages(root, version.base)
  const pages = [...own, ...written.pages]
  const doors = readDoors(root)
  const next = nextPages(doors, pages, version.base)
  for (const page of pages) {
    put(
      path.join(CONTENT, `${page.slug || 'index'}.md`),
      markdownPage(page, doors, pages, version, next),
    )
    put(path.join(PUBLIC, `${page.slug || 'index'}.md`), `# ${page.title}\n\n${page.body}`)
  }
  for (const file of new Set([...linked, ...written.linked])) {
    put(path.join(PUBLIC, publicPath(file)), readFileSync(path.join(root, file)))
  }
  cpSync(path.join(SITE, 'static'), PUBLIC, { recursive: true })
  put(path.join(PUBLIC, 'llms.txt'), listFor(pages, version))
  put(path.join(PUBLIC, 'llms-full.txt'), wholeOf(pages))
  const behindDoors = new Set(doors.flatMap(({ files }) => files))
  const first = pages.filter(({ file }) => behindDoors.has(file)).map(({ slug }) => slug)
  const { name, base, state } = version
  const data: SiteData = { version: { name, base, state }, sidebar: sidebarOf(doors, pages), first }
  put(path.join(SITE, '.generated/site.json'), JSON.stringify(data, undefined, 2))
  return [...faults, ...doorFaults(doors, new Set(own.map(({ file }) => file)))]
}

function put(file: string, text: string | Buffer): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Where each page of a path leads on to. The last one leads back to the doors. */
function nextPages(
  doors: readonly Door[],
  pages: readonly Page[],
  base: string,
): ReadonlyMap<string, { link: string; label: string }> {
  const byFile = new Map(pages.map((page) => [page.file, page]))
  return new Map(
    doors.flatMap(({ files }) =>
      files.map((file, at) => {
        const page = byFile.get(files[at + 1] ?? '')
        const label = page?.title ?? 'Where to start'
        return [file, { link: hrefOf(base, page?.slug ?? ''), label }] as const
      }),
    ),
  )
}

function markdownPage(
  page: Page,
  doors: readonly Door[],
  pages: readonly Page[],
  version: Version,
  next: ReadonlyMap<string, { link: string; label: string }>,
): string {
  const isFirst = page.slug === ''
  const front: Record<string, unknown> = {
    title: isFirst ? 'Svc' : page.title,
    description: page.description,
    ...(isFirst && { template: 'splash', hero: hero(version.base) }),
    ...(version.state !== 'latest' && { banner: { content: bannerOf(version, page) } }),
    ...(next.has(page.file) && { next: next.get(page.file) }),
    // Headings of long references would be a second page beside the page.
    ...(/^(?:http-api|reference\/|contract\/|spec\/decisions)/.test(page.slug) && {
      tableOfContents: { maxHeadingLevel: page.slug.startsWith('reference/api/') ? 3 : 2 },
    }),
  }
  const lines = Object.entries(front).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const body = isFirst ? firstPage(doors, pages, version.base) : page.body
  return `---\n${lines.join('\n')}\n---\n\n${body}`
}

function hero(base: string): object {
  return {
    title: 'Login, consent and notifications for personal-data servers',
    tagline:
      'TypeScript packages that add login, OAuth with consent, notifications and connected accounts to a Node server that holds one person’s mail, photos, health or money.',
    actions: [
      { text: 'Take the tour', link: hrefOf(base, 'tour'), icon: 'right-arrow' },
      { text: 'Embed it', link: hrefOf(base, 'embedding'), variant: 'minimal' },
    ],
  }
}

/** Said at the top of each page that is not of the version to use. */
function bannerOf({ name, state, successors }: Version, { slug }: Page): string {
  const said =
    state === 'next' ? 'This is the main branch, which is not released yet.' : `This is ${name}.`
  if (successors === undefined) return said
  const [target, text] = successors.has(slug)
    ? [slug, 'The same page of the latest version']
    : ['', 'The latest version, which has no such page']
  return `${said} <a href="${hrefOf('/latest', target)}">${text}</a>`
}

/** The doors as cards; each opens its path at the first page. */
function firstPage(doors: readonly Door[], pages: readonly Page[], base: string): string {
  const byFile = new Map(pages.map((page) => [page.file, page]))
  const cards = doors.map(({ title, about, files }) => {
    const path = files.flatMap((file) => byFile.get(file) ?? [])
    const [first] = path
    const items = path.map(
      ({ slug, title: name }) => `<li><a href="${hrefOf(base, slug)}">${escaped(name)}</a></li>`,
    )
    return `<section class="door">
<h2><a href="${hrefOf(base, first?.slug ?? '')}">${escaped(title)}</a></h2>
<p>${escaped(about)}</p>
<ol>
${items.join('\n')}
</ol>
</section>`
  })
  return `<div class="doors">\n${cards.join('\n')}\n</div>\n`
}

/** The form of llmstxt.org: a heading, a quoted sentence, and links with one sentence each. */
function listFor(pages: readonly Page[], { base }: Version): string {
  const line = ({ slug, title, description }: Page): string =>
    `- [${title}](${base}/${slug || 'index'}.md): ${description}\n`
  const isDecision = ({ slug }: Page): boolean => slug.startsWith('decisions/')
  const [decisions, others] = [pages.filter(isDecision), pages.filter((page) => !isDecision(page))]
  return `# Svc

> Authentication, OAuth and notifications for personal-data servers, as packages for Node.

The whole in one file: [llms-full.txt](${base}/llms-full.txt). Every page is Markdown at its own address with .md.

## Pages

${others.map(line).join('')}
## Optional

${decisions.map(line).join('')}`
}

function wholeOf(pages: readonly Page[]): string {
  return pages.map(({ title, body }) => `# ${title}\n\n${body.trim()}\n`).join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
