/**
 * Packs every public package as it would be published, with the sums of the tarballs, and says how they are installed.
 * Exit code 1 when one is too large.
 *
 *   node .ci/pack/main.ts [--out <folder>]
 *
 * @see docs/decisions/0600
 */
import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import {
  type PackedPackage,
  packPackages,
  pnpmSettings,
} from '../../packages/testkit/src/packed-packages.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

const { values } = parseArgs({
  options: { out: { type: 'string', default: path.join(ROOT, 'packed') } },
})
const folder = path.resolve(values.out)
const packed = packPackages(ROOT, folder)
writeFileSync(path.join(folder, 'SHA256SUMS'), packed.map(sumLine).join(''))
writeFileSync(path.join(folder, 'pnpm-workspace.yaml'), pnpmSettings(packed))
process.stdout.write(`${packed.length} packages and SHA256SUMS are in ${folder}

Install them in a folder of your own:
  npm install ${folder}/*.tgz
  cp ${folder}/pnpm-workspace.yaml . && pnpm add ${folder}/*.tgz
`)

const tooLarge = packed.filter(({ name, file }) => statSync(file).size > mostBytes(name))
for (const { name, file } of tooLarge) {
  process.stderr.write(
    `${name}: its tarball has ${statSync(file).size} bytes, and ${mostBytes(name)} are enough\n`,
  )
}
if (tooLarge.length > 0) process.exitCode = 1

/** The package with the pages, their scripts and its two apps may be larger. @see docs/decisions/0600 */
function mostBytes(name: string): number {
  return name === '@svc/auth-ui' ? 700_000 : 300_000
}

/** As `sha256sum --check` reads it. */
function sumLine({ file }: PackedPackage): string {
  const sum = createHash('sha256').update(readFileSync(file)).digest('hex')
  return `${sum}  ${path.basename(file)}\n`
}
