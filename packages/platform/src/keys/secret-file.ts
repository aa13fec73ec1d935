import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A secret kept in a file of mode 0600: what is there, or what was made now. */
export function makeSecretFile(
  file: string,
  make: () => string,
): { readonly content: string; readonly isNew: boolean } {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  try {
    const content = make()
    // `wx`: of two processes that start at once, one writes and the other reads.
    writeFileSync(file, content, { flag: 'wx', mode: 0o600, flush: true })
    return { content, isNew: true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return { content: readFileSync(file, 'utf8'), isNew: false }
  }
}
