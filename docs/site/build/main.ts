/**
 * Builds the site of the documents of this clone into `docs/site/dist/next`: `pnpm run site`.
 *
 *   node docs/site/build/main.ts [--tarballs <folder>] [--as <name>] [--latest <folder>]
 *
 * `--tarballs` holds the packed packages that the reference is made from; `packed/` by default. `--as` is the version that
 * this clone is, `next` by default; `--latest` is the built site that pages of an older version lead on to.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { readApi } from './api.ts'
import { writeContent } from './content.ts'
import { versionOf } from './version.ts'

const SITE = path.resolve(import.meta.dirname, '..')
const ROOT = path.resolve(SITE, '../..')

const { values } = parseArgs({
  options: {
    tarballs: { type: 'string', default: path.join(ROOT, 'packed') },
    as: { type: 'string', default: 'next' },
    latest: { type: 'string' },
  },
})
const version = versionOf(values.as, values.latest)
const api = await readApi(ROOT, path.resolve(values.tarballs), version.base)
const faults = [...api.faults, ...writeContent(ROOT, version, api)]
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1
else build()

function build(): void {
  const astro = path.join(SITE, 'node_modules/.bin/astro')
  const built = spawnSync(astro, ['build', '--silent'], { cwd: SITE, stdio: 'inherit' })
  process.exitCode = built.status ?? 1
}
