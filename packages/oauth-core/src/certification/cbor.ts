import { Decoder } from 'cbor-x/decode'

const MAX_DEPTH = 4
const BYTE_STRING = 2
const TEXT = 3
const ARRAY = 4
const MAP = 5
const SIMPLE = 7

/**
 * Decodes one CBOR item that fills `bytes`: integers, strings, lists, maps (as `Map`) and plain simple values, at most
 * four deep, no key twice. Tags and indefinite lengths are refused before the decoder sees them: they are what makes it build dates,
 * regular expressions or lists of millions of holes from a few bytes.
 * @throws RangeError when it is anything else
 */
export function decodeCbor(bytes: Buffer): unknown {
  if (endOfItem(bytes, 0, 0) !== bytes.length) throw new RangeError('bytes after the item')
  const decoder = new Decoder({ mapsAsObjects: false, useRecords: false })
  const value: unknown = decoder.decode(bytes)
  return value
}

/** Where the item at `start` ends. Each byte is looked at once. */
function endOfItem(bytes: Buffer, start: number, depth: number): number {
  const initial = bytes.readUInt8(start)
  const [major, info] = [initial >> 5, initial & 31]
  if (info > 27) throw new RangeError('indefinite length')
  const headBytes = info < 24 ? 0 : 2 ** (info - 24)
  const length = headBytes === 0 ? info : lengthAt(bytes, start + 1, headBytes)
  const content = start + 1 + headBytes
  if (major < BYTE_STRING) return within(bytes, content)
  if (major === BYTE_STRING || major === TEXT) return within(bytes, content + length)
  if (major === SIMPLE && headBytes === 0) return content
  if (major !== ARRAY && major !== MAP) throw new RangeError('tags and floats have no place here')
  if (depth === MAX_DEPTH) throw new RangeError('nested too deep')
  const items = major === MAP ? length * 2 : length
  const keys = new Set<string>()
  let end = content
  // An item takes at least a byte: a length that lies ends at the end of the bytes.
  for (let index = 0; index < items; index++) {
    const from = end
    end = endOfItem(bytes, from, depth + 1)
    if (major !== MAP || index % 2 === 1) continue
    const key = bytes.toString('latin1', from, end)
    // The decoder would take the last one: bytes that mean nothing could be added.
    if (keys.has(key)) throw new RangeError('a key twice')
    keys.add(key)
  }
  return end
}

function lengthAt(bytes: Buffer, offset: number, size: number): number {
  return size === 8 ? Number(bytes.readBigUInt64BE(offset)) : bytes.readUIntBE(offset, size)
}

function within(bytes: Buffer, end: number): number {
  if (end > bytes.length) throw new RangeError('cut short')
  return end
}
