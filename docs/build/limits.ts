import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './document.ts'
import { durationText } from './durations.ts'

const CONSTANT = /\/\*\*\s*((?:(?!\*\/)[\s\S])*?)\s*\*\/\nexport const (\w+)/g
const MEMBER = /\/\*\*\s*((?:(?!\*\/)[\s\S])*?)\s*\*\/\n\s+readonly (\w+)\??: number/g

/** Every duration of the packages' `lifetimes.ts`: what it is, how long, its name, its source. */
export async function lifetimeRows(): Promise<string[][]> {
  const files = globSync('packages/*/src/lifetimes.ts', { cwd: ROOT }).toSorted()
  return (await Promise.all(files.map(durations))).flat()
}

/** Every rate bucket of the packages: its name, how often. */
export async function bucketRows(): Promise<string[][]> {
  const folders = globSync('packages/*', { cwd: ROOT }).toSorted()
  const groups = folders.map(async (folder) => {
    const index = path.join(ROOT, folder, 'src/index.ts')
    if (!existsSync(index)) return []
    const limits = (await load(index))['DEFAULT_LIMITS'] ?? {}
    return Object.entries(limits).flatMap(([name, bucket]: [string, unknown]) =>
      isBucket(bucket)
        ? [[`\`${name}\``, `${bucket.limit} in ${durationText(bucket.windowMs)}`]]
        : [],
    )
  })
  return (await Promise.all(groups)).flat()
}

interface Bucket {
  readonly limit: number
  readonly windowMs: number
}

function isBucket(value: unknown): value is Bucket {
  return typeof value === 'object' && value !== null && 'limit' in value && 'windowMs' in value
}

async function durations(file: string): Promise<string[][]> {
  const source = readFileSync(path.join(ROOT, file), 'utf8')
  const values = await load(path.join(ROOT, file))
  const constants = rows(source.matchAll(CONSTANT), values)
  // Where the options name every duration, they are documented there.
  const defaults = values['DEFAULT_LIFETIMES'] as Readonly<Record<string, unknown>> | undefined
  return constants.length > 0 ? constants : rows(source.matchAll(MEMBER), defaults ?? {})
}

function rows(
  documented: Iterable<RegExpExecArray>,
  values: Readonly<Record<string, unknown>>,
): string[][] {
  return [...documented].flatMap(([, comment = '', name = '']) => {
    const value = values[name]
    if (typeof value !== 'number') return []
    const text = comment.replaceAll(/\n\s*\*\s?/g, ' ')
    const what = text.replace(/@\w+.*$/, '').trim()
    const see = /@see (.*)$/.exec(text)?.[1] ?? /@defaultValue [^,]*, (.*)$/.exec(text)?.[1]
    return [[what, durationText(value), `\`${name}\``, see?.trim() ?? '']]
  })
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  // A module's namespace object.
  return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>
}
