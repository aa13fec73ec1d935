/**
 * Builds the site of the documents of this clone into `docs/site/dist/next`: `pnpm run site`.
 *
 *   node docs/site/build/main.ts [--tarballs <folder>]
 *
 * `--tarballs` holds the packed packages that the reference is made from; `packed/` by default.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { readApi } from './api.ts'
import { writeContent } from './content.ts'
import { NEXT } from './version.ts'

const SITE = path.resolve(import.meta.dirname, '..')
const ROOT = path.resolve(SITE, '../..')

const { values } = parseArgs({ options: { tarballs: { type: 'string' } } })
const api = await readApi(
  ROOT,
  path.resolve(values.tarballs ?? path.join(ROOT, 'packed')),
  NEXT.base,
)
const faults = [...api.faults, ...writeContent(ROOT, NEXT, api.pages)]
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1
else build()

function build(): void {
  const astro = path.join(SITE, 'node_modules/.bin/astro')
  const built = spawnSync(astro, ['build', '--silent'], { cwd: SITE, stdio: 'inherit' })
  process.exitCode = built.status ?? 1
}
