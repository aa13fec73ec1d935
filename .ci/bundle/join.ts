import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'

/** What the commands of the archive start. */
const PROGRAMS = ['cli.js', 'main.js']
const THREADS = '**/*-thread.js'
const OWN_URL = /\bimport\.meta\.url\b/g
/** But for the address of a package, which is the same wherever a module of ours lies. */
const OTHER_META = /\bimport\.meta\b(?!\.url\b|\.resolve\('[@\w])/

/**
 * Joins the modules of the host, and those of each package of ours, into a few scripts: Node takes half of a start to
 * find, read and link a thousand. What is loaded when needed stays apart, and so do all packages of others.
 * @param folder - an archive, with all that is to be loaded in it
 * @see docs/decisions/0720
 */
export async function joinModules(folder: string): Promise<void> {
  await join(path.join(folder, 'dist'), PROGRAMS)
  for (const manifest of globSync('node_modules/@svc/*/package.json', { cwd: folder })) {
    const home = path.join(folder, path.dirname(manifest))
    await join(path.join(home, 'dist'), exportsOf(home))
  }
}

/** Scripts that others import, below `dist`. */
function exportsOf(home: string): string[] {
  const { exports } = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, { readonly default: string }>> // Each of ours has this form.
  }
  return Object.values(exports).map((each) => path.relative('dist', each.default))
}

/** @param dist - its scripts are replaced; `entries` can be loaded from where they were */
async function join(dist: string, entries: readonly string[]): Promise<void> {
  const started = [...entries, ...globSync(THREADS, { cwd: dist })]
  const { outputFiles } = await build({
    absWorkingDir: dist,
    entryPoints: started.map((entry) => ({ in: path.join(dist, entry), out: flatName(entry) })),
    outdir: dist,
    chunkNames: 'joined-[hash]',
    write: false,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'es2024',
    logLevel: 'silent',
    plugins: [ownPlaces(dist)],
  })
  for (const file of globSync('**/*.js', { cwd: dist })) rmSync(path.join(dist, file))
  for (const { path: file, contents } of outputFiles) writeFileSync(file, contents)
  for (const entry of started.filter((each) => path.dirname(each) !== '.')) {
    const file = path.join(dist, entry)
    const joined = path.relative(path.dirname(entry), `${flatName(entry)}.js`)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, `export * from ${JSON.stringify(joined)}\n`)
  }
}

/** All joined scripts lie beside each other, so that any of them finds the files of the package in the same way. */
function flatName(entry: string): string {
  return entry.replace(/\.js$/, '').replaceAll('/', '.')
}

/** A module goes on looking for files from where it lay. */
function ownPlaces(dist: string): Plugin {
  return {
    name: 'own places',
    setup(of) {
      of.onLoad({ filter: /\.js$/ }, ({ path: file }) => {
        const text = readFileSync(file, 'utf8')
        if (OTHER_META.test(text))
          throw new Error(`${file}: what it asks of import.meta depends on where it lies`)
        const place = JSON.stringify(`./${path.relative(dist, file)}`)
        const contents = text.replace(OWN_URL, `new URL(${place}, import.meta.url).href`)
        return { contents, loader: 'js' }
      })
    },
  }
}
