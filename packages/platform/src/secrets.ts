import { createHash, timingSafeEqual } from 'node:crypto'
import { randomData } from './random-data.ts'

/** Random text of `[A-Za-z0-9_-]`: `bytes` random bytes in base64url. At least 16 bytes. */
export function randomId(bytes = 16): string {
  if (bytes < 16) throw new TypeError('a random id has at least 16 bytes')
  return randomData(bytes).toString('base64url')
}

/**
 * Random text of `[A-Za-z0-9]`, without modulo bias.
 * @example
 * const code = randomAlphanumeric(32)
 */
export function randomAlphanumeric(length: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
  let text = ''
  while (text.length < length) {
    for (const byte of randomData(length * 2)) {
      // 248 is the largest multiple of 62 below 256: bytes above it would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

/**
 * Random lower-case hexadecimal text of `bytes` bytes.
 * @example
 * const id = randomHex(16)
 */
export function randomHex(bytes: number): string {
  return randomData(bytes).toString('hex')
}

/** Compares two secrets through digests of fixed length, so that neither content nor length shows in the time. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
