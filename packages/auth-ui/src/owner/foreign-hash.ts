import type { ScryptCost } from './stored-hash.ts'

/** A passphrase hash that another program made, taken apart. */
export type ForeignHash =
  | ({ readonly kind: 'scrypt' } & ScryptCost & Salted)
  | ({ readonly kind: 'pbkdf2'; readonly digest: 'sha256' | 'sha512' } & {
      readonly rounds: number
    } & Salted)
  | ({
      readonly kind: 'argon2'
      readonly variant: 'argon2i' | 'argon2id'
      /** KiB. */
      readonly memory: number
      readonly passes: number
      readonly lanes: number
    } & Salted)
  | { readonly kind: 'bcrypt'; readonly cost: number; readonly text: string }

interface Salted {
  readonly salt: Buffer
  readonly key: Buffer
}

const MAX_TEXT = 512
const MIN_KEY_BYTES = 16
const MAX_KEY_BYTES = 64
const MAX_SALT_BYTES = 128
/** Blocks of 128 bytes: 128 MiB. */
const MAX_SCRYPT_BLOCKS = 2 ** 20
const MAX_ARGON2_KIB = 256 * 1024
const MAX_LANES = 16

const SCRYPT_TEXT =
  /^scrypt\$(\d{1,8})\$(\d{1,2})\$(\d{1,2})\$([0-9a-f]{16,256})\$([0-9a-f]{32,128})$/
const SCRYPT_CRYPT = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/.]+)\$([\w+/.]+)$/
const PBKDF2_CRYPT = /^\$pbkdf2-(sha256|sha512)\$(\d{1,8})\$([\w+/.]+)\$([\w+/.]+)$/
const PBKDF2_DJANGO = /^pbkdf2_(sha256)\$(\d{1,8})\$([!-#%-~]{1,128})\$([A-Za-z0-9+/]+={0,2})$/
const ARGON2 = /^\$(argon2id?)\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

/** Says in one sentence why a hash cannot be imported; what it says holds nothing of the hash. */
export class ForeignHashFault extends TypeError {
  override readonly name: string = 'ForeignHashFault'
}

/**
 * Takes a hash apart that is known by its own text. What checks of it cost is bounded here, and nowhere later.
 * @throws ForeignHashFault
 */
export function parseForeignHash(text: string): ForeignHash {
  if (text.length > MAX_TEXT) throw new ForeignHashFault('has more than 512 characters')
  for (const parse of [scryptText, scryptCrypt, pbkdf2, argon2, bcrypt]) {
    const found = parse(text)
    if (found !== undefined) return found
  }
  throw new ForeignHashFault(
    'is none of scrypt, PBKDF2, Argon2 and bcrypt in a form that is known; owners with another hash get an onboarding link',
  )
}

function scryptText(text: string): ForeignHash | undefined {
  const [, n = '', r = '', p = '', salt = '', key = ''] = SCRYPT_TEXT.exec(text) ?? []
  if (n === '') return undefined
  const logN = Math.log2(Number(n))
  return scrypt(logN, Number(r), Number(p), Buffer.from(salt, 'hex'), Buffer.from(key, 'hex'))
}

function scryptCrypt(text: string): ForeignHash | undefined {
  const [, ln = '', r = '', p = '', salt = '', key = ''] = SCRYPT_CRYPT.exec(text) ?? []
  return ln === '' ? undefined : scrypt(Number(ln), Number(r), Number(p), bytes(salt), bytes(key))
}

function scrypt(logN: number, r: number, p: number, salt: Buffer, key: Buffer): ForeignHash {
  const isWhole = Number.isInteger(logN) && logN >= 1 && r >= 1 && p >= 1
  if (!isWhole || 2 ** logN * r > MAX_SCRYPT_BLOCKS || p > MAX_LANES) {
    throw new ForeignHashFault('takes more than 128 MiB of scrypt, or p above 16')
  }
  return { kind: 'scrypt', logN, r, p, ...salted(salt, key) }
}

function pbkdf2(text: string): ForeignHash | undefined {
  const [, sha = '', n = '', salt = '', key = ''] =
    PBKDF2_CRYPT.exec(text) ?? PBKDF2_DJANGO.exec(text) ?? []
  if (sha === '') return undefined
  const rounds = Number(n)
  if (rounds < 10_000 || rounds > 5_000_000) {
    throw new ForeignHashFault('has fewer than 10 000 rounds of PBKDF2, or more than 5 000 000')
  }
  const digest = sha === 'sha512' ? 'sha512' : 'sha256'
  const saltBytes = text.startsWith('$') ? bytes(salt) : Buffer.from(salt)
  return { kind: 'pbkdf2', digest, rounds, ...salted(saltBytes, bytes(key)) }
}

function argon2(text: string): ForeignHash | undefined {
  const [, name = '', m = '', t = '', p = '', salt = '', key = ''] = ARGON2.exec(text) ?? []
  if (name === '') return undefined
  const [memory, passes, lanes] = [Number(m), Number(t), Number(p)]
  if (memory > MAX_ARGON2_KIB || passes < 1 || passes > 10 || lanes < 1 || lanes > MAX_LANES) {
    throw new ForeignHashFault('takes more than 256 MiB, 10 passes or 16 lanes of Argon2')
  }
  const found = salted(bytes(salt), bytes(key))
  if (memory < 8 * lanes || found.salt.length < 8) throw malformed()
  const variant = name === 'argon2id' ? 'argon2id' : 'argon2i'
  return { kind: 'argon2', variant, memory, passes, lanes, ...found }
}

function bcrypt(text: string): ForeignHash | undefined {
  const [, digits = ''] = BCRYPT.exec(text) ?? []
  if (digits === '') return undefined
  const cost = Number(digits)
  if (cost < 4 || cost > 15) throw new ForeignHashFault('has a cost of bcrypt below 4 or above 15')
  return { kind: 'bcrypt', cost, text }
}

function salted(salt: Buffer, key: Buffer): Salted {
  const isKey = key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES
  if (!isKey || salt.length === 0 || salt.length > MAX_SALT_BYTES) throw malformed()
  return { salt, key }
}

function malformed(): ForeignHashFault {
  return new ForeignHashFault('has a salt or a key of a length that is not accepted')
}

/** Base64 as these forms have it: with or without padding, and with a dot in place of the plus. */
function bytes(text: string): Buffer {
  return Buffer.from(text.replaceAll('.', '+'), 'base64')
}
