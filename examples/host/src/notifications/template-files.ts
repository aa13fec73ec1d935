import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** No template is larger; one byte more tells that it is. @see notifications.md 10.3 */
const MAX_BYTES = 256 * 1024 + 1
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EISDIR'])

/**
 * A file of the folder of an app or konnector; undefined when there is none, or when it lies outside, by a link for
 * example.
 * @param path - relative and normal
 */
export async function readTemplateFile(
  folder: string | undefined,
  path: string,
): Promise<Uint8Array | undefined> {
  if (folder === undefined) return undefined
  let handle: FileHandle | undefined
  try {
    const root = await realpath(folder)
    const file = await realpath(join(root, path))
    if (!file.startsWith(root + sep)) return undefined
    handle = await open(file, 'r')
    if (!(await handle.stat()).isFile()) return undefined
    const buffer = Buffer.alloc(MAX_BYTES)
    const { bytesRead } = await handle.read(buffer, 0, MAX_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  } finally {
    await handle?.close()
  }
}
