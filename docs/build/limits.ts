import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './document.ts'

const EXPORTED = /\/\*\*\s*((?:(?!\*\/)[\s\S])*?)\s*\*\/\nexport const ([A-Z0-9_]+)/g

/** Every exported duration and count of the packages' `lifetimes.ts`: what it is, how much, its name, its source. */
export async function limitRows(): Promise<string[][]> {
  const files = globSync('packages/*/src/lifetimes.ts', { cwd: ROOT }).toSorted()
  const rows = files.map(async (file) => {
    // A module's namespace object.
    const values = (await import(pathToFileURL(path.join(ROOT, file)).href)) as object
    return rowsOf(file, values as Readonly<Record<string, unknown>>)
  })
  return (await Promise.all(rows)).flat()
}

function rowsOf(file: string, values: Readonly<Record<string, unknown>>): string[][] {
  const source = readFileSync(path.join(ROOT, file), 'utf8')
  return [...source.matchAll(EXPORTED)].flatMap(([, comment = '', name = '']) => {
    const value = values[name]
    if (typeof value !== 'number') return []
    const text = comment.replaceAll(/\n\s*\*\s?/g, ' ')
    const [what = '', see = ''] = text.split('@see')
    const amount = name.endsWith('_MS') ? duration(value) : value.toLocaleString('en')
    return [[sentence(what), amount, `\`${name}\``, see.trim()]]
  })
}

function sentence(text: string): string {
  return text.replace(/@\w+.*$/, '').trim()
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

function duration(ms: number): string {
  for (const [unit, size] of UNITS) {
    if (ms >= size && ms % size === 0) return `${ms / size} ${unit}${ms === size ? '' : 's'}`
  }
  return `${ms} ms`
}
