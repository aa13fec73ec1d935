import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'

export interface Joining {
  /** Folder of what the compiler made, a script for each module. */
  readonly from: string
  /** Folder of the joined scripts; those that are in it go. */
  readonly to: string
  /** Scripts that are loaded from outside, below both folders: each can be loaded from where it was. */
  readonly entries: readonly string[]
  /** What each entry imports before anything else. */
  readonly first?: string
  /** Entries that stay as they are. */
  readonly alone?: readonly string[]
}

const THREADS = '**/*-thread.js'
const OWN_URL = /\bimport\.meta\.url\b/g
/** But for the address of a package, which is the same wherever a module of ours lies. */
const OTHER_META = /\bimport\.meta\b(?!\.url\b|\.resolve\('[@\w])/

/**
 * Joins modules into a few scripts: Node takes half of a start to find, read and link a thousand. What is loaded when
 * needed stays apart, and so do all packages of others.
 * @throws Error when a module asks `import.meta` for more than its own address
 * @see docs/decisions/0720
 */
export async function join({ from, to, entries, first, alone = [] }: Joining): Promise<void> {
  const joined = entries.filter((entry) => !alone.includes(entry))
  const started = [...joined, ...threadsIn(from)]
  const kept = alone.map((file) => [file, readFileSync(path.join(from, file))] as const)
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
  for (const file of scriptsIn(to)) rmSync(path.join(to, file))
  const firsts = new Set(first === undefined ? [] : joined.map(flatName))
  for (const { path: file, text } of outputFiles) {
    // esbuild puts what it imports from its own scripts before what the entry imports first.
    const isFirst = firsts.has(path.basename(file, '.js'))
    writeFileSync(file, isFirst ? importFirst(first ?? '', text) : text)
  }
  for (const entry of started.filter((each) => path.dirname(each) !== '.')) {
    const script = path.relative(path.dirname(entry), `${flatName(entry)}.js`)
    const [program] = splitProgram(readFileSync(path.join(from, entry), 'utf8'))
    write(path.join(to, entry), `${program}export * from ${JSON.stringify(script)}\n`)
  }
  for (const [file, text] of kept) write(path.join(to, file), text)
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
function threadsIn(folder: string): string[] {
  return globSync(THREADS, { cwd: folder }).toSorted()
}

/** But for those of hidden folders, which the compiler writes into. */
function scriptsIn(folder: string): string[] {
  return globSync('**/*.js', { cwd: folder }).filter((file) => !/(?:^|[/\\])\./.test(file))
}

function write(file: string, contents: string | Uint8Array): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, contents)
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
