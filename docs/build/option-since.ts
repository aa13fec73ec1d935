import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Document, ROOT } from './document.ts'
import { version } from './routes.ts'

/** By function, by path: the version that had the option first. */
export type OptionVersions = Readonly<Record<string, Readonly<Record<string, string>>>>

const FILE = 'docs/reference/options-since.json'
/** The surface as the last release noted it: what stands there is not new. */
const NOTED = 'docs/reference/public.json'
const BUMP = /^'@svc\/[\w-]+': (major|minor|patch)$/gm

/** @param paths - of every option, by the function that takes it */
export function optionVersions(
  functions: readonly {
    readonly name: string
    readonly module: string
    readonly paths: readonly string[]
  }[],
): OptionVersions {
  const kept = readJson<OptionVersions>(FILE) ?? {}
  const noted = readJson<{
    version: string
    surface: Record<string, { option?: Record<string, string> }>
  }>(NOTED)
  const manifest = version()
  const coming = comingVersion(manifest, changesets())
  return Object.fromEntries(
    functions.map(({ name, module, paths }) => {
      const options = noted?.surface[module.split('/').slice(0, 2).join('/')]?.option ?? {}
      return [
        name,
        Object.fromEntries(
          paths.map((at) => {
            const before = kept[name]?.[at]
            const isNoted = Object.hasOwn(options, `${name} ${at}`)
            const first = isNoted ? noted?.version : undefined
            return [at, releasedBy(before, manifest) ?? first ?? coming]
          }),
        ),
      ]
    }),
  )
}

/** The file that keeps them: a version that was released is never changed. */
export function optionVersionsFile(versions: OptionVersions): Document {
  return { file: FILE, content: `${JSON.stringify(versions, undefined, 2)}\n` }
}

/** The version that changesets make of the one that stands; a new option makes a minor one at least. */
export function comingVersion(now: string, notes: readonly string[]): string {
  const [major = 0, minor = 0] = now.split('.').map(Number)
  const isMajor = notes.some((note) =>
    [...note.matchAll(BUMP)].some(([, bump]) => bump === 'major'),
  )
  return isMajor ? `${major + 1}.0.0` : `${major}.${minor + 1}.0`
}

/** What is of a version that is not out moves with that version. */
function releasedBy(first: string | undefined, now: string): string | undefined {
  return first !== undefined && compareVersions(first, now) <= 0 ? first : undefined
}

function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true })
}

function changesets(): string[] {
  return globSync('.changeset/*.md', { cwd: ROOT }).map((file) =>
    readFileSync(path.join(ROOT, file), 'utf8'),
  )
}

function readJson<Content>(file: string): Content | undefined {
  const absolute = path.join(ROOT, file)
  // Files of this repository, in the form in which they were written.
  return existsSync(absolute) ? (JSON.parse(readFileSync(absolute, 'utf8')) as Content) : undefined
}
