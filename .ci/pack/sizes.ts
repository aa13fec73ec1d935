import { statSync } from 'node:fs'
import type { PackedPackage } from '../../packages/testkit/src/packed-packages.ts'

/** A sentence for each tarball that is too large. */
export function sizeFaults(packed: readonly PackedPackage[]): string[] {
  return packed
    .map(({ name, file }) => ({ name, bytes: statSync(file).size }))
    .filter(({ name, bytes }) => bytes > mostBytes(name))
    .map(
      ({ name, bytes }) =>
        `${name}: its tarball has ${bytes} bytes, and ${mostBytes(name)} are enough`,
    )
}

/** The package with the pages, their scripts and its two apps may be larger. @see docs/decisions/0600 */
export function mostBytes(name: string): number {
  return name === '@svc/auth-ui' ? 700_000 : 300_000
}
