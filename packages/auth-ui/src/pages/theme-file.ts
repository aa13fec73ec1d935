import { readFileSync } from 'node:fs'

/** Bytes of an embedder's own rules. */
export const MAX_STYLE_BYTES = 10_000

/** What loads something, and what may not stand in a page. Matched in any case. */
const REFUSED: readonly (readonly [pattern: RegExp, problem: string])[] = [
  // An escape can write every name below in another way.
  [/\\/u, 'must not hold a backslash'],
  [/@import/iu, 'must not hold @import'],
  [/url\((?!\s*["']?data:image\/svg\+xml[;,])/iu, 'may have url() of data:image/svg+xml alone'],
  [/(?:image-set|image|src)\(/iu, 'may load images by url() alone'],
  // Pages that load nothing have their rules inside.
  [/<\/style|<!--/iu, 'must not hold markup of a page'],
]

/** Reads an embedder's own rules. @throws when there is no such file */
export function readStyleFile(file: string): string {
  return readFileSync(file, 'utf8')
}

/** What is wrong with the file of an embedder's own rules; undefined: nothing. @see docs/decisions/0631 */
export function styleFileFault(file: string): string | undefined {
  let sheet: string
  try {
    sheet = readStyleFile(file)
  } catch (error) {
    return `cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'it failed'}` // of the file system
  }
  if (Buffer.byteLength(sheet) > MAX_STYLE_BYTES) return `has more than ${MAX_STYLE_BYTES} bytes`
  return REFUSED.find(([pattern]) => pattern.test(sheet))?.[1]
}

/** Whether the rules show images, which are then part of them. */
export function hasDataImages(sheet: string): boolean {
  return /url\(/iu.test(sheet)
}
