import { createGunzip } from 'node:zlib'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describeError } from '@svc/store'
import { decrypt, type ImportKey } from './encryption.ts'
import { TransferError } from './transfer-error.ts'

/** A longer line is none of ours: no store keeps such a record. */
const MAX_LINE = 64 * 1024 * 1024

/** The lines of an encrypted export, without their ends. @throws TransferError `export_damaged`, `export_locked` */
export async function* readLines(
  file: AsyncIterable<Uint8Array>,
  key: ImportKey,
): AsyncGenerator<string> {
  const gunzip = createGunzip()
  const feeding = pipeline(Readable.from(decrypt(file, key), { objectMode: true }), gunzip)
  feeding.catch(() => {})
  let rest: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      let from = 0
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        yield decode([...rest, chunk.subarray(from, end)])
        rest = []
        length = 0
        from = end + 1
      }
      rest.push(chunk.subarray(from))
      length += chunk.length - from
      if (length > MAX_LINE) throw damaged('a line is too long')
    }
    // A file that is whole may still end where nothing of it may.
    await feeding
  } catch (error) {
    throw TransferError.is(error) ? error : damaged(describeError(error), error)
  }
  if (length > 0) throw damaged('its last line has no end')
}

function decode(parts: readonly Buffer[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch (error) {
    throw damaged('a line is not UTF-8', error)
  }
}

/** @param reason - what is wrong, for the operator */
export function damaged(reason: string, cause?: unknown): TransferError {
  return new TransferError('export_damaged', {
    description: `This file is cut, was changed, or is no export of an instance: ${reason}. Nothing of it was stored.`,
    ...(cause !== undefined && { cause }),
  })
}
