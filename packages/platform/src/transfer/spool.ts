import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openNewFile } from '@svc/store'

/** Does something with a stream that is read more than once: it lies in a file meanwhile, for nobody else. */
export async function spooled<Result>(
  stream: AsyncIterable<Uint8Array>,
  folder: string | undefined,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const path = join(folder ?? tmpdir(), `svc-import-${randomUUID()}.age`)
  try {
    const file = createWriteStream(path, { fd: openNewFile(path) })
    await pipeline(Readable.from(stream, { objectMode: true }), file)
    return await use(path)
  } finally {
    await rm(path, { force: true })
  }
}
