import { readFileSync } from 'node:fs'
import type { Inventory } from './inventory.ts'

/** What is said of a backup beside it. @see operation.md 4.1 */
export interface Manifest extends Inventory {
  readonly format: 'svc-backup'
  readonly formatVersion: 1
  /** Version of the product that made it. */
  readonly product: string
  readonly engine: 'redis' | 'sqlite'
  readonly storeVersion: number
  /** ISO 8601. What had ended by then is not counted. */
  readonly createdAt: string
  /** Whether it is in the age format. */
  readonly encrypted: boolean
  /** Of the file as it is. */
  readonly bytes: number
  /** Of the file as it is, hexadecimal. */
  readonly sha256: string
}

/** The manifest of a file cannot be used. */
export class ManifestError extends Error {
  override readonly name: string = 'ManifestError'
}

/** @throws ManifestError */
export function readManifest(file: string): Manifest {
  let manifest: Partial<Manifest> | null
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8')) as Partial<Manifest> | null // Looked at below.
  } catch (cause) {
    throw new ManifestError(`The manifest ${file} cannot be read.`, { cause })
  }
  if (manifest?.format !== 'svc-backup' || !isWhole(manifest)) {
    throw new ManifestError(`${file} is no manifest of a backup.`)
  }
  if (manifest.formatVersion !== 1) {
    throw new ManifestError(
      `${file} is of version ${String(manifest.formatVersion)}; this program knows version 1.`,
    )
  }
  return manifest as Manifest // Looked at above.
}

function isWhole({ createdAt, sha256, bytes, records, kids, kinds }: Partial<Manifest>): boolean {
  return (
    !Number.isNaN(Date.parse(createdAt ?? '')) &&
    typeof sha256 === 'string' &&
    typeof bytes === 'number' &&
    typeof records === 'object' &&
    typeof kinds === 'object' &&
    Array.isArray(kids)
  )
}
