import { existsSync } from 'node:fs'
import path from 'node:path'
import type { PackedPackage, PublicManifest } from '../../packages/testkit/src/packed-packages.ts'
import { sumOf } from '../pack/sums.ts'

/** A sentence for each tarball that is not the same, byte for byte, in another folder. */
export function differences(packed: readonly PackedPackage[], folder: string): string[] {
  return packed.flatMap(({ name, file }) => {
    const other = path.join(folder, path.basename(file))
    if (!existsSync(other)) return [`${name} was not packed a second time.`]
    const [one, two] = [sumOf(file), sumOf(other)]
    if (one === two) return []
    return [`${name} was packed twice and differs: ${file} is ${one}, and ${other} is ${two}.`]
  })
}

/** Packages so that each comes after those that it depends on. @throws Error when there is no such order */
export function publishOrder(packages: readonly PublicManifest[]): PublicManifest[] {
  const names = new Set(packages.map(({ name }) => name))
  const ordered: PublicManifest[] = []
  let waiting = packages
  while (waiting.length > 0) {
    const done = new Set(ordered.map(({ name }) => name))
    const isReady = ({ dependencies = {} }: PublicManifest): boolean =>
      Object.keys(dependencies).every((name) => !names.has(name) || done.has(name))
    const ready = waiting.filter(isReady)
    if (ready.length === 0) {
      throw new Error(`${waiting.map(({ name }) => name).join(', ')} depend on each other`)
    }
    ordered.push(...ready)
    waiting = waiting.filter((one) => !ready.includes(one))
  }
  return ordered
}
