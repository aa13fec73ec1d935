import { execFileSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import {
  Application,
  type DeclarationReflection,
  LogLevel,
  ReflectionKind,
  type TypeDocOptions,
} from 'typedoc'
import { withLinks } from './markdown.ts'
import { hrefOf, type Page } from './pages.ts'

const SITE = path.resolve(import.meta.dirname, '..')
/** Where the tarballs are unpacked, and what is made from them. */
const WORK = path.join(SITE, '.generated/api')

/** The reference of what the packages export. */
export interface ApiReference {
  readonly pages: readonly Page[]
  /** Exports without a word of documentation. */
  readonly faults: readonly string[]
}

/** Of a tarball's name. */
const VERSION = /-\d[^/]*(?=\/)/

interface Manifest {
  readonly name: string
  readonly description: string
  readonly exports: Readonly<Record<string, string | { readonly types?: string }>>
}

interface Entry {
  /** How it is imported, such as `@svc/store/redis`. */
  readonly module: string
  readonly manifest: Manifest
  /** Its declarations, in the unpacked tarball. */
  readonly file: string
}

/**
 * One page for each way into a package, from the declarations of the packed tarballs: what is documented is what is
 * installed.
 * @param root - of the repository that the tarballs are of
 * @param tarballs - folder that `pnpm run pack` wrote
 */
export async function readApi(root: string, tarballs: string, base: string): Promise<ApiReference> {
  rmSync(WORK, { recursive: true, force: true })
  const entries = globSync('*.tgz', { cwd: tarballs })
    .toSorted()
    .flatMap((file) => unpack(root, path.join(tarballs, file)))
  if (entries.length === 0)
    return { pages: [], faults: [`${tarballs} has no packages: pnpm run pack`] }
  const tsconfig = path.join(WORK, 'tsconfig.json')
  writeFileSync(tsconfig, JSON.stringify(settings(entries)))
  const out = path.join(WORK, 'out')
  const faults = await convert(entries, tsconfig, out)
  return { pages: readPages(entries, out, base), faults }
}

function unpack(root: string, tarball: string): Entry[] {
  const folder = path.join(WORK, path.basename(tarball, '.tgz'))
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
  // A manifest of this repository.
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest
  const workspace = path.join(root, 'packages', manifest.name.replace('@svc/', ''), 'node_modules')
  // What the declarations name of others is what the repository has installed.
  if (existsSync(workspace)) symlinkSync(workspace, path.join(folder, 'node_modules'))
  return Object.entries(manifest.exports).flatMap(([name, target]) =>
    typeof target === 'string' || target.types === undefined
      ? []
      : [
          {
            module: path.posix.join(manifest.name, name),
            manifest,
            file: path.join(folder, target.types),
          },
        ],
  )
}

function settings(entries: readonly Entry[]): object {
  return {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable', 'esnext.disposable'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [path.join(entries[0]?.file ?? '', '../../node_modules/@types')],
      paths: Object.fromEntries(entries.map(({ module, file }) => [module, [file]])),
    },
    files: entries.map(({ file }) => file),
  }
}

/** @returns what is wrong with the declarations and their words */
async function convert(
  entries: readonly Entry[],
  tsconfig: string,
  out: string,
): Promise<string[]> {
  // Those below `outputs` are of typedoc-plugin-markdown.
  const options: TypeDocOptions & Record<string, unknown> = {
    entryPoints: entries.map(({ file }) => file),
    tsconfig,
    plugin: ['typedoc-plugin-markdown'],
    readme: 'none',
    disableSources: true,
    excludeExternals: true,
    excludePrivate: true,
    excludeInternal: true,
    logLevel: LogLevel.Warn,
    outputs: [{ name: 'markdown', path: out }],
    router: 'module',
    entryFileName: 'index',
    hidePageHeader: true,
    hideBreadcrumbs: true,
    hidePageTitle: true,
    useCodeBlocks: true,
    expandObjects: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    propertyMembersFormat: 'table',
    sanitizeComments: true,
  }
  const app = await Application.bootstrapWithPlugins(options)
  const project = await app.convert()
  if (project === undefined) return ['TypeDoc could not read the packed packages']
  await app.generateOutputs(project)
  return (project.children ?? []).flatMap((module) =>
    (module.children ?? [])
      .filter(isUndocumented)
      .map(({ name }) => `${module.name.replace(VERSION, '')} ${name} is not documented`),
  )
}

/** Names that another package exports again are documented there. */
function isUndocumented(exported: DeclarationReflection): boolean {
  if (exported.kindOf(ReflectionKind.Reference)) return false
  const own = [exported, ...(exported.signatures ?? [])]
  const { type } = exported
  if (type?.type === 'reflection')
    own.push(type.declaration, ...(type.declaration.signatures ?? []))
  return !own.some((reflection) => reflection.hasComment())
}

function readPages(entries: readonly Entry[], out: string, base: string): Page[] {
  const bySource = new Map(
    entries.map((entry) => [
      `${path.relative(WORK, entry.file).replace(/(?:\/index)?\.d\.ts$/, '')}.md`,
      { ...entry, slug: `reference/api/${entry.module.replace('@svc/', '')}` },
    ]),
  )
  const anchors = new Map(
    [...bySource.keys()].map((file) => [
      file,
      anchorsOf(readFileSync(path.join(out, file), 'utf8')),
    ]),
  )
  /** TypeDoc counts two names that differ in their case as one; headings do not always. */
  const anchorIn = (file: string, anchor: string): string => {
    const [, first = ''] = /^#(.+)-\d+$/.exec(anchor) ?? []
    const known = anchors.get(file)
    return known?.has(anchor.slice(1)) !== true && known?.has(first) === true ? `#${first}` : anchor
  }
  return globSync('**/*.md', { cwd: out })
    .toSorted()
    .flatMap((file) => {
      const entry = bySource.get(file)
      if (entry === undefined) return []
      const { module, manifest, slug } = entry
      const body = withLinks(readFileSync(path.join(out, file), 'utf8'), (target, anchor) => {
        if (target === '') return anchorIn(file, anchor)
        const at = path.posix.join(path.posix.dirname(file), target)
        const other = bySource.get(at)
        return other === undefined ? undefined : hrefOf(base, other.slug) + anchorIn(at, anchor)
      })
      const folder = manifest.name.replace('@svc/', '')
      const lead = `Everything that \`${module}\` exports. How it is used: [${manifest.name}](${hrefOf(base, `packages/${folder}`)}).`
      return [
        {
          file: `${slug}.md`,
          slug,
          title: `API of ${module}`,
          description: `What ${module} exports, from its declarations. ${manifest.description}`,
          body: `${lead}\n\n${body}`,
        },
      ]
    })
}

/** Anchors of the headings, made as GitHub makes them: a repeated one gets a number. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const seen = new Set<string>()
  for (const [, heading = ''] of markdown.matchAll(/^#+ (.+)$/gm)) {
    const plain = heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
    let anchor = plain
    for (let count = 1; seen.has(anchor); count += 1) anchor = `${plain}-${count}`
    seen.add(anchor)
  }
  return seen
}
