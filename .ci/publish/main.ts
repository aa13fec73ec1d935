/**
 * Makes everything of a release but the publishing, and puts it into one folder: tarballs, sums, SBOMs, licences, the
 * order to publish in, and what the contract says about the packages. Two runs on a commit give the same bytes, but for
 * the report of the contract, which tells of a run.
 *
 *   node .ci/publish/main.ts [--out <folder>]
 *
 * `SVC_TARBALLS` names a folder where the packages of this tree are packed already. Exit code 1 when they must not be
 * published. @see docs/recipes/release.md
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import {
  installPackages,
  type PackedPackage,
  packedIn,
  packPackages,
  publicPackages,
} from '../../packages/testkit/src/packed-packages.ts'
import { commitTime } from '../commit-time.ts'
import { knownSizes, measureSizes, sizeFaults } from '../pack/sizes.ts'
import { sumLines } from '../pack/sums.ts'
import { contractFault, exampleDependencies } from './contract.ts'
import { freshCopy } from './fresh-copy.ts'
import { licencesOf, sbomFaults, writeSboms } from './sboms.ts'
import { differences, publishOrder } from './tarballs.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

const { values } = parseArgs({
  options: { out: { type: 'string', default: path.join(ROOT, 'release') } },
})
const out = path.resolve(values.out)
const work = mkdtempSync(path.join(tmpdir(), 'svc-release-'))
try {
  await release()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** In this order: what is cheap to know comes first. */
async function release(): Promise<void> {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const packed = pack()
  refuse(sizeFaults(measureSizes(ROOT, packed), knownSizes()))

  const sboms = writeSboms(ROOT, path.join(out, 'sbom'), commitTime(ROOT))
  refuse(sbomFaults(ROOT, sboms))
  const licences = licencesOf(sboms)
  refuse(licences.faults)
  writeFileSync(path.join(out, 'LICENCES'), licences.lines.map((line) => `${line}\n`).join(''))
  say(`${sboms.length} SBOMs are valid, ${licences.lines.length} parts have a licence of the list`)

  const installed = path.join(work, 'installed')
  mkdirSync(installed)
  installPackages(packed, installed, exampleDependencies(ROOT))
  const signatures = path.join(import.meta.dirname, '../signatures.ts')
  execFileSync(process.execPath, [signatures, installed], { stdio: 'inherit' })
  const fault = await contractFault(ROOT, installed, path.join(out, 'contract'))
  refuse(fault === undefined ? [] : [fault])

  refuse(packAgain(packed))
  say('packed again where nothing was built: the same bytes')

  const files = packed.map(({ file }) => path.basename(file))
  const listed = [...files, 'LICENCES', ...sboms.map((file) => path.relative(out, file))]
  writeFileSync(path.join(out, 'SHA256SUMS'), sumLines(out, listed))
  writeFileSync(path.join(out, 'ORDER'), orderLines(packed))
}

/** Into the folder of the release, unless this run packed them already. */
function pack(): PackedPackage[] {
  const given = process.env['SVC_TARBALLS']
  if (given === undefined) return packPackages(ROOT, out)
  for (const { file } of packedIn(ROOT, given)) cpSync(file, path.join(out, path.basename(file)))
  return packedIn(ROOT, out)
}

function packAgain(packed: readonly PackedPackage[]): string[] {
  const copy = path.join(work, 'copy')
  freshCopy(ROOT, copy)
  const second = path.join(work, 'second')
  packPackages(copy, second)
  const faults = differences(packed, second)
  // Who looks for the reason needs both.
  if (faults.length > 0) cpSync(second, path.join(out, 'second'), { recursive: true })
  return faults
}

/** What `.ci/release` publishes: name, version and tarball, one package a line. */
function orderLines(packed: readonly PackedPackage[]): string {
  return publishOrder(publicPackages(ROOT))
    .map(({ name, version }) => {
      const file = packed.find((one) => one.name === name)?.file ?? ''
      return `${name} ${version} ${path.basename(file)}\n`
    })
    .join('')
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join('\n'))
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
