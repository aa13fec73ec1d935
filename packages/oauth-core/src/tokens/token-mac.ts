import { hash } from 'node:crypto'
import type { SigningKey } from '@svc/platform'

/** Bytes of a message at most: of a token. */
export const MAX_MESSAGE = 8192

/** Of SHA-512, bytes. */
const BLOCK = 128
const DIGEST = 64

/** What stands in front of both messages of a key (RFC 2104). */
interface Pads {
  readonly inner: Buffer
  readonly outer: Buffer
}

const pads = new WeakMap<SigningKey, Pads>()
// Used again by every call: nothing in here waits.
const innerMessage = Buffer.alloc(BLOCK + MAX_MESSAGE)
const outerMessage = Buffer.alloc(BLOCK + DIGEST)
const mac = Buffer.alloc(DIGEST)

/**
 * HMAC-SHA-512 of a text of one-byte characters, with the secret of a key. Made of two hashes at once: the object that
 * Node makes for each HMAC costs more than both.
 * @param message - ASCII, at most {@link MAX_MESSAGE} characters
 * @returns 64 bytes, which the next call writes over
 * @throws RangeError for a longer message
 */
export function macOf(key: SigningKey, message: string): Buffer {
  if (message.length > MAX_MESSAGE) throw new RangeError('a message is too long to be signed')
  const { inner, outer } = padsOf(key)
  innerMessage.set(inner)
  const end = BLOCK + innerMessage.write(message, BLOCK, 'latin1')
  outerMessage.set(outer)
  outerMessage.write(hash('sha512', innerMessage.subarray(0, end), 'binary'), BLOCK, 'latin1')
  mac.write(hash('sha512', outerMessage, 'binary'), 'latin1')
  return mac
}

function padsOf(key: SigningKey): Pads {
  let known = pads.get(key)
  if (known === undefined) {
    const { secret } = key
    const short = secret.length > BLOCK ? hash('sha512', secret, 'buffer') : secret
    known = { inner: padded(short, 0x36), outer: padded(short, 0x5c) }
    pads.set(key, known)
  }
  return known
}

function padded(secret: Buffer, filling: number): Buffer {
  const block = Buffer.alloc(BLOCK, filling)
  for (const [place, byte] of secret.entries()) block[place] = byte ^ filling
  return block
}
