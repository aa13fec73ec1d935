import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import type { Recorded } from './compare.ts'

/** As text: a title, its texts indented by a blank, each after a line with a dot. */
export function writeRecord(section: string, recorded: Recorded): number {
  const lines = [...recorded]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([title, texts]) => [
      title,
      ...[...texts]
        .toSorted()
        .flatMap((text) => ['.', ...text.split('\n').map((line) => ` ${line}`)]),
    ])
  const text = Buffer.from(lines.join('\n'))
  const packed = brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  })
  writeFileSync(fileOf(section), packed)
  return packed.length
}

export function readRecord(section: string): Recorded {
  if (!existsSync(fileOf(section))) return new Map()
  const recorded = new Map<string, Set<string>>()
  let texts = new Set<string>()
  let open: string[] | undefined
  const close = (): void => {
    if (open !== undefined) texts.add(open.join('\n'))
    open = undefined
  }
  for (const line of brotliDecompressSync(readFileSync(fileOf(section)))
    .toString()
    .split('\n')) {
    if (line === '.') {
      close()
      open = []
    } else if (line.startsWith(' ')) open?.push(line.slice(1))
    else {
      close()
      recorded.set(line, (texts = new Set()))
    }
  }
  close()
  return recorded
}

function fileOf(section: string): string {
  return path.join(import.meta.dirname, `${section}.txt.br`)
}
