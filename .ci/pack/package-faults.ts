import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { type Entry, packageFiles, type PackageManifest, readManifest } from './package-files.ts'

/** What a built file loads: statically, dynamically, by `createRequire`, or by the resolver. */
const IMPORT =
  /(?:[\w$}*]\s+from\s+|^\s*import\s+|\bimport\(\s*|\bload\d*\(\s*|\bimport\.meta\.resolve\(\s*)(["'])([\w@./:#-]+)\1/gm
/** Only where a line begins: what a text holds is none, and would hide what stands behind it. */
const COMMENT = /^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm
/** A link that is neither an address nor a place on the same page. */
const LINK = /\]\((?![a-z]+:|#)([^)\s#]+)/g
/** A path in a text, unless the text says that it is of the repository. */
const PATH =
  /`([\w@.-]+(?:\/[\w@.-]+)+\.(?:ts|js|json|md|njk|css|html))`(?!\s+of\s+the\s+repository)/g

/** What is wrong with a package as its tarball would be, each as a sentence. */
export function packageFaults(folder: string): string[] {
  const manifest = readManifest(folder)
  const files = packageFiles(folder, manifest)
  const faults = [
    ...missingFiles(manifest, files),
    ...foreignFiles(files),
    ...files.filter(isBuilt).flatMap((file) => importFaults(folder, file, manifest, files)),
    ...files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => textFaults(folder, file, files)),
  ]
  return [...new Set(faults)].map((fault) => `${manifest.name}: ${fault}`)
}

function missingFiles(manifest: PackageManifest, files: readonly string[]): string[] {
  const { bin = {}, exports = {}, publishConfig, files: patterns = [] } = manifest
  const named = [
    ...entryFiles('exports', publishConfig?.exports ?? exports),
    ...Object.entries(bin).map(([name, file]) => [`bin "${name}"`, file] as const),
  ]
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!'))
  return [
    ...named
      // A name with a star stands for every file that it fits.
      .filter(
        ([, name]) =>
          !files.some((file) => path.posix.matchesGlob(file, path.posix.normalize(name))),
      )
      .map(([where, file]) => `${where} names ${file}, which is not in the tarball`),
    ...wanted
      .filter((name) => !files.some((file) => file === name || file.startsWith(`${name}/`)))
      .map((name) => `files names ${name}, and nothing of that name exists`),
  ]
}

function entryFiles(where: string, entry: Entry): (readonly [where: string, file: string])[] {
  if (typeof entry === 'string') return [[where, entry]]
  return Object.entries(entry).flatMap(([name, below]) => entryFiles(`${where} "${name}"`, below))
}

function foreignFiles(files: readonly string[]): string[] {
  return files
    .filter((file) => /(?:^|\/)(?:src|test)\//.test(file))
    .map((file) => `${file} is a source or a test, and in the tarball`)
}

function isBuilt(file: string): boolean {
  return /^dist\/.*\.(?:js|d\.ts)$/.test(file)
}

function importFaults(
  folder: string,
  file: string,
  manifest: PackageManifest,
  files: readonly string[],
): string[] {
  const code = readFileSync(path.join(folder, file), 'utf8').replaceAll(COMMENT, '')
  const { name, dependencies, optionalDependencies, peerDependencies } = manifest
  const declared = Object.keys({
    ...dependencies,
    ...optionalDependencies,
    ...peerDependencies,
    [name]: '',
  })
  return [...code.matchAll(IMPORT)].flatMap(([, , specifier = '']) => {
    if (isBuiltin(specifier)) return []
    if (specifier.startsWith('.')) {
      // Declarations keep the name of the source, and lead to its declarations.
      const built = specifier.replace(/(?<!\.d)\.ts$/, '.d.ts')
      const target = path.posix.join(path.posix.dirname(file), built)
      if (files.includes(target)) return []
      return [`${file} imports ${specifier}, which is not in the tarball`]
    }
    const wanted = packageOf(specifier)
    if (declared.includes(wanted)) return []
    return [`${file} imports ${wanted}, which the manifest does not declare`]
  })
}

function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}

function textFaults(folder: string, file: string, files: readonly string[]): string[] {
  const text = readFileSync(path.join(folder, file), 'utf8')
  const links = [...text.matchAll(LINK)].map(([, target = '']) =>
    path.posix.join(path.posix.dirname(file), target),
  )
  const paths = [...text.matchAll(PATH)].map(([, target = '']) => target)
  return [...links, ...paths]
    .filter((target) => !files.some((each) => each === target || each.startsWith(`${target}/`)))
    .map((target) => `${file} names ${target}, which is not in the tarball`)
}
