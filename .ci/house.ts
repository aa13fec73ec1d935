/**
 * Holds the shape of the packages: no circle between files or folders (types included), no arrow back between packages,
 * no long file, no services record that everything hangs on, nothing loose at a package's root. Prints the figures.
 * The example host is held to the same, and what an operator runs does not import its demo.
 *
 * Each place weighs at most what `weights.json` says: its code lines, the lines of documents, how often a habit is met.
 * These ceilings only fall; `--write` lowers them. A feature that needs more raises one by hand, in its own commit.
 *
 *   node .ci/house.ts [--write]
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findCircles, type Graph } from './graph.ts'
import { codeLines, weigh } from './weight.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
/** From the ground up: a package names only those before it. `testkit` is named by tests alone, `contract` names none. */
const FLOORS = [
  'store contract',
  'platform',
  'activity oauth-core',
  'auth-ui notify connectors realtime mcp',
].map((floor) => floor.split(' '))
const HOST = 'examples/host/src'
/** Who may load the demo of the host, and only by `import()`: production runs without it. */
const DEMO_LOADERS: readonly string[] = ['app.ts', 'cli/dev-provider-command.ts']
const MAX_LINES = 300
const MAX_SERVICES = 25
const MAX_LOOSE = 14
const WEIGHTS = path.join(import.meta.dirname, 'weights.json')
/** How far a weight may be below its ceiling before the ceiling has to follow. */
const SLACK = 0.01

interface Source {
  /** Below `src`, such as `http/router.ts`. */
  readonly file: string
  readonly text: string
  /** Files of the same package that it imports, types included. */
  readonly imports: readonly string[]
  /** Names of packages of this project that it imports. */
  readonly packages: readonly string[]
}

interface Figures {
  readonly name: string
  readonly files: number
  readonly lines: number
  readonly makers: number
  readonly lonelyInterfaces: number
}

const faults: string[] = []
const figures = [
  ...FLOORS.flat().map((name) => {
    const sources = read(`packages/${name}/src`)
    checkArrows(name, sources)
    return look(name, sources)
  }),
  ...['host', 'host/demo'].map((name) => look(name, read(HOST + name.slice('host'.length)))),
]
checkDemo(read(HOST))
checkWeights(process.argv.includes('--write'))
print()

function look(name: string, sources: readonly Source[]): Figures {
  const byFile = new Map(sources.map((source) => [source.file, source]))
  const files: Graph = new Map(sources.map(({ file, imports }) => [file, new Set(imports)]))
  for (const circle of findCircles(files)) fault(name, `circle of files: ${circle.join(' -> ')}`)
  for (const circle of findCircles(foldersOf(sources))) {
    fault(name, `circle of folders: ${circle.join(' -> ')}`)
  }
  for (const { file, text } of sources) {
    const lines = codeLines(text)
    if (lines > MAX_LINES)
      fault(name, `${file} has ${lines} lines of code; ${MAX_LINES} are enough`)
  }
  const loose = sources.filter(({ file }) => !file.includes('/'))
  if (loose.length > MAX_LOOSE) {
    fault(name, `${loose.length} files lie loose in src; ${MAX_LOOSE} are enough`)
  }
  const services = byFile.get('services.ts')
  if (services !== undefined) checkServices(name, services.text)
  return {
    name,
    files: sources.length,
    lines: sources.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0),
    makers: sources.reduce((sum, { text }) => sum + makersIn(text).length, 0),
    lonelyInterfaces: lonelyInterfaces(sources),
  }
}

/** @param below - a folder of sources, from the root of the project */
function read(below: string): Source[] {
  const folder = path.join(ROOT, below)
  return globSync('**/*.ts', { cwd: folder })
    .toSorted()
    .map((file) => {
      const text = readFileSync(path.join(folder, file), 'utf8')
      const specifiers = [...text.matchAll(/(?:\bfrom|\bimport\()\s*'([^']+)'/g)].map(
        ([, specifier = '']) => specifier,
      )
      return {
        file,
        text,
        imports: specifiers
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => path.join(path.dirname(file), specifier)),
        packages: specifiers.flatMap((specifier) => /^@svc\/([\w-]+)/.exec(specifier)?.[1] ?? []),
      }
    })
}

/** Who imports from whom among folders. Files at the root of `src` are in no folder: they put the folders together. */
function foldersOf(sources: readonly Source[]): Graph {
  const graph = new Map<string, Set<string>>()
  for (const { file, imports } of sources) {
    const from = folderOf(file)
    if (from === undefined) continue
    const known = graph.get(from) ?? new Set()
    graph.set(from, known)
    for (const target of imports) {
      const to = folderOf(target)
      if (to !== undefined && to !== from) known.add(to)
    }
  }
  return graph
}

function folderOf(file: string): string | undefined {
  return file.includes('/') ? file.split('/', 1)[0] : undefined
}

