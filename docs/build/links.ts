import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isMade, ROOT } from './document.ts'

/** A path of the sources in a recipe, such as `packages/notify/src/limits.ts`. */
const CODE_PATH = /`((?:packages|examples)\/[^`*<>… ]+)`/g
const LINK = /\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#([^)\s]+))?\)/g

/** Links of the repository's Markdown files that lead to no file, or to no heading of one. */
export function linkFaults(): string[] {
  const files = globSync('**/*.md', {
    cwd: ROOT,
    exclude: isMade,
  })
  return files.flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(LINK)].flatMap(
      ([, target = '', heading]) => {
        const absolute = path.resolve(ROOT, path.dirname(file), target)
        if (!existsSync(absolute)) return [`${file}: ${target} does not exist`]
        if (heading === undefined || headings(absolute).includes(heading)) return []
        return [`${file}: ${target} has no heading #${heading}`]
      },
    ),
  )
}

/** Paths in recipes that lead to nothing any more. */
export function recipeFaults(): string[] {
  return globSync('docs/recipes/*.md', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(CODE_PATH)]
      .filter(([, target = '']) => !existsSync(path.join(ROOT, target)))
      .map(([, target]) => `${file}: ${target} does not exist`),
  )
}

function headings(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
