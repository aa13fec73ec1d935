import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Document, GENERATED, ROOT, table } from './document.ts'
import { GLOSSARY_CODES } from './glossary-codes.ts'
import type { RouteGroup } from './routes.ts'

const FILE = 'docs/glossary.md'
const PART = /<!-- codes -->\n[\s\S]*?<!-- \/codes -->/
const ROW = /^(?:GET|POST|PUT|PATCH|DELETE) \//
/** Pages whose words are somebody else's: the specification, the contract, decisions, and what is made from the code. */
const NOT_READ =
  /^docs\/(?:spec|contract|decisions|reference|site|build)\/|^docs\/(?:glossary|data-model)\.md$/

/** The glossary with the table of codes, whose lives are those of `lifetimes.ts` and whose rows are in the interface. */
export function glossary(): Document {
  const rows = GLOSSARY_CODES.map(({ name, wire, form, life, goodFor, makes, takes }) => [
    name,
    wire,
    form,
    life,
    goodFor,
    makes.map(rowLink).join(', '),
    takes.map(rowLink).join(', '),
  ])
  const head = ['Code', 'Wire name', 'Form', 'Life', 'Good for', 'Made by', 'Taken by']
  const part = `<!-- codes -->\n${GENERATED}\n\n${table(head, rows)}<!-- /codes -->`
  const page = readFileSync(path.join(ROOT, FILE), 'utf8')
  return { file: FILE, content: page.replace(PART, () => part) }
}

function rowLink(row: string): string {
  if (!ROW.test(row)) return row
  const anchor = row
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
  return `[\`${row}\`](http-api.md#${anchor})`
}

/** Rows that the interface does not have, and pages whose first use of a code does not lead to the glossary. */
export function glossaryFaults(groups: readonly RouteGroup[]): string[] {
  const known = new Set(
    groups.flatMap(({ rows }) => rows.map(({ method, path: at }) => `${method} ${at}`)),
  )
  const rows = GLOSSARY_CODES.flatMap(({ name, makes, takes }) =>
    [...makes, ...takes]
      .filter((row) => ROW.test(row) && !known.has(row))
      .map((row) => `${FILE}: ${name}: there is no row ${row}`),
  )
  return [...rows, ...globSync('docs/**/*.md', { cwd: ROOT }).flatMap(pageFaults)]
}

function pageFaults(file: string): string[] {
  if (NOT_READ.test(file) || !existsSync(path.join(ROOT, file))) return []
  const page = readFileSync(path.join(ROOT, file), 'utf8')
  return page.includes(GENERATED) ? [] : firstUseFaults(file, page)
}

/** @param page - the Markdown of a page that is written by hand */
export function firstUseFaults(file: string, page: string): string[] {
  const prose = proseOf(page)
  return GLOSSARY_CODES.flatMap(({ name }) => {
    const first = new RegExp(
      `(\\[?)\\b${name.replace(' ', '\\s+')}s?\\b(?:\\]\\(([^)]*)\\))?`,
      'i',
    ).exec(prose)
    if (first === null) return []
    const [, , target = ''] = first
    return target.endsWith('glossary.md#codes')
      ? []
      : [`${file}: the first "${name}" is no link to glossary.md#codes`]
  })
}

/** What is read as sentences: without code, quotations, headings, comments, and the words of links that lead elsewhere. */
export function proseOf(page: string): string {
  const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ')
  return page
    .replaceAll(/^```[\s\S]*?^```/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/^#.*$/gm, blank)
    .replaceAll(/`[^`\n]*`|"[^"\n]*"/g, blank)
    .replaceAll(/\[[^\]]*\]\((?![^)]*glossary\.md#codes)[^)]*\)/g, blank)
}