function checkArrows(name: string, sources: readonly Source[]): void {
  const floor = FLOORS.findIndex((names) => names.includes(name))
  const below = new Set(FLOORS.slice(0, floor).flat())
  for (const { file, packages } of sources) {
    for (const other of packages) {
      if (!below.has(other)) fault(name, `${file} imports @svc/${other}, which is not below it`)
    }
  }
}

/** The server names types of its demo at most, except where it loads it. */
function checkDemo(sources: readonly Source[]): void {
  for (const { file, text } of sources) {
    if (file.startsWith('demo/')) continue
    const isDemo = (specifier: string): boolean =>
      path.join(path.dirname(file), specifier).startsWith('demo/')
    const named = [...text.matchAll(/^(?:import|export) (?!type )[^']* from '(\.[^']+)'/gm)]
    const loaded = [...text.matchAll(/\bimport\('(\.[^']+)'\)/g)]
    for (const [, specifier = ''] of DEMO_LOADERS.includes(file) ? named : [...named, ...loaded]) {
      if (isDemo(specifier)) fault('host', `${file} imports ${specifier} of the demo`)
    }
  }
}

function checkServices(name: string, text: string): void {
  for (const [, record = '', body = ''] of text.matchAll(
    /^export interface (\w*Services)[^{]*\{\n([\s\S]*?)^\}/gm,
  )) {
    const members = [...body.matchAll(/^ {2}(?:readonly )?\w+[?(:]/gm)].length
    if (members > MAX_SERVICES) {
      fault(name, `${record} has ${members} members; ${MAX_SERVICES} are enough`)
    }
  }
}

/** Exported functions that make something whose steps they hide. */
function makersIn(text: string): string[] {
  return [...text.matchAll(/^export (?:async )?function ((?:create|assemble)[A-Z]\w*)/gm)].map(
    ([, name = '']) => name,
  )
}

/** Exported interfaces with methods that exactly one function of the package answers with. */
function lonelyInterfaces(sources: readonly Source[]): number {
  const all = sources.map(({ text }) => text).join('\n')
  const names = [...all.matchAll(/^export interface (\w+)/gm)].map(([, name = '']) => name)
  return names.filter((name) => {
    const makers = all.match(new RegExp(`^export function \\w+[^{]*\\): ${name} \\{$`, 'gm'))
    return (
      makers?.length === 1 &&
      /^(?:create|assemble)/.test(makers[0].slice('export function '.length))
    )
  }).length
}

/** @param isLowering - writes the ceilings that can fall, and those of new places */
function checkWeights(isLowering: boolean): void {
  // Written below.
  const ceilings = JSON.parse(readFileSync(WEIGHTS, 'utf8')) as Record<string, number>
  const weights = weigh(ROOT)
  for (const place of Object.keys(ceilings)) if (!weights.has(place)) weights.set(place, 0)
  for (const [place, weight] of weights) {
    const ceiling = ceilings[place]
    if (isLowering) ceilings[place] = Math.min(ceiling ?? weight, weight)
    else if (ceiling === undefined) fault(place, 'has no ceiling; node .ci/house.ts --write')
    if (ceiling !== undefined && weight > ceiling) {
      fault(place, `weighs ${weight}; its ceiling is ${ceiling}`)
    } else if (!isLowering && ceiling !== undefined && weight < ceiling * (1 - SLACK)) {
      fault(place, `weighs ${weight}; lower its ceiling of ${ceiling}: node .ci/house.ts --write`)
    }
  }
  if (!isLowering) return
  const kept = Object.entries(ceilings).filter(([place]) => weights.get(place) !== 0)
  const sorted = Object.fromEntries(kept.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  writeFileSync(WEIGHTS, `${JSON.stringify(sorted, undefined, 2)}\n`)
}

function fault(name: string, text: string): void {
  faults.push(`${name}: ${text}`)
}

function print(): void {
  const packages = figures.filter(({ name }) => !name.startsWith('host'))
  const sum = (pick: (one: Figures) => number): number =>
    packages.reduce((total, one) => total + pick(one), 0)
  const total: Figures = {
    name: 'all packages',
    files: sum(({ files }) => files),
    lines: sum(({ lines }) => lines),
    makers: sum(({ makers }) => makers),
    lonelyInterfaces: sum(({ lonelyInterfaces: lonely }) => lonely),
  }
  process.stdout.write('package        files   lines  create*  interfaces with one maker\n')
  for (const { name, files, lines, makers, lonelyInterfaces: lonely } of [
    ...packages,
    total,
    ...figures.slice(packages.length),
  ]) {
    const columns = [files, lines, makers, lonely].map((figure) => String(figure).padStart(7))
    process.stdout.write(`${name.padEnd(12)} ${columns.join(' ')}\n`)
  }
  for (const text of faults) process.stdout.write(`${text}\n`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
