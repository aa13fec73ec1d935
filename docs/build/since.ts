import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Document, ROOT } from './document.ts'
import { version } from './routes.ts'

/** By what they belong to, by name: the version that had it first. */
export type Versions = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Things of one kind, and where their versions are kept. */
interface Kind {
  readonly file: string
  /** As docs/reference/public.json calls them. */
  readonly kind: string
}

/** What has names that came with some version. */
interface Owner {
  readonly name: string
  /** The package that they are imported from, or a way into it. */
  readonly module: string
  /** Between this name and those, in docs/reference/public.json. */
  readonly between: string
  readonly names: readonly string[]
}

/** Options by the function that takes them. */
export const OPTIONS: Kind = {
  file: 'docs/reference/options-since.json',
  kind: 'option',
}
/** Events, hooks and listeners by their interface, and types of the websocket. */
export const EVENTS: Kind = {
  file: 'docs/reference/events-since.json',
  kind: 'event',
}

/** The surface as the last release noted it: what stands there is not new. */
const NOTED = 'docs/reference/public.json'
const BUMP = /^'@svc\/[\w-]+': (major|minor|patch)$/gm

/** Since when there is each of `names`. */
export function versionsOf({ file, kind }: Kind, owners: readonly Owner[]): Versions {
  const kept = readJson<Versions>(file) ?? {}
  const noted = readJson<{
    version: string
    surface: Record<string, Record<string, Record<string, string>>>
  }>(NOTED)
  const manifest = version()
  const coming = comingVersion(manifest, changesets())
  return Object.fromEntries(
    owners.map(({ name: owner, module, between, names }) => {
      const known = noted?.surface[module.split('/').slice(0, 2).join('/')]?.[kind] ?? {}
      return [
        owner,
        Object.fromEntries(
          names.map((name) => {
            const before = kept[owner]?.[name]
            const isNoted = Object.hasOwn(known, `${owner}${between}${name}`)
            const first = isNoted ? noted?.version : undefined
            return [name, releasedBy(before, manifest) ?? first ?? coming]
          }),
        ),
      ]
    }),
  )
}

/** The file that keeps them: a version that was released is never changed. */
export function versionsFile({ file }: Kind, versions: Versions): Document {
  return { file, content: `${JSON.stringify(versions, undefined, 2)}\n` }
}

/** The version that changesets make of the one that stands; what is new makes a minor one at least. */
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
