import { createHash } from 'node:crypto'

/** A passphrase hash as it is stored: the function's name beside its own text. */
export interface StoredHash {
  /**
   * `scrypt-kdf`: base64 of a 96-byte container. `scrypt`: `scrypt$N$r$p$<salt hex>$<dk hex>`. Of an imported owner whose
   * first login is still to come: `foreign`, a hash of another program over the login value; `foreign-passphrase`, one
   * over the passphrase itself, which no login value is compared with.
   */
  readonly algorithm: 'scrypt-kdf' | 'scrypt' | 'foreign' | 'foreign-passphrase'
  readonly value: string
}

/** Cost of scrypt. */
export interface ScryptCost {
  /** Logarithm of the number of iterations, to the base 2. */
  readonly logN: number
  /** Size of a block, in units of 128 bytes. */
  readonly r: number
  /** How many times the whole is done. */
  readonly p: number
}

/** The text form of an imported owner, taken apart. @see login.md 3.2 */
export interface ScryptText extends ScryptCost {
  readonly salt: Buffer
  readonly key: Buffer
}

const CONTAINER_BYTES = 96
const PREFIX_BYTES = 48
const CHECKSUM_BYTES = 16
const TEXT = /^scrypt\$(\d{1,8})\$(\d{1,2})\$(\d{1,2})\$([0-9a-f]{16,128})\$([0-9a-f]{32,128})$/

/** The container's bytes and cost, or undefined when it is malformed or absurdly expensive. */
export function parseContainer(value: string): { bytes: Buffer; cost: ScryptCost } | undefined {
  const bytes = Buffer.from(value, 'base64')
  if (bytes.length !== CONTAINER_BYTES || bytes.toString('latin1', 0, 6) !== 'scrypt')
    return undefined
  const checksum = bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + CHECKSUM_BYTES)
  if (!checksumOf(bytes).equals(checksum)) return undefined
  const cost = { logN: bytes.readUInt8(7), r: bytes.readUInt32BE(8), p: bytes.readUInt32BE(12) }
  return isAffordable(cost) ? { bytes, cost } : undefined
}

/** The parts of the text form, or undefined when it is malformed or absurdly expensive. */
export function parseText(value: string): ScryptText | undefined {
  const [, n = '', r = '', p = '', salt = '', key = ''] = TEXT.exec(value) ?? []
  const logN = Math.log2(Number(n))
  const cost = { logN, r: Number(r), p: Number(p) }
  if (n === '' || !Number.isInteger(logN) || !isAffordable(cost)) return undefined
  return { ...cost, salt: Buffer.from(salt, 'hex'), key: Buffer.from(key, 'hex') }
}

/** A container that is well formed, costs as much as a real one and matches nothing. */
export function dummyContainer({ logN, r, p }: ScryptCost): Buffer {
  const bytes = Buffer.alloc(CONTAINER_BYTES)
  bytes.write('scrypt', 0, 'latin1')
  bytes.writeUInt8(logN, 7)
  bytes.writeUInt32BE(r, 8)
  bytes.writeUInt32BE(p, 12)
  checksumOf(bytes).copy(bytes, PREFIX_BYTES)
  return bytes
}

function checksumOf(bytes: Buffer): Buffer {
  return createHash('sha256')
    .update(bytes.subarray(0, PREFIX_BYTES))
    .digest()
    .subarray(0, CHECKSUM_BYTES)
}

/** Whether hashes of this cost are made and checked: at most 128 MiB and about eight times the default's time. */
export function isAffordable({ logN, r, p }: ScryptCost): boolean {
  return logN >= 1 && r >= 1 && p >= 1 && p <= 16 && 2 ** logN * r <= 2 ** 20
}
