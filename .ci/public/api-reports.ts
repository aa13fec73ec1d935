import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'

/** What the declarations of one entry point say. */
export interface ApiReport {
  /** As it is imported, such as `@svc/store/sqlite`. */
  readonly entry: string
  /** Name of the package. */
  readonly package: string
  /** Name of the file, such as `store-sqlite.api.md`. */
  readonly file: string
  readonly text: string
}

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, string | { readonly types?: string }>>
}

/** Reports on every entry point that a package publishes with types. The workspace is built before. */
export function apiReports(root: string, work: string): ApiReport[] {
  return globSync('packages/*/package.json', { cwd: root })
    .toSorted()
    .flatMap((file) => {
      const folder = path.join(root, path.dirname(file))
      // A manifest of this repository.
      const manifest = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Manifest
      if (manifest.private === true) return []
      return Object.entries(manifest.exports).flatMap(([subpath, target]) => {
        const types = typeof target === 'string' ? undefined : target.types
        return types === undefined
          ? []
          : [report({ folder, name: manifest.name, subpath, types, work })]
      })
    })
}

function report(entry: {
  folder: string
  name: string
  subpath: string
  types: string
  work: string
}): ApiReport {
  const { folder, name, subpath, types, work } = entry
  const main = path.join(folder, types)
  const file = `${name.replace('@svc/', '')}${subpath.slice(1).replaceAll('/', '-')}.api.md`
  mkdirSync(work, { recursive: true })
  const none = { default: { logLevel: ExtractorLogLevel.None } }
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: main,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            module: 'nodenext',
            target: 'es2024',
            lib: ['es2024', 'esnext.disposable', 'dom'],
            strict: true,
            skipLibCheck: true,
            types: ['node'],
            allowImportingTsExtensions: true,
            noEmit: true,
          },
          files: [main],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: file,
        reportFolder: work,
        reportTempFolder: path.join(work, 'new'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      // Types and comments have checks of their own.
      messages: {
        compilerMessageReporting: none,
        extractorMessageReporting: none,
        tsdocMessageReporting: none,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: path.join(folder, 'package.json'),
  })
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      message.handled = true
    },
  })
  return {
    entry: `${name}${subpath.slice(1)}`,
    package: name,
    file,
    text: readFileSync(path.join(work, file), 'utf8'),
  }
}

/** The declarations of a report, by the name that they export. What is declared twice is one declaration. */
export function declarationsOf({ text }: Pick<ApiReport, 'text'>): Map<string, string> {
  const [, body = ''] = /```ts\n([\s\S]*?)\n```/.exec(text) ?? []
  const found = new Map<string, string>()
  for (const block of body.split(/\n\n(?=\/\/ @|export )/)) {
    const [, name] = DECLARED.exec(block) ?? []
    if (name !== undefined) found.set(name, `${found.get(name) ?? ''}${block}`)
    else for (const [, one = ''] of block.matchAll(REEXPORTED)) found.set(one, block)
  }
  return found
}

const DECLARED =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:const enum|function|interface|class|type|const|let|enum|namespace) (\w+)/m
const REEXPORTED = /^export \{ (?:\w+ as )?(\w+) \}/gm

/** Writes the reports that differ, and removes those of entries that are gone. @returns names of files */
export function writeReports(folder: string, reports: readonly ApiReport[]): string[] {
  mkdirSync(folder, { recursive: true })
  const stale = staleReports(folder, reports)
  for (const { file, text } of reports) {
    if (stale.includes(file)) writeFileSync(path.join(folder, file), text)
  }
  return stale
}

/** Files that are not what would be written now. */
export function staleReports(folder: string, reports: readonly ApiReport[]): string[] {
  return reports
    .filter(({ file, text }) => {
      const known = globSync(file, { cwd: folder }).length > 0
      return !known || readFileSync(path.join(folder, file), 'utf8') !== text
    })
    .map(({ file }) => file)
}
