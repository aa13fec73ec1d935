import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const ROOT: string = path.resolve(import.meta.dirname, '../..')

/** A generated file of the repository. */
export interface Document {
  /** From the root. */
  readonly file: string
  readonly content: string
}

/** Said at the top of every generated Markdown file. */
export const GENERATED = '<!-- Written by `pnpm run docs` from the code; changes here are lost. -->'

/** Writes what differs; gives the files that did. */
export function writeDocuments(documents: readonly Document[]): string[] {
  const stale = staleDocuments(documents)
  for (const { file, content } of documents) {
    if (stale.includes(file)) writeFileSync(path.join(ROOT, file), content)
  }
  return stale
}

/** Files that are not what would be written now. */
export function staleDocuments(documents: readonly Document[]): string[] {
  return documents
    .filter(({ file, content }) => {
      const absolute = path.join(ROOT, file)
      return !existsSync(absolute) || readFileSync(absolute, 'utf8') !== content
    })
    .map(({ file }) => file)
}

/** Folders whose files are made, not written: for the `exclude` of a search, which gives a name or a path. */
export function isMade(folder: string): boolean {
  return ['node_modules', 'dist', '.generated', 'content'].includes(path.basename(folder))
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |\n`
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
}
