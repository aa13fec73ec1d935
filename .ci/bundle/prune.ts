import { globSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { bundledPackages, filesOf, findPackage } from './packages.ts'

/** Declarations, sources, maps and texts for people: nothing that Node loads. Licences stay. */
const NOT_LOADED =
  /\.(?:[cm]?ts|map|flow|tsbuildinfo|markdown|md|yml|yaml|coffee|log|swp|npmignore|nycrc|editorconfig)$/i
/** Files of licences are in the archive, whatever they are called. */
const LICENCE = /^(?:licen[cs]e|copying|notice|patents)[^.]*(?:\.(?:md|markdown|txt))?$/i
/** At the top of a package: what its makers need, not who uses it. */
const MAKERS_FOLDERS = ['test', 'tests', '__tests__', 'doc', 'docs', 'example', 'examples'].concat([
  'benchmark',
  'benchmarks',
  'bench',
  'coverage',
  '.github',
  'bin',
])
/** A name in quotes, as an import or a `require` has it: with what follows it in a deep import. */
const QUOTED = /["'`]((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^"'`\n]*)?["'`]/g

/** Removes from a bundle what it does not load when it runs. */
export function leaveOut(folder: string): void {
  const modules = path.join(folder, 'node_modules')
  for (const { folder: one } of bundledPackages(modules)) {
    if (!isOurs(one)) for (const name of MAKERS_FOLDERS) leaveOutFolder(path.join(one, name))
  }
  for (const file of globSync('{dist,node_modules}/**/*', { cwd: folder })) {
    const name = path.basename(file)
    if (NOT_LOADED.test(name) && !LICENCE.test(name)) rmSync(path.join(folder, file))
  }
  const named = namedPackages(folder)
  for (const { folder: one } of bundledPackages(modules)) {
    if (!named.has(one) || isEmpty(one)) rmSync(one, { recursive: true, force: true })
  }
  leaveOutEmpty(folder)
}

/** What is left of a package of types: its manifest and its licence. */
function isEmpty(folder: string): boolean {
  return filesOf(folder)
    .map((file) => path.basename(file))
    .every((name) => name === 'package.json' || LICENCE.test(name))
}

function isOurs(folder: string): boolean {
  return path.basename(path.dirname(folder)) === '@svc'
}

/** Unless a file beside it loads something from there. */
function leaveOutFolder(folder: string): void {
  const parent = path.dirname(folder)
  const name = path.basename(folder)
  const isLoaded = scriptsOf(parent).some(
    (file) =>
      !file.startsWith(folder + path.sep) &&
      new RegExp(`["'\`](?:\\.{1,2}/)+${name}/`).test(readFileSync(file, 'utf8')),
  )
  if (!isLoaded) rmSync(folder, { recursive: true, force: true })
}

/**
 * Folders of the packages that some script names, beginning with the host's own. A name counts wherever it stands in
 * quotes, so that a `require` in whatever form is seen: what is left out is only what no text of the program names, such
 * as packages of types.
 */
function namedPackages(folder: string): ReadonlySet<string> {
  const named = new Set<string>()
  const waiting = [folder]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    for (const name of namesIn(one)) {
      const found = findPackage(name, one)
      if (found === undefined || named.has(found)) continue
      named.add(found)
      waiting.push(found)
    }
  }
  return named
}

function namesIn(folder: string): ReadonlySet<string> {
  const texts = scriptsOf(folder).map((file) => readFileSync(file, 'utf8'))
  return new Set(
    texts.flatMap((text) => Array.from(text.matchAll(QUOTED), ([, name = '']) => name)),
  )
}

function scriptsOf(folder: string): string[] {
  return filesOf(folder).filter((file) => /\.[cm]?js$/.test(file))
}

function leaveOutEmpty(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) leaveOutEmpty(path.join(folder, entry.name))
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}
