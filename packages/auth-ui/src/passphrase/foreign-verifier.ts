import * as crypto from 'node:crypto'
import { promisify } from 'node:util'
import type { ForeignHash } from '../owner/foreign-hash.ts'
import type { HashThread } from './hash-thread.ts'

const runPbkdf2 = promisify(crypto.pbkdf2)

/** What bcrypt looks at, as whoever made the hash did. */
const BCRYPT_BYTES = 72

/** Whether the secret is the one of a hash that another program made. In the pool of threads, or in one of its own. */
export async function verifyForeign(
  thread: HashThread,
  foreign: ForeignHash,
  secret: string,
): Promise<boolean> {
  const message = Buffer.from(secret)
  switch (foreign.kind) {
    case 'scrypt':
      return isKey(foreign.key, await runScrypt(foreign, message))
    case 'pbkdf2': {
      const { digest, key, rounds, salt } = foreign
      return isKey(key, await runPbkdf2(message, salt, rounds, key.length, digest))
    }
    case 'argon2':
      return isKey(foreign.key, await runArgon2(thread, foreign, message))
    case 'bcrypt': {
      const { text } = foreign
      const password = message.subarray(0, BCRYPT_BYTES)
      // The library knows no empty one, and nobody has it.
      if (password.length === 0) return false
      return (await thread.run({ kind: 'bcrypt', text, password })) === true
    }
  }
}

/** What a hash needs that is not there; undefined: nothing. */
export function missingFor({ kind }: ForeignHash): string | undefined {
  const needsLibrary = kind === 'bcrypt' || (kind === 'argon2' && !hasArgon2())
  if (!needsLibrary || hasLibrary()) return undefined
  return 'needs the package hash-wasm: npm install hash-wasm'
}

function isKey(key: Buffer, derived: Uint8Array): boolean {
  return key.length === derived.length && crypto.timingSafeEqual(key, derived)
}

function runScrypt(
  { key, logN, p, r, salt }: Extract<ForeignHash, { kind: 'scrypt' }>,
  message: Buffer,
): Promise<Buffer> {
  const N = 2 ** logN
  const maxmem = Math.max(64 * 1024 * 1024, 256 * N * r)
  return new Promise((resolve, reject) => {
    crypto.scrypt(message, salt, key.length, { N, r, p, maxmem }, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    )
  })
}

async function runArgon2(
  thread: HashThread,
  { key, lanes, memory, passes, salt, variant }: Extract<ForeignHash, { kind: 'argon2' }>,
  message: Buffer,
): Promise<Uint8Array> {
  if (!hasArgon2()) {
    const cost = { lanes, memory, passes, variant, bytes: key.length }
    const derived = await thread.run({ kind: 'argon2', ...cost, salt, password: message })
    return derived instanceof Uint8Array ? derived : new Uint8Array()
  }
  return new Promise((resolve, reject) => {
    crypto.argon2(
      variant,
      { message, nonce: salt, parallelism: lanes, memory, passes, tagLength: key.length },
      (error, derived) => (error === null ? resolve(derived) : reject(error)),
    )
  })
}

/** Node has it from 24.7 on. */
function hasArgon2(): boolean {
  return 'argon2' in crypto && typeof crypto.argon2 === 'function'
}

function hasLibrary(): boolean {
  try {
    return import.meta.resolve('hash-wasm') !== ''
  } catch {
    return false
  }
}
