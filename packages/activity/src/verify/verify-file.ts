import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import {
  type Entry,
  type EntryFault,
  faultOf,
  NO_HASH,
  type Place,
  placeAfter,
} from '../chain/entry.ts'
import { FORMAT } from './export-lines.ts'

/** What a file holds, and where it breaks. */
export interface FileVerification {
  readonly domain: string
  readonly count: number
  /** Times of the first and the last entry, milliseconds since the epoch. */
  readonly since?: number
  readonly until?: number
  readonly head?: { readonly seq: number; readonly hash: string }
  /** Undefined: the file is intact. */
  readonly fault?: FileFault
  /** A head or an older file that is of a chain before a restore. */
  readonly beforeRestore?: true
}

export interface FileFault {
  readonly seq: number
  readonly reason: EntryFault | 'head' | 'rewritten'
}

export interface FileExpectations {
  /** A head that the owner holds: what lies before it may not have been rewritten. */
  readonly head?: { readonly seq: number; readonly hash: string }
  /** Hashes of an older export by number. */
  readonly previous?: ReadonlyMap<number, string>
}

/** The file cannot be read, or is no export. */
export class UnreadableFileError extends Error {
  override readonly name: string = 'UnreadableFileError'
}

interface Header {
  readonly format: string
  readonly domain: string
  readonly from_anchor: null | {
    readonly chain: string
    readonly last: number
    readonly lastHash: string
  }
}

/** Reads an export and verifies it, without a server. @throws UnreadableFileError */
export async function verifyFile(
  path: string,
  { head: held, previous = new Map() }: FileExpectations = {},
): Promise<FileVerification> {
  const lines = linesOf(path)
  const header = readHeader((await lines.next()).value)
  const { domain, from_anchor: anchor } = header
  let place: Place | undefined =
    anchor === null
      ? undefined
      : placeAfter({ chain: anchor.chain, seq: anchor.last, hash: anchor.lastHash })
  const first = place?.seq ?? 1
  let count = 0
  let since: number | undefined
  let last: Entry | undefined
  let fault: FileFault | undefined
  let hasRestore = false
  let end: { readonly seq: number; readonly hash: string } | undefined
  for await (const line of lines) {
    if (end !== undefined) throw new UnreadableFileError('something follows its last line')
    if ('head' in line) {
      end = line['head'] as { readonly seq: number; readonly hash: string }
      break
    }
    const entry = line as Entry
    const wanted = place ?? { chain: entry.chain, seq: first, prev: NO_HASH }
    const reason = faultOf(entry, wanted)
    const known = previous.get(entry.seq)
    if (reason !== undefined) fault ??= { seq: wanted.seq, reason }
    else if (known !== undefined && known !== entry.hash) {
      fault ??= { seq: entry.seq, reason: 'rewritten' }
    }
    if (held?.seq === entry.seq && held.hash !== entry.hash) {
      fault ??= { seq: entry.seq, reason: 'rewritten' }
    }
    if (entry.event === 'store.restored') hasRestore = true
    since ??= entry.time
    last = entry
    count += 1
    place = placeAfter(entry)
  }
  if (end === undefined) throw new UnreadableFileError('its last line is missing')
  if (last === undefined || last.seq !== end.seq || last.hash !== end.hash) {
    fault ??= { seq: end.seq, reason: 'head' }
  }
  if (held !== undefined && held.seq > end.seq) fault ??= { seq: held.seq, reason: 'missing' }
  const isBeforeRestore = fault?.reason === 'rewritten' && hasRestore
  return {
    domain,
    count,
    head: { seq: end.seq, hash: end.hash },
    ...(since !== undefined && { since }),
    ...(last !== undefined && { until: last.time }),
    ...(fault !== undefined && !isBeforeRestore && { fault }),
    ...(isBeforeRestore && { beforeRestore: true as const }),
  }
}

/** The hashes of an older export. @throws UnreadableFileError */
export async function hashesOf(path: string): Promise<ReadonlyMap<number, string>> {
  const hashes = new Map<number, string>()
  for await (const line of linesOf(path)) {
    const { seq, hash } = line as { readonly seq?: unknown; readonly hash?: unknown }
    if (typeof seq === 'number' && typeof hash === 'string') hashes.set(seq, hash)
  }
  return hashes
}

type Line = Readonly<Record<string, unknown>>

async function* linesOf(path: string): AsyncGenerator<Line> {
  const input = createReadStream(path, 'utf8')
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      yield parse(text)
    }
  } catch (error) {
    if (error instanceof UnreadableFileError) throw error
    throw new UnreadableFileError(`${path} cannot be read`, { cause: error })
  } finally {
    input.destroy()
  }
}

function parse(text: string): Line {
  try {
    const line: unknown = JSON.parse(text)
    if (line !== null && typeof line === 'object') return line as Line
  } catch {}
  throw new UnreadableFileError('a line is no JSON')
}

function readHeader(line: unknown): Header {
  const header = line as Header | undefined
  if (header?.format !== FORMAT) throw new UnreadableFileError(`its first line is not ${FORMAT}`)
  return header
}
