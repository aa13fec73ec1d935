import { lstatSync } from 'node:fs'
import path from 'node:path'
import { makePrivateFolder, readPrivateFile, writeNewFile } from '@svc/store'

/** A secret kept in a file of mode 0600: what is there, or what was made now. */
export function makeSecretFile(
  file: string,
  make: () => string,
): { readonly content: string; readonly isNew: boolean } {
  makePrivateFolder(path.dirname(file))
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    const content = make()
    // Of two processes that start at once, one writes and the other reads.
    if (writeNewFile(file, content, 'keep')) return { content, isNew: true }
  }
  return { content: readPrivateFile(file), isNew: false }
}
