import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Leads } from './api-guides.ts'
import { titleOf } from './markdown.ts'
import { hrefOf, publicPath, slugOf } from './pages.ts'
import { type Code, isQuoted, type Named, namesIn, readBlocks, readPrograms } from './uses.ts'

/** What the documents and examples show of the packages. */
export interface Shown extends Leads {
  /** Blocks of pages that no example has, so that nothing else compiles them. */
  readonly blocks: readonly Code[]
  /** Examples that a reader was sent to, from the root; the site serves them. */
  readonly linked: ReadonlySet<string>
}

/** @param base - path of the site, such as `/next` */
export function readShown(root: string, base: string): Shown {
  const blocks = readBlocks(root)
  const programs = readPrograms(root)
  const linked = new Set<string>()
  const pages = filesByName(blocks)
  const examples = filesByName(programs)

  function pageOf(file: string): string | undefined {
    const absolute = path.join(root, file)
    if (!existsSync(absolute)) return undefined
    return `[${titleOf(readFileSync(absolute, 'utf8')) ?? file}](${hrefOf(base, slugOf(file))})`
  }

  return {
    blocks: blocks.filter((block) => !isQuoted(block, programs)),
    linked,
    pageOf,
    usesOf: (named) => {
      const shown = pages.get(keyOf(named))
      if (shown !== undefined) return [...shown].flatMap((file) => pageOf(file) ?? [])
      // One of them is enough to see how.
      return [...(examples.get(keyOf(named)) ?? [])].slice(0, 1).map((file) => {
        linked.add(file)
        return `[\`${file}\`](${base}/${publicPath(file)})`
      })
    },
  }
}

/** The files that use each name of a module. */
function filesByName(codes: readonly Code[]): ReadonlyMap<string, ReadonlySet<string>> {
  const files = new Map<string, Set<string>>()
  for (const code of codes) {
    for (const key of namesIn(code).map(keyOf)) {
      files.set(key, (files.get(key) ?? new Set()).add(code.file))
    }
  }
  return files
}

function keyOf({ module, name }: Named): string {
  return `${module} ${name}`
}
