import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { growthFaults } from '../pack/growth.ts'
import { type BundledPackage, filesOf } from './packages.ts'

const FILE = path.join(import.meta.dirname, 'figures.json')
/** Writes the figures as somebody looked at them. */
const WRITE = 'pnpm run bundle --write-figures'

export interface BundleFigures {
  readonly packages: number
  readonly bytes: number
}

/** What an operator unpacks. */
export function countFigures(folder: string, packages: readonly BundledPackage[]): BundleFigures {
  const folders = [folder, ...packages.map((each) => each.folder)]
  const sizes = folders.flatMap(filesOf).map((file) => statSync(file).size)
  return { packages: packages.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

export function writeFigures(figures: BundleFigures): void {
  writeFileSync(FILE, `${JSON.stringify(figures, undefined, 2)}\n`)
}

/** @returns a sentence for each figure that grew by too much since somebody looked at it */
export function checkFigures(figures: BundleFigures): string[] {
  // Written by `writeFigures`.
  const known = JSON.parse(readFileSync(FILE, 'utf8')) as BundleFigures
  return [
    ...growthFaults('packages of the bundle', figures.packages, known.packages, WRITE),
    ...growthFaults('bytes of the bundle', figures.bytes, known.bytes, WRITE),
  ]
}
