import { readFileSync } from 'node:fs'
import path from 'node:path'

/** A way into the documents, for one kind of reader. */
export interface Door {
  /** What the reader says of themself, such as `I run it`. */
  readonly title: string
  /** What they find. */
  readonly about: string
  /** Files from the root, in the order that they are read. */
  readonly files: readonly string[]
}

const FILE = 'docs/README.md'
const MOST_PAGES = 6

/** The doors, as the documents' own first page lists them: a heading each, a sentence, and pages in order. */
export function readDoors(root: string): readonly Door[] {
  const markdown = readFileSync(path.join(root, FILE), 'utf8')
  const [, part = ''] = /^## Where to start$([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(markdown) ?? []
  return part
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n')
      const links = [...section.matchAll(/^\d+\. \[[^\]]+\]\(([^)#]+)\)/gm)]
      return {
        title: title.trim(),
        about: lines.find((line) => /^\w/.test(line) && !/^\d+\. /.test(line)) ?? '',
        files: links.map(([, target = '']) => {
          const file = path.join(path.dirname(FILE), target).replace(/\/$/, '')
          return file.endsWith('.md') ? file : path.join(file, 'README.md')
        }),
      }
    })
}

/** What is wrong with the doors. */
export function doorFaults(doors: readonly Door[], files: ReadonlySet<string>): string[] {
  const seen = new Set<string>()
  const faults = doors.length === 5 ? [] : [`${FILE} has ${doors.length} doors, not 5`]
  for (const { title, about, files: path } of doors) {
    if (about === '') faults.push(`${FILE}: "${title}" does not say what is behind it`)
    if (path.length === 0 || path.length > MOST_PAGES) {
      faults.push(`${FILE}: "${title}" has ${path.length} pages; 1 to ${MOST_PAGES} make a path`)
    }
    for (const file of path) {
      if (!files.has(file)) faults.push(`${FILE}: ${file} is no page`)
      if (seen.has(file)) faults.push(`${FILE}: ${file} is on two paths`)
      seen.add(file)
    }
  }
  return faults
}
