import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { randomData } from '../random-data.ts'

/** Bytes of the random nonce in front of what is sealed. */
export const NONCE_BYTES = 12

const TAG_BYTES = 16

/**
 * AES-256-GCM under a random nonce.
 * @param key - 32 bytes
 * @param aad - authenticated, not contained: must be given again to decrypt
 * @returns nonce, ciphertext, tag
 */
export function encrypt(key: KeyObject, plain: Uint8Array | string, aad: string): Buffer {
  const nonce = randomData(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(aad))
  // Both overloads take what `plain` may be, but neither takes the union.
  const body = cipher.update(plain as string)
  return Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()])
}

/** @throws Error when key, bytes or `aad` are not those of {@link encrypt} */
export function decrypt(key: KeyObject, bytes: Buffer, aad: string): Buffer {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('malformed sealed text')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(aad))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
  return Buffer.concat([plain, decipher.final()])
}
