import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bundledPackages, type BundledPackage, filesOf, findPackage } from './packages.ts'

const FILE = path.join(import.meta.dirname, 'figures.json')
/** What a figure may grow by before somebody looks at it. */
const GROWTH = 1.02

export interface BundleFigures {
  readonly packages: number
  readonly bytes: number
  /** What each package that is published needs alone, itself included. */
  readonly packagesOfEach: Readonly<Record<string, number>>
}

/** What an operator unpacks. */
export function countFigures(
  folder: string,
  packages: readonly BundledPackage[],
): Pick<BundleFigures, 'packages' | 'bytes'> {
  const folders = [folder, ...packages.map((each) => each.folder)]
  const sizes = folders.flatMap(filesOf).map((file) => statSync(file).size)
  return { packages: packages.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** Before anything was left out: this is what a package manager installs for who embeds one package. */
export function packageFigures(modules: string): Record<string, number> {
  const byFolder = new Map(bundledPackages(modules).map((each) => [each.folder, each]))
  const ours = [...byFolder.values()].filter(({ name }) => name.startsWith('@svc/'))
  return Object.fromEntries(
    ours.map(({ name, folder }) => {
      const needed = new Set([folder])
      for (const one of needed) {
        for (const dependency of byFolder.get(one)?.dependencies ?? []) {
          const found = findPackage(dependency, one)
          if (found !== undefined) needed.add(found)
        }
      }
      return [name, needed.size]
    }),
  )
}

export function writeFigures(figures: BundleFigures): void {
  writeFileSync(FILE, `${JSON.stringify(figures, undefined, 2)}\n`)
}

/** @returns a sentence for each figure that grew by more than 2 % since somebody looked at it */
export function checkFigures(figures: BundleFigures): string[] {
  // Written by `writeFigures`.
  const known = JSON.parse(readFileSync(FILE, 'utf8')) as BundleFigures
  const rows: [string, number, number][] = [
    ['packages of the bundle', figures.packages, known.packages],
    ['bytes of the bundle', figures.bytes, known.bytes],
    ...Object.entries(figures.packagesOfEach).map(([name, count]): [string, number, number] => [
      `packages of ${name}`,
      count,
      known.packagesOfEach[name] ?? 0,
    ]),
  ]
  return rows.flatMap(([what, now, before]) =>
    now > before * GROWTH
      ? [
          `${what}: ${now}, and ${before} when somebody last looked. Find out what came in; if it is worth it, run` +
            ' `pnpm run bundle --write-figures`.',
        ]
      : [],
  )
}
