import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** A key of the host's keyring (D52). */
export interface SealingKey {
  /** Name of the key, letters, digits, `-`, `_`; travels with what it sealed. */
  readonly kid: string
  /** 32 random bytes. */
  readonly key: Uint8Array
}

/** Encrypts what the store keeps reversibly: client secrets, signing keys, provider secrets. */
export interface Sealer {
  /** AES-256-GCM under the first key. `context` (what the secret is and whose) must be given again to open. */
  seal(plain: Uint8Array | string, context: string): string
  /** @throws Error when the key is unknown, or the text or the context is not what was sealed */
  open(sealed: string, context: string): Buffer
}

const KID = /^[A-Za-z0-9_-]{1,32}$/

/**
 * @param keys - the first seals, all open
 * @throws TypeError for an empty keyring, a bad or doubled `kid`, a key that is not 32 bytes
 */
export function createSealer(keys: readonly SealingKey[]): Sealer {
  const byKid = new Map<string, Buffer>()
  for (const { kid, key } of keys) {
    if (!KID.test(kid) || byKid.has(kid))
      throw new TypeError('options.keys: a kid is malformed or doubled')
    if (key.byteLength !== 32)
      throw new TypeError(`options.keys: key ${kid} does not have 32 bytes`)
    byKid.set(kid, Buffer.from(key))
  }
  const first = keys[0]
  if (first === undefined) throw new TypeError('options.keys: at least one sealing key is needed')
  const sealingKey = Buffer.from(first.key)

  function seal(plain: Uint8Array | string, context: string): string {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce).setAAD(Buffer.from(context))
    const sealed = Buffer.concat([
      nonce,
      cipher.update(plain as string),
      cipher.final(),
      cipher.getAuthTag(),
    ])
    return `${first?.kid}.${sealed.toString('base64url')}`
  }

  function open(text: string, context: string): Buffer {
    const dot = text.indexOf('.')
    const key = byKid.get(text.slice(0, dot))
    if (key === undefined) throw new Error('sealed with a key that is not in the keyring')
    const bytes = Buffer.from(text.slice(dot + 1), 'base64url')
    if (bytes.length < 28) throw new Error('malformed sealed text')
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-16))
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
  }

  return { seal, open }
}
