/**
 * Preloaded into the tests of the packed packages: whatever would come from a public package's sources comes from
 * where `SVC_PACKED` has it installed instead.
 */
import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = path.resolve(import.meta.dirname, '..')
const installed = path.join(process.env['SVC_PACKED'] ?? '', 'node_modules')

/** Folder of each public package in the workspace, and where it is installed. */
const moved = globSync('packages/*/package.json', { cwd: ROOT }).flatMap((file) => {
  // The workspace's own manifest: it has a name.
  const { name } = JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as { name: string }
  const to = path.join(installed, name)
  // The real place: from there a package finds its own dependencies.
  return existsSync(to) ? [{ from: path.join(ROOT, path.dirname(file)), to: realpathSync(to) }] : []
})
if (moved.length === 0) throw new Error(`no packed packages in ${installed}`)

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    if (!found.url.startsWith('file:')) return found
    const file = fileURLToPath(found.url)
    for (const { from, to } of moved) {
      const source = path.join(from, 'src') + path.sep
      if (!file.startsWith(source)) continue
      const built = file.slice(source.length).replace(/\.ts$/, '.js')
      return { ...found, url: pathToFileURL(path.join(to, 'dist', built)).href, format: 'module' }
    }
    return found
  },
})
