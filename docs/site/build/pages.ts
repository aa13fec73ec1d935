import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { bodyOf, descriptionOf, titleOf, withLinks } from './markdown.ts'

/** A page of the site, from one Markdown file of the repository. */
export interface Page {
  /** From the root of the repository. */
  readonly file: string
  /** Path below the base, without slashes at its ends; empty for the first page. */
  readonly slug: string
  readonly title: string
  readonly description: string
  /** Markdown below the title; links lead where the site has things. */
  readonly body: string
}

/** All of the site that comes from Markdown. */
export interface Pages {
  readonly pages: readonly Page[]
  /** Files that pages link to and that are no pages, from the root; served as they are. */
  readonly linked: ReadonlySet<string>
  /** What is wrong: pages without title or description. */
  readonly faults: readonly string[]
}

/** Beside what is in `docs/`. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'README.md': 'overview',
  'CHANGELOG.md': 'changelog',
  'SECURITY.md': 'security',
}
/** Served where a program looks for them. */
const DATA: Readonly<Record<string, string>> = {
  'docs/openapi.json': 'openapi.json',
  'docs/admin-openapi.json': 'admin-openapi.json',
}

const NAMED_FILE = /\[`?[\w./-]+\.md`?\]\(([^)\s]+)\)/g

/**
 * Every page, its links rewritten.
 * @param root - of the repository that the site is of
 * @param base - path of the site, such as `/next`
 */
export function readPages(root: string, base: string): Pages {
  const slugs = new Map(markdownFiles(root).map((file) => [file, slugOf(file)]))
  const linked = new Set<string>()
  const faults: string[] = []
  const pages = [...slugs].map(([file, slug]) => {
    const markdown = readFileSync(path.join(root, file), 'utf8')
    const title = titleOf(markdown)
    const first = descriptionOf(markdown)
    const description = isGroupOfChecks(slug) ? `What the contract checks: ${first}` : first
    if (title === undefined) faults.push(`${file} has no title`)
    if (description === undefined || description.length < 20) {
      faults.push(`${file} does not begin with a sentence that says what it is`)
    }
    const body = withLinks(withTitles(bodyOf(markdown), file), (target, anchor) =>
      target === '' ? anchor : lead(path.join(path.dirname(file), target), anchor),
    )
    return { file, slug, title: title ?? file, description: description ?? '', body }
  })
  return { pages, linked, faults }

  /** A link that names a file says in the site what the page is called. */
  function withTitles(markdown: string, file: string): string {
    return markdown.replaceAll(NAMED_FILE, (all: string, link: string) => {
      const target = path.join(path.dirname(file), link.replace(/#.*$/, ''))
      const title = slugs.has(target)
        ? titleOf(readFileSync(path.join(root, target), 'utf8'))
        : undefined
      return title === undefined ? all : `[${title}](${link})`
    })
  }

  function lead(target: string, anchor: string): string | undefined {
    const clean = target.replace(/\/$/, '')
    const slug = slugs.get(clean) ?? slugs.get(path.join(clean, 'README.md'))
    if (slug !== undefined) return hrefOf(base, slug) + anchor
    const absolute = path.join(root, clean)
    if (!existsSync(absolute) || statSync(absolute).isDirectory()) return undefined
    linked.add(clean)
    return `${base}/${publicPath(clean)}`
  }
}

/** Address of a page. */
export function hrefOf(base: string, slug: string): string {
  return slug === '' ? `${base}/` : `${base}/${slug}/`
}

/** Where a linked file is served. Sources are texts, which a browser shows; pictures keep their type. */
export function publicPath(file: string): string {
  const end = file.endsWith('.png') ? '' : '.txt'
  return DATA[file] ?? `files/${file.replaceAll(/(^|\/)\./g, '$1_')}${end}`
}

/** Reports on declarations are for reviews: the reference of the packages has pages of its own. */
const NO_PAGE = /node_modules|^packages\/testkit\/|\.api\.md$/

function markdownFiles(root: string): string[] {
  return [
    ...Object.keys(OUTSIDE).filter((file) => existsSync(path.join(root, file))),
    ...globSync(
      ['docs/*.md', 'docs/!(site|build)/**/*.md', 'packages/*/README.md', 'examples/*/README.md'],
      { cwd: root },
    ).filter((file) => !NO_PAGE.test(file)),
  ].toSorted()
}

/** Pages of the contract begin with their first check. */
function isGroupOfChecks(slug: string): boolean {
  return slug.startsWith('contract/')
}

/** Path of the page of a Markdown file, below the base. */
export function slugOf(file: string): string {
  const outside = OUTSIDE[file]
  if (outside !== undefined) return outside
  return file
    .replace(/^docs\//, '')
    .replace(/(?:^|\/)README\.md$/, '')
    .replace(/\.md$/, '')
    .toLowerCase()
}
