/**
 * Packs every public package as it would be published, with the sums of the tarballs, and says how they are installed.
 * Exit code 1 when one is too large, brings more than it did, or something that runs when it is installed.
 *
 *   node .ci/pack/main.ts [--out <folder>] [--write-figures]
 *
 * @see docs/decisions/0600, docs/decisions/0673
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { packPackages, pnpmSettings } from '../../packages/testkit/src/packed-packages.ts'
import { installScriptFaults, knownSizes, measureSizes, sizeFaults, writeSizes } from './sizes.ts'
import { sumLines } from './sums.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: path.join(ROOT, 'packed') },
    'write-figures': { type: 'boolean', default: false },
  },
})
const folder = path.resolve(values.out)
const packed = packPackages(ROOT, folder)
writeFileSync(
  path.join(folder, 'SHA256SUMS'),
  sumLines(
    folder,
    packed.map(({ file }) => path.basename(file)),
  ),
)
writeFileSync(path.join(folder, 'pnpm-workspace.yaml'), pnpmSettings(packed))
process.stdout.write(`${packed.length} packages and SHA256SUMS are in ${folder}

Install them in a folder of your own:
  npm install --ignore-scripts ${folder}/*.tgz
  cp ${folder}/pnpm-workspace.yaml . && pnpm add ${folder}/*.tgz
`)

const sizes = measureSizes(ROOT, packed)
if (values['write-figures']) writeSizes(sizes)
const names = packed.map(({ name }) => name)
const faults = [...sizeFaults(sizes, knownSizes()), ...installScriptFaults(ROOT, names)]
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1
