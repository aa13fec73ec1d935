/**
 * Preloaded into the tests of the packed packages: what would come from the source of an entry of a public package comes
 * from where `SVC_PACKED` has it installed instead. A module that no entry is has no script of its own in a package; a
 * test that names one gets its source. @see docs/decisions/0060
 */
import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = path.resolve(import.meta.dirname, '..')
const installed = path.join(process.env['SVC_PACKED'] ?? '', 'node_modules')

interface Manifest {
  readonly name: string
  /** Files have no sources. */
  readonly exports?: Readonly<
    Record<string, string | { readonly source: string; readonly default: string }>
  >
}

/** Of the source of each entry: where it is installed. */
const moved = new Map(
  globSync('packages/*/package.json', { cwd: ROOT }).flatMap((file) => {
    const home = path.join(ROOT, path.dirname(file))
    const { name, exports = {} } = JSON.parse(
      readFileSync(path.join(ROOT, file), 'utf8'),
    ) as Manifest // Ours.
    const to = path.join(installed, name)
    if (!existsSync(to)) return []
    // The real place: from there a package finds its own dependencies.
    const place = realpathSync(to)
    return Object.values(exports).flatMap((entry) =>
      typeof entry === 'string'
        ? []
        : [[path.join(home, entry.source), path.join(place, entry.default)] as const],
    )
  }),
)
if (moved.size === 0) throw new Error(`no packed packages in ${installed}`)

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    if (!found.url.startsWith('file:')) return found
    const to = moved.get(fileURLToPath(found.url))
    if (to === undefined) return found
    return { ...found, url: pathToFileURL(to).href, format: 'module' }
  },
})
