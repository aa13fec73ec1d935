import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Of files of a folder, as `sha256sum --check` reads them there. */
export function sumLines(folder: string, files: readonly string[]): string {
  return files.map((file) => `${sumOf(path.join(folder, file))}  ${file}\n`).join('')
}

/** SHA-256 of a file, hexadecimal. */
export function sumOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
