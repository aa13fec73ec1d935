import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Application, LogLevel, type TypeDocOptions } from 'typedoc'
import { compilerSettings, type Entry, unpackEntries, WORK } from './api-entries.ts'
import { examplesIn, exportsOf } from './api-exports.ts'
import { guideReaders } from './api-guides.ts'
import { codeFaults } from './code-check.ts'
import { withLinks } from './markdown.ts'
import { hrefOf, type Page, type Pages } from './pages.ts'
import { readShown } from './shown.ts'

const OUT = path.join(WORK, 'out')
const BROWSER_TOO = ['es2024', 'dom', 'dom.iterable', 'esnext.disposable']

/**
 * The reference of what the packages export: one page for each way into a package, from the declarations of the packed
 * tarballs, so that what is documented is what is installed. Each export says how it is used; what is shown of it compiles.
 * @param root - of the repository that the tarballs are of
 * @param tarballs - folder that `pnpm run pack` wrote
 */
export async function readApi(root: string, tarballs: string, base: string): Promise<Pages> {
  const entries = unpackEntries(root, tarballs)
  if (entries.length === 0) {
    const faults = [`${tarballs} has no packages: pnpm run pack`]
    return { pages: [], linked: new Set(), faults }
  }
  const tsconfig = path.join(WORK, 'tsconfig.json')
  const settings = compilerSettings(entries, BROWSER_TOO)
  writeFileSync(tsconfig, JSON.stringify({ ...settings, files: entries.map(({ file }) => file) }))
  const app = await Application.bootstrapWithPlugins(optionsOf(entries, tsconfig))
  const project = await app.convert()
  if (project === undefined) {
    const faults = ['TypeDoc could not read the packed packages']
    return { pages: [], linked: new Set(), faults }
  }
  const exports = exportsOf(project, entries)
  const shown = readShown(root, base)
  const faults = [
    ...guideReaders(project, exports, shown),
    ...codeFaults([...shown.blocks, ...examplesIn(project, exports)], entries),
  ]
  await app.generateOutputs(project)
  return { pages: readPages(entries, base), linked: shown.linked, faults }
}

function optionsOf(
  entries: readonly Entry[],
  tsconfig: string,
): TypeDocOptions & Record<string, unknown> {
  // Those below `outputs` are of typedoc-plugin-markdown.
  return {
    entryPoints: entries.map(({ file }) => file),
    tsconfig,
    plugin: ['typedoc-plugin-markdown'],
    readme: 'none',
    disableSources: true,
    excludeExternals: true,
    excludePrivate: true,
    excludeInternal: true,
    logLevel: LogLevel.Warn,
    outputs: [{ name: 'markdown', path: OUT }],
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
}

function readPages(entries: readonly Entry[], base: string): Page[] {
  const bySource = new Map(entries.map((entry) => [`${entry.declarations}.md`, entry]))
  const anchors = new Map(
    [...bySource.keys()].map((file) => [
      file,
      anchorsOf(readFileSync(path.join(OUT, file), 'utf8')),
    ]),
  )
  /** TypeDoc counts two names that differ in their case as one; headings do not always. */
  const anchorIn = (file: string, anchor: string): string => {
    const [, first = ''] = /^#(.+)-\d+$/.exec(anchor) ?? []
    const known = anchors.get(file)
    return known?.has(anchor.slice(1)) !== true && known?.has(first) === true ? `#${first}` : anchor
  }
  return globSync('**/*.md', { cwd: OUT })
    .toSorted()
    .flatMap((file) => {
      const entry = bySource.get(file)
      if (entry === undefined) return []
      const { module, manifest, slug } = entry
      const body = withLinks(readFileSync(path.join(OUT, file), 'utf8'), (target, anchor) => {
        // A page of the documents.
        if (target.startsWith(`${base}/`)) return target + anchor
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
