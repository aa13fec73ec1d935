import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type PublicManifest, publicPackages } from '../../packages/testkit/src/packed-packages.ts'

/** Of npm and of Node, the first that publish with a trusted publisher. */
const NPM = '11.5.1'
const NODE = '22.14.0'
/** Where CI keeps what may publish for as long as nobody takes it back. */
const TOKENS = ['NODE_AUTH_TOKEN', 'NPM_TOKEN']
/** What a forge gives to a run that may prove which workflow of which repository it is: GitHub, and the others. */
const PROOFS = ['ACTIONS_ID_TOKEN_REQUEST_URL', 'NPM_ID_TOKEN']

/** What a release looks at before it begins. */
export interface Place {
  /** Files that are not as committed, or not known to git. */
  readonly changed: readonly string[]
  /** Of the commit. */
  readonly tags: readonly string[]
  readonly packages: readonly PublicManifest[]
  /** Names that `.changeset/config.json` keeps at one version. */
  readonly fixed: readonly string[]
  /** Changesets that wait to be part of a version. */
  readonly changesets: readonly string[]
  /** Whether the registry has a version of the packages, as the root manifest says. */
  readonly published: boolean
  readonly npm: string
  readonly node: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

export function readPlace(root: string): Place {
  const read = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'))
  const git = (...args: string[]): string[] => lines('git', args, root)
  // Files of this repository.
  const { fixed } = read('.changeset/config.json') as { readonly fixed: readonly string[][] }
  const { published } = read('package.json') as { readonly published?: boolean }
  return {
    changed: git('status', '--porcelain').map((line) => line.slice(3)),
    tags: git('tag', '--points-at', 'HEAD'),
    packages: publicPackages(root),
    fixed: fixed.flat(),
    changesets: globSync('.changeset/*.md', { cwd: root }).toSorted(),
    published: published !== false,
    npm: lines('npm', ['--version'], root)[0] ?? '0',
    node: process.versions.node,
    environment: process.env,
  }
}

/** A sentence for each thing that a release is refused for here; each says what to do. */
export function placeFaults(place: Place): string[] {
  const { changed, changesets, environment, fixed, node, npm, packages, published, tags } = place
  const versions = [...new Set(packages.map(({ version }) => version))]
  const tag = `v${versions[0]}`
  const token = TOKENS.find((name) => (environment[name] ?? '') !== '')
  const loose = packages.filter(({ name }) => !fixed.includes(name)).map(({ name }) => name)
  const homeless = packages.filter(({ repository }) => repository === undefined)
  return [
    ...when(changed.length > 0, `The tree is not clean: ${some(changed)}. Commit or remove that.`),
    ...when(
      loose.length > 0,
      `.changeset/config.json does not keep ${some(loose)} at the version of the others: add it to "fixed".`,
    ),
    ...when(
      versions.length > 1,
      `The packages have the versions ${versions.join(' and ')}: run \`npx changeset version\`.`,
    ),
    ...when(
      changesets.length > 0,
      `${changesets.length} changesets wait, such as ${changesets[0]}: run \`npx changeset version\` first.`,
    ),
    ...when(
      !tags.includes(tag),
      `The commit has ${tags.length === 0 ? 'no tag' : `the tag ${tags.join(', ')}`}, and the packages are of ${tag}: run \`git tag ${tag}\` on the commit that has the version.`,
    ),
    ...when(
      isOlder(npm, NPM),
      `npm ${npm} is too old for trusted publishing, which needs ${NPM}: run \`npm install --global npm\`.`,
    ),
    ...when(
      isOlder(node, NODE),
      `Node ${node} is too old for trusted publishing, which needs ${NODE}: install the dependencies of this repository, which bring one.`,
    ),
    ...when(
      !published,
      'Nothing was published yet, says "published" in package.json: a person publishes the first version, as docs/recipes/release.md has it.',
    ),
    ...when(
      homeless.length > 0,
      `${some(homeless.map(({ name }) => name))}: the manifest has no "repository", which the provenance is held against.`,
    ),
    ...when(
      token !== undefined,
      `${token} is set, and a release takes no token that lasts: remove it from the forge and from the registry.`,
    ),
    ...when(
      PROOFS.every((name) => (environment[name] ?? '') === ''),
      'Nothing here proves to the registry which workflow this is: run it in one of docs/recipes/release.md.',
    ),
  ]
}

function when(holds: boolean, sentence: string): string[] {
  return holds ? [sentence] : []
}

/** The first few of a list. */
function some(items: readonly string[]): string {
  const rest = items.length - 3
  return [...items.slice(0, 3), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

function isOlder(version: string, wanted: string): boolean {
  return version.localeCompare(wanted, 'en', { numeric: true }) < 0
}

function lines(command: string, args: readonly string[], cwd: string): string[] {
  const text = execFileSync(command, args, { cwd, encoding: 'utf8' })
  return text.split('\n').filter((line) => line !== '')
}
