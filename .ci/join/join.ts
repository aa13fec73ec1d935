import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'

export interface Joining {
  /** Folder of what the compiler made, a script for each module. */
  readonly from: string
  /** Folder of the sources: the compiler keeps what it made of some that are gone. */
  readonly sources: string
  /** Folder of the joined scripts; those that are in it go. */
  readonly to: string
  /** Scripts that are loaded from outside, below both folders: each can be loaded from where it was. */
  readonly entries: readonly string[]
  /** What each entry imports before anything else. */
  readonly first?: string
  /** Entries that stay as they are. */
  readonly alone?: readonly string[]
}

const THREADS = '**/*-thread.ts'
const OWN_URL = /\bimport\.meta\.url\b/g
/** But for the address of a package, which is the same wherever a module of ours lies. */
const OTHER_META = /\bimport\.meta\b(?!\.url\b|\.resolve\('[@\w])/

/**
 * Joins modules into a few scripts: Node takes half of a start to find, read and link a thousand. What is loaded when
 * needed stays apart, and so do all packages of others.
 * @throws Error when a module asks `import.meta` for more than its own address
 * @see docs/decisions/0720
 */
export async function join({
  from,
  sources,
  to,
  entries,
  first,
  alone = [],
}: Joining): Promise<void> {
  const joined = entries.filter((entry) => !alone.includes(entry))
  const started = [...joined, ...threadsOf(sources)]
  const kept = alone.map((file) => [file, readFileSync(path.join(from, file), 'utf8')] as const)
  const { outputFiles } = await build({
    absWorkingDir: from,
    entryPoints: started.map((entry) => ({ in: path.join(from, entry), out: flatName(entry) })),
    outdir: to,
    chunkNames: 'joined-[hash]',
    write: false,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'es2024',
    logLevel: 'silent',
    plugins: [ownPlaces(from), leaveAlone(from, alone)],
  })
  const written = new Map<string, string>()
  const firsts = new Set(first === undefined ? [] : joined.map(flatName))
  for (const { path: file, text } of outputFiles) {
    // esbuild puts what it imports from its own scripts before what the entry imports first.
    const isFirst = firsts.has(path.basename(file, '.js'))
    written.set(path.relative(to, file), isFirst ? importFirst(first ?? '', text) : text)
  }
  for (const entry of started.filter((each) => path.dirname(each) !== '.')) {
    const script = path.relative(path.dirname(entry), `${flatName(entry)}.js`)
    const [program] = splitProgram(readFileSync(path.join(from, entry), 'utf8'))
    written.set(entry, `${program}export * from ${JSON.stringify(script)}\n`)
  }
  for (const [file, text] of kept) written.set(file, text)
  replaceScripts(to, written)
}

/** What is the same stays untouched, and nothing goes before what takes its place is there: somebody may load it. */
function replaceScripts(folder: string, scripts: ReadonlyMap<string, string>): void {
  for (const [name, text] of scripts) {
    const file = path.join(folder, name)
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const name of scriptsIn(folder)) {
    if (!scripts.has(name)) rmSync(path.join(folder, name), { force: true })
  }
}

function importFirst(specifier: string, text: string): string {
  const [program, rest] = splitProgram(text)
  return `${program}import ${JSON.stringify(specifier)};\n${rest}`
}

/** @returns the line that says what runs it, if there is one, and the rest */
function splitProgram(text: string): [program: string, rest: string] {
  const [program = ''] = /^#!.*\n/.exec(text) ?? []
  return [program, text.slice(program.length)]
}

/** Programs of threads are started by their address. */
function threadsOf(sources: string): string[] {
  return globSync(THREADS, { cwd: sources })
    .map((file) => file.replace(/\.ts$/, '.js'))
    .toSorted()
}

/** But for those of hidden folders, which the compiler writes into. */
function scriptsIn(folder: string): string[] {
  return globSync('**/*.js', { cwd: folder }).filter((file) => !/(?:^|[/\\])\./.test(file))
}

/** All joined scripts lie beside each other, so that any of them finds the files of the package in the same way. */
function flatName(entry: string): string {
  return entry.replace(/\.js$/, '').replaceAll('/', '.')
}

/** A module goes on looking for files from where it lay. */
function ownPlaces(folder: string): Plugin {
  return {
    name: 'own places',
    setup(of) {
      of.onLoad({ filter: /\.js$/ }, ({ path: file }) => {
        const text = readFileSync(file, 'utf8')
        if (OTHER_META.test(text))
          throw new Error(`${file}: what it asks of import.meta depends on where it lies`)
        const place = JSON.stringify(`./${path.relative(folder, file)}`)
        const contents = text.replace(OWN_URL, `new URL(${place}, import.meta.url).href`)
        return { contents, loader: 'js' }
      })
    },
  }
}

/** A joined script imports these from where they are. */
function leaveAlone(folder: string, files: readonly string[]): Plugin {
  return {
    name: 'left alone',
    setup(of) {
      of.onResolve({ filter: /^\./ }, ({ path: specifier, resolveDir }) => {
        const file = path.relative(folder, path.resolve(resolveDir, specifier))
        return files.includes(file) ? { path: `./${file}`, external: true } : undefined
      })
    },
  }
}
