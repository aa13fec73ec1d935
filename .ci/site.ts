/**
 * Installs what the site of the documents is built with, and builds it: `pnpm run site`. It has a lock file of its own,
 * so that nothing else installs it.
 *
 *   node .ci/site.ts [--tarballs <folder>]
 *
 * The site is of the packed packages; without `--tarballs` they are packed first.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { packPackages, runPnpm } from '../packages/testkit/src/packed-packages.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const SITE = path.join(ROOT, 'docs/site')

const [option, folder] = process.argv.slice(2)
const tarballs =
  option === '--tarballs' && folder !== undefined ? folder : path.join(ROOT, 'packed')
if (option === undefined) packPackages(ROOT, tarballs)
runPnpm(['install', '--frozen-lockfile', '--prefer-offline'], SITE)
const built = spawnSync(
  process.execPath,
  [path.join(SITE, 'build/main.ts'), '--tarballs', tarballs],
  {
    stdio: 'inherit',
  },
)
process.exitCode = built.status ?? 1
