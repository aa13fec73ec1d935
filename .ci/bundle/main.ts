/**
 * Makes the archive that operators install: the built host, what it needs in production, its commands, its deployment
 * files and the list of all its parts. Two runs of one commit give the same bytes. The workspace is compiled before.
 *
 *   node .ci/bundle/main.ts [--out <folder>] [--write-figures]
 *
 * Exit code 1 when a licence is not on the list, or when a figure grew. @see operation.md 7.1, 7.8
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { commitTime } from '../commit-time.ts'
import { join } from '../join/join.ts'
import { joinPackage, publicFolders } from '../join/package.ts'
import { makeArchive } from './archive.ts'
import { assemble } from './assemble.ts'
import { checkFigures, countFigures, writeFigures } from './figures.ts'
import { foreignLicences } from './licences.ts'
import { bundledPackages } from './packages.ts'
import { leaveOut } from './prune.ts'
import { writeSbom } from './sbom.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** What the commands of the archive start. */
const PROGRAMS = ['cli.js', 'main.js']

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: path.join(ROOT, 'bundle') },
    'write-figures': { type: 'boolean', default: false },
  },
})

const work = mkdtempSync(path.join(tmpdir(), 'svc-bundle-'))
try {
  await bundle()
} finally {
  rmSync(work, { recursive: true, force: true })
}

async function bundle(): Promise<void> {
  for (const each of publicFolders(ROOT).values()) await joinPackage(each)
  const { folder, version } = assemble(ROOT, work)
  const modules = path.join(folder, 'node_modules')
  const dist = path.join(folder, 'dist')
  const sources = path.join(ROOT, 'examples/host/src')
  await join({ from: dist, sources, to: dist, entries: PROGRAMS })
  leaveOut(folder)
  const packages = bundledPackages(modules)
  writeSbom(ROOT, folder, { version, time: commitTime(ROOT), packages })
  mkdirSync(options.out, { recursive: true })
  const file = path.join(options.out, `svc-${version}.tar.gz`)
  makeArchive(folder, file, commitTime(ROOT))
  const figures = countFigures(folder, packages)
  process.stdout.write(
    `${path.basename(file)}: ${figures.packages} packages, ${(figures.bytes / 1e6).toFixed(1)} MB\n`,
  )
  if (options['write-figures']) writeFigures(figures)
  const faults = [...foreignLicences(packages), ...checkFigures(figures)]
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}
