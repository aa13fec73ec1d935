import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './document.ts'

const PNPM = 'pnpm@12.21.0'
/** No package needs a script to run; npm would warn about two optional ones. */
const NPM = 'npm install --ignore-scripts'
/** What the program of docs/embedding.md imports. */
const EMBEDDED = ['auth-ui', 'connectors', 'notify', 'oauth-core', 'realtime', 'store']
const TYPES = '@types/koa @types/node typescript'

interface Manifest {
  readonly name: string
  readonly published?: boolean
  readonly engines: { readonly node: string }
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Which Node is needed, from `engines`. */
export function nodeSentence(): string {
  const range = readManifest('.').engines.node
  const [, older, line, newer] = /^>=(\S+) <(\d+) \|\| >=(\S+)$/.exec(range) ?? []
  if (older === undefined || line === undefined || newer === undefined) {
    throw new Error(`no words for the engines "${range}"`)
  }
  return `Node ${older} or newer of line ${Number(line) - 1}, or ${newer} or newer.`
}

/**
 * How to install a package, or those of docs/embedding.md: with npm and with pnpm.
 * @param folder - of the package
 */
export function installBlock(folder?: string): string {
  const isPublished = readManifest('.').published !== false
  return isPublished ? fromRegistry(folder) : fromTarballs(folder)
}

function fromRegistry(folder: string | undefined): string {
  const names =
    folder === undefined ? EMBEDDED.map((name) => `@svc/${name}`) : [readManifest(folder).name]
  const wanted = folder === undefined ? [...names, 'koa'] : names
  return [
    'With npm:',
    '',
    block([`${NPM} ${wanted.join(' ')}`, ...types(folder, `${NPM} --save-dev`)]),
    '',
    'With pnpm:',
    '',
    block([`pnpm add ${wanted.join(' ')}`, ...types(folder, 'pnpm add --save-dev')]),
  ].join('\n')
}

function fromTarballs(folder: string | undefined): string {
  const files =
    folder === undefined
      ? '"$SVC"/packed/*.tgz koa'
      : closure(folder)
          .map((name) => `"$SVC"/packed/${name.slice(1).replace('/', '-')}-[0-9]*.tgz`)
          .join(' ')
  const pack = [
    'SVC=${SVC:-~/svc} # a clone of the repository',
    `(cd "$SVC" && npx ${PNPM} run pack)`,
  ]
  return [
    'The packages are in no registry yet: a clone packs them. With npm, in a folder of your own:',
    '',
    block([...pack, `${NPM} ${files}`, ...types(folder, `${NPM} --save-dev`)]),
    '',
    'With pnpm:',
    '',
    block([
      ...pack,
      'cp "$SVC"/packed/pnpm-workspace.yaml .',
      `npx ${PNPM} add ${files}`,
      ...types(folder, `npx ${PNPM} add --save-dev`),
    ]),
  ].join('\n')
}

/** A package of its own asks for nothing beside itself: what else its reader has is their own. */
function types(folder: string | undefined, command: string): string[] {
  return folder === undefined ? [`${command} ${TYPES}`] : []
}

function block(lines: readonly string[]): string {
  return ['```sh', ...lines, '```'].join('\n')
}

/** A package, and those of this repository that it stands on: they name each other by versions. */
function closure(folder: string): string[] {
  const names = new Set([readManifest(folder).name])
  for (const name of names) {
    const { dependencies = {} } = readManifest(`packages/${name.replace('@svc/', '')}`)
    for (const other of Object.keys(dependencies)) if (other.startsWith('@svc/')) names.add(other)
  }
  return [...names]
}

function readManifest(folder: string): Manifest {
  const file = path.join(ROOT, folder, 'package.json')
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest // a manifest of this repository
}
